"""Runs in real time: at the end of each piece a run waits for the wall clock, and it notes its delays."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from time import monotonic

import numpy as np

from coupling.kernel.platform.sleep import sleep_until
from coupling.kernel.system.status import Status
from coupling.live.pausing import Integration, Pause, Paused
from coupling.live.session import Session
from coupling.options import Run
from coupling.outcome import KEPT, Ending, Outcome
from coupling.progress import ctrl_c_noticed
from coupling.record import Lateness

_SLICE = 0.05
"""Seconds of sleep between two looks at requests to end."""
_LEAST, _WIDTH = 1e-7, math.log(1.01)
"""The upper end in s of the first class of delays, and the logarithm of the ratio of two ends that follow."""
_CLASSES = 2_600
"""Number of these classes; the last one begins after several hours."""


class Clock:
    """Wall clock of a run. It says when a point is due, waits for it, and counts delays by classes, in memory that does not grow."""

    def __init__(self, on_late: str, stopped: Callable[[], bool] = lambda: False) -> None:
        """Takes the treatment of late points, and a function that says whether a wait has to end early."""
        self._on_late, self._stopped = on_late, stopped
        self._start: tuple[float, float] | None = None
        """A time of the run, and the time of the clock at which it is due."""
        self._factor, self._reached = 1.0, -math.inf
        self._points = self._late = 0
        self._worst = self._behind = self._lost = 0.0
        self._delays = np.zeros(_CLASSES, dtype=np.int64)
        self.stopped_at: tuple[float, float] | None = None
        """The time of the run, and the delay, at which a late point has ended it."""

    def begin(self, time: float, factor: float) -> None:
        """Begins a piece at a time of the run. The time is due now, if it is not the end of the last piece at the same factor."""
        if self._start is None or time != self._reached or factor != self._factor:
            self._start, self._factor = (time, monotonic()), factor

    def wait(self, time: float) -> bool:
        """Waits until a time of the run is due. Says whether the run may go on; a late point may end it."""
        assert self._start
        began, origin = self._start
        due, now = origin + (time - began) / self._factor, monotonic()
        late = now > due
        while now < due:
            if self._stopped() or ctrl_c_noticed():
                return True
            now = sleep_until(min(due, now + _SLICE))
        self._reached, self._behind = time, max(0.0, now - due)
        self._points += 1
        self._worst = max(self._worst, self._behind)
        self._delays[_class_of(self._behind)] += 1
        if not late:
            return True
        self._late += 1
        if self._on_late == "warn":
            self._lost += self._behind
            self._start = time, now
        if self._on_late == "stop":
            self.stopped_at = time, self._behind
        return self._on_late != "stop"

    @property
    def lateness(self) -> Lateness | None:
        """The delays so far; None without points."""
        if not self._points:
            return None
        reached = int(np.searchsorted(np.cumsum(self._delays), 0.999 * self._points))
        return Lateness(self._points, self._late, self._worst, min(self._worst, _LEAST * math.exp(_WIDTH * reached)))

    def warnings(self) -> Iterator[str]:
        """Yields a warning of a clock that has waited for the run, or has gone on without it."""
        remedy = "choose evaluation='compiled', longer pieces or a smaller real_time"
        if self._late and self._on_late == "warn":
            yield f"in real time, {self.lateness}; the clock has waited {self._lost:.3g} s for the run (on_late = 'warn'): {remedy}"
        if self._late and self._on_late == "catch-up" and self._behind > _SLICE:
            yield f"in real time, {self.lateness}; the run ended {self._behind:.3g} s later than the clock (on_late = 'catch-up'): {remedy}"


def _class_of(delay: float) -> int:
    return min(_CLASSES - 1, math.ceil(math.log(delay / _LEAST) / _WIDTH)) if delay > _LEAST else 0


def first_pause(run: Run) -> Pause:
    """Returns the first pause of a run without a user who advances it: its start if the run is in real time, and none otherwise."""
    return Pause(-math.inf, clock=Clock(run.on_late)) if run.real_time else Pause()


def in_time(integration: Integration, session: Session) -> Integration:
    """Runs an integration, by the wall clock if the run asks for that and no user advances it piece by piece."""
    pause, run = session.running.pause, session.run
    if run.real_time and pause.clock and not run.is_open:
        outcome = yield from _waiting(integration, run, run.real_time, pause.clock)
    else:
        outcome = yield from integration
    clock = pause.clock
    if clock is None:
        return outcome
    outcome.warnings += clock.warnings()
    return _late(outcome, clock, *clock.stopped_at) if clock.stopped_at else outcome


def _waiting(integration: Integration, run: Run, factor: float, clock: Clock) -> Integration:
    """Takes an integration from one point to the next. It waits for the clock at each, and yields nothing."""
    times = run.times()
    try:
        paused = next(integration)
        clock.begin(paused.time, factor)
        for point, until in _points(run, times):
            if point <= paused.time:
                continue
            paused = _advanced(integration, paused, point, times[(times > paused.time) & (until >= times)])
            if not clock.wait(paused.time):
                integration.send(Status.DONE)
            if ctrl_c_noticed():
                integration.throw(KeyboardInterrupt())
        _advanced(integration, paused, math.inf, times[times > paused.time])
    except StopIteration as end:
        outcome: Outcome = end.value
        if outcome.completed and clock.stopped_at is None and run.stop_time > run.start_time:
            clock.wait(run.stop_time)
        return outcome
    raise AssertionError("a run that was to end has paused")
    yield  # it is a generator, as every integration


def _points(run: Run, times: np.ndarray) -> Iterator[tuple[float, float]]:
    """Yields the points at which a run waits, and the time of the last row up to there. Steps of fixed size end as without the clock."""
    size = run.index3.step_size if run.index3 else run.communication_step
    if not size:
        yield from zip(times.tolist(), times.tolist(), strict=True)
        return
    numbers = np.ceil((times - run.start_time) / size - 1e-6)
    last = np.append(numbers[1:] != numbers[:-1], True)
    for number, time in zip(numbers[last].tolist(), times[last].tolist(), strict=True):
        yield min(run.start_time + number * size, run.stop_time), time


def _advanced(integration: Integration, paused: Paused, point: float, rows: np.ndarray) -> Paused:
    """Advances to a point, with rows at these times."""
    status = paused.pause_at(point, rows)
    return integration.send(None if status is Status.DONE else status)


def _late(outcome: Outcome, clock: Clock, time: float, delay: float) -> Outcome:
    """Returns the outcome of a run that a late point has ended."""
    sentence = (
        f"stopped at t = {time:.9g} s, {1e3 * delay:.3g} ms later than the wall clock (on_late = 'stop'); choose evaluation='compiled', longer "
        f"pieces, a smaller real_time, or on_late='catch-up'. {KEPT}"
    )
    outcome.ending, outcome.sentence = Ending.LATE, sentence
    return outcome
