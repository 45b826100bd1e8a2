"""A course of explicit steps from one communication point to the next: the kernel runs it, and comes back now and then."""

from __future__ import annotations

from time import perf_counter
from typing import TYPE_CHECKING

import numpy as np

from coupling.errors import BuildError
from coupling.kernel.status import Status
from coupling.live.capabilities import returns_early, unable
from coupling.outcome import Ending, Outcome
from coupling.progress import watched

if TYPE_CHECKING:
    from coupling.live.master import Master
    from coupling.options import Run

_AT_A_TIME = 0.1
"""Seconds between two looks at the clock and at signals."""


def follow(master: Master, run: Run) -> Outcome:
    """Fixed steps."""
    kernel, times = master.kernel, run.times()
    assert kernel and run.communication_step is not None
    variable = whole_steps(master, run)
    if len(times) and times[0] <= run.start_time:
        kernel.complete()
        kernel.record()
        times = times[1:]
    kernel.set_align(variable and returns_early(master) and not unable(master, "save_state"))
    status = kernel.begin_course(
        run.start_time, run.communication_step, run.stop_time, run.extrapolation, run.in_turn, variable, np.ascontiguousarray(times)
    )
    interrupted, chunk = False, 100
    with watched(run) as show:
        try:
            if status is Status.DONE and run.start_time < run.stop_time:
                status = Status.PAUSED
            while status is Status.PAUSED and kernel.course[1] < run.max_steps:
                began = perf_counter()
                status = kernel.follow(min(chunk, run.max_steps - kernel.course[1]))
                show(*kernel.course)
                spent = perf_counter() - began
                chunk = max(1, min(int(chunk * _AT_A_TIME / max(spent, 1e-6)), 10 * chunk))
        except KeyboardInterrupt:
            interrupted = True
    t, steps = kernel.course
    master.solver_statistics = {"steps": steps}
    if (interrupted or status is Status.PAUSED) and kernel.recorded()[-1:, 0] != kernel.time and kernel.complete() is Status.DONE:
        kernel.record()  # the last point is the one that tells most
    if interrupted:
        return Outcome(Ending.INTERRUPTED, f"interrupted at t = {t:.9g} s; the result holds everything up to there")
    return master.outcome(status, t)


def whole_steps(master: Master, run: Run) -> bool:
    """Whether steps of any size can be made; where they cannot, the run has to consist of whole ones."""
    rigid = unable(master, "variable_step")
    if not rigid:
        return True
    assert run.communication_step is not None
    count = (run.stop_time - run.start_time) / run.communication_step
    if abs(count - round(count)) > 1e-6:
        raise BuildError(
            f"stop_time = {run.stop_time:g} s is no whole number of communication steps ({run.communication_step:g} s) behind the start, and "
            f"'{rigid[0]}' can make steps of one size only; choose a stop_time of {run.start_time + round(count) * run.communication_step:g} s"
        )
    return False
