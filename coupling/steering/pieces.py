"""Pieces of a run: the times of their rows, and how they wait for the wall clock."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Protocol, TypeVar

import numpy as np

from coupling.errors import BuildError
from coupling.live.pausing import Pause
from coupling.live.real_time import Clock
from coupling.options import MOST_ROWS, OpenRun
from coupling.outcome import Outcome

T = TypeVar("T")
_UNCOUNTED = 2.0**62
"""Number of rows beyond which none is counted: no integer of the kernel holds more."""


class Advanced(Protocol):
    """A run that is advanced piece by piece, as ``SteeredRun`` is one."""

    _run: OpenRun
    _pause: Pause
    _stopping: bool

    @property
    def time(self) -> float: ...

    @property
    def outcome(self) -> Outcome | None: ...

    def close(self) -> None: ...

    def _check_running(self) -> None: ...

    def _interrupt(self) -> None: ...


def in_real_time(run: Advanced, factor: float, advance: Callable[[], T]) -> T:
    """Advances a run, and then waits until the clock has come to the end of the piece; returns what ``advance`` does."""
    run._check_running()
    clock = run._pause.clock = run._pause.clock or Clock(run._run.on_late, lambda: run._stopping)
    clock.begin(run.time, factor)
    found = advance()
    if not run.outcome:
        try:
            goes_on = clock.wait(run.time)
        except KeyboardInterrupt:
            run._interrupt()
            raise
        if not goes_on:
            run.close()
    return found


def times_until(run: OpenRun, end: float) -> int:
    """Returns the number of times up to an end, in s, at which the options ask for a row; multiples of an interval begin after the start."""
    if run.output_times is not None:
        return int(np.searchsorted(run.output_times, end, "right"))
    if run.output_interval is None:
        return 0
    return math.floor(min((end - run.start_time) / run.output_interval * (1 + 1e-12), _UNCOUNTED))


def times_of_rows(run: OpenRun, taken: int, end: float, most: int | None = None) -> np.ndarray:
    """Returns the times of the rows of a piece, after as many as were taken before it: those that the options ask for, ``most`` of them at
    most, and the end. They are empty where a row at the end is all."""
    if run.output_times is None and run.output_interval is None:
        return np.zeros(0)
    last = times_until(run, end) if most is None else min(times_until(run, end), taken + most)
    if run.output_times is not None:
        times = np.asarray(run.output_times)[taken:last]
        return np.append(times[times < end], end)
    assert run.output_interval is not None
    if last - taken > MOST_ROWS:
        raise BuildError(
            f"output_interval = {run.output_interval:g} s asks for {last - taken:.2g} rows up to t = {end:g} s; choose a longer one"
        )
    times = run.start_time + run.output_interval * np.arange(taken + 1, last + 1)
    return np.append(times[times < end - 1e-9 * run.output_interval], end)
