"""Explicit steps of fixed size: the kernel makes them alone, and comes back now and then."""

from __future__ import annotations

from time import perf_counter

import numpy as np

from coupling.kernel.system.status import Status
from coupling.live.bounds import watch_points
from coupling.live.checkpoints import begun, kept, looked, pace
from coupling.live.failures import interrupted
from coupling.live.pausing import Integration, PausedCourse
from coupling.live.session import Session
from coupling.options import Run
from coupling.plan.cosimulation.capabilities import asks_returns, is_lone, returns_early, unable
from coupling.progress import watched
from coupling.schemes.base import failures
from coupling.schemes.base.divergence import ended
from coupling.schemes.base.requests import request_returns

_INTERVAL = 0.1
"""Seconds between two looks at the clock and at signals."""


def run_course(session: Session, run: Run, *, in_turn: bool) -> Integration:
    """Runs the system in the kernel."""
    kernel, pause, times = session.kernel, session.running.pause, run.times()
    assert run.communication_step is not None
    variable = makes_any_step(session, run)
    if len(times) and times[0] <= run.start_time:
        kernel.complete()
        kernel.record()
        times = times[1:]
    kernel.set_align(aligns(session, variable), lone=is_lone(session.built))
    status = kernel.begin_course(
        start=run.start_time,
        step=run.communication_step,
        stop=run.stop_time,
        order=run.coupling.extrapolation,
        in_turn=in_turn,
        variable=variable,
        times=np.ascontiguousarray(times),
    )
    watch_points(session)
    status, stopped, longest = begun(session, status), None, pace(session, _INTERVAL)
    chunk = 1  # a step of a slow FMU may take longer than the interval
    with watched(run) as show:
        request_returns(session, show)
        try:
            if status is Status.DONE and kernel.time < run.stop_time:
                status = Status.PAUSED
            while status is Status.PAUSED and kernel.course[1] < run.max_steps:
                if kernel.time >= pause.time:
                    sent = yield PausedCourse(session)
                    status = status if sent is None else sent
                    continue
                began = perf_counter()
                status = kernel.follow(min(chunk, run.max_steps - kernel.course[1]))
                show(*kernel.course)
                spent = perf_counter() - began
                if kernel.time < pause.time:
                    chunk = max(1, min(int(chunk * longest / max(spent, 1e-6)), 10 * chunk))
                looked(session, status)
        except KeyboardInterrupt as interrupt:
            stopped = interrupt
    kept(session, Status.DONE if status is Status.UNTIL else status)
    t, steps = kernel.course
    if (stopped or status is Status.PAUSED) and kernel.recorded_until != kernel.time and kernel.complete() is Status.DONE:
        kernel.record()  # the last point is the one that tells most
    outcome = interrupted(session, t, stopped) if stopped else ended(session, status, t)
    outcome.counts = {"steps": steps}
    return outcome


def makes_any_step(session: Session, run: Run) -> bool:
    """Says whether steps of any size can be made. If not, the run has to consist of whole steps."""
    rigid = unable(session.built, "variable_step")
    if not rigid:
        return True
    assert run.communication_step is not None
    for part in session.built.parts:
        steps = (part.step or 0.0) / run.communication_step
        if part.stepped and part.step and (abs(steps - round(steps)) > 1e-6 or steps < 0.5):
            raise failures.own_step_between(instance=part.name, own=part.step, other=rigid[0], step=run.communication_step)
    count = (run.stop_time - run.start_time) / run.communication_step
    if abs(count - round(count)) > 1e-6:
        raise failures.stop_between_steps(
            instance=rigid[0], start_time=run.start_time, stop_time=run.stop_time, step=run.communication_step
        )
    return False


def aligns(session: Session, variable: bool) -> bool:
    """Says whether all instances are taken to the time at which one of them ends its step early, for an event or because the run asks."""
    built = session.built
    return variable and (returns_early(built) or asks_returns(built)) and (is_lone(built) or not unable(built, "save_state"))
