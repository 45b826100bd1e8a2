"""Solvers that take one step at a time: what belongs to a run beside the steps, such as outputs, events and how it ends.

A solver comes as a :class:`Stepper`. It sees the system through :class:`Equations`, whose functions it may call at any point; what
the system does not answer at a point is NaN, which every solver takes for a reason to come back with a smaller step.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Protocol

import numpy as np

from coupling.kernel.kernel import Status
from coupling.live.failures import outcome as outcome_of
from coupling.live.linearise import NoDerivative
from coupling.live.tolerances import state_tolerances
from coupling.outcome import Ending, Outcome
from coupling.progress import watched

if TYPE_CHECKING:
    from coupling.live.session import Session
    from coupling.options import Run

_MOST_CLOSE_EVENTS, _MOST_SHRINKING, _CLOSE_EVENTS = 200, 4, 1e-9
"""As many events in a row, each this little of the run after the one before, are chattering; and so are as many of one kind at
intervals that shrink to that. Explicit methods do as much in run.c."""
_FIRST_STEP, _LEAST_FIRST_STEP = 1e-3, 1e-12
"""The first step behind a state event is no longer than this share of the time since the last of its kind, but for the least, a share
of the run: two crossings within one step, such as those of a ball that bounces, are not seen. As in run.c."""
_ROUNDING = 2 * float(np.finfo(float).eps)


class Stepper(Protocol):
    """A solver that integrates the states of a system step by step."""

    rejected: int

    def restart(self, t: float, x: np.ndarray, limit: float, first: float) -> None:
        """Begins at a point, at which the system is evaluated, to go as far as the limit, with a first step that is no longer than given."""

    def step(self) -> float:
        """Takes a step, to the limit at most, and returns the time."""

    def state(self, t: float) -> np.ndarray:
        """The states within the last step."""


class Stopped(Exception):
    """The kernel found what no smaller step mends."""

    def __init__(self, status: Status) -> None:
        super().__init__(status.name)
        self.status = status


class GaveUp(Exception):
    """A solver cannot go on; the text says why, as a sentence without its stop."""


class Equations:
    """A system's equations as a solver calls them."""

    def __init__(self, session: Session) -> None:
        self.session, self.kernel = session, session.kernel
        self.kernel.set_fast(False)
        self.states = session.built.states

    def check(self, status: Status) -> bool:
        """Whether there are values; raises what a user's function raised, and what ends the run."""
        if status is Status.DONE:
            return True
        if self.session.raised is not None:
            raise self.session.raised
        if status is Status.RETRY:
            return False
        raise Stopped(status)

    def require(self, status: Status) -> None:
        """Where there have to be values."""
        if not self.check(status):
            raise Stopped(Status.RETRY)

    def derivatives(self, t: float, x: np.ndarray, dx: np.ndarray) -> None:
        """Of the states, all NaN where there are none."""
        if not self.check(self.kernel.derivatives(t, x, dx)):
            dx[:] = np.nan

    def arrive(self, t: float, x: np.ndarray) -> None:
        """Evaluates everything at a point that has been accepted."""
        self.require(self.kernel.evaluate(t, x))

    @property
    def present_derivatives(self) -> np.ndarray:
        return self.kernel.slots[self.session.schedule.derivatives]


def integrate(session: Session, run: Run, name: str, make: Callable[[Equations], Stepper]) -> Outcome:
    """Runs the system by a solver, of that name."""
    equations = Equations(session)
    return _Drive(equations, run, name, make(equations) if equations.states else _Nothing(run)).outcome()


class _Nothing:
    """Integrates a system without states."""

    def __init__(self, run: Run) -> None:
        self._longest, self.rejected = run.max_step, 0
        self._t = self._limit = self._first = 0.0

    def restart(self, t: float, x: np.ndarray, limit: float, first: float) -> None:
        self._t, self._limit, self._x, self._first = t, limit, x, first

    def step(self) -> float:
        self._t = min(self._limit, self._t + min(self._longest, self._first))
        self._first = np.inf
        return self._t

    def state(self, t: float) -> np.ndarray:
        return self._x


@dataclass
class _Crossing:
    """The history of one way of crossing one indicator."""

    last: float = -np.inf
    interval: float = 0.0
    shrinking: int = 0


class _Drive:
    def __init__(self, equations: Equations, run: Run, name: str, stepper: Stepper) -> None:
        self._equations, self._run, self._name, self._stepper = equations, run, name, stepper
        self._session, self._kernel = equations.session, equations.kernel
        parts = self._session.built.parts
        self._indicators = np.zeros(sum(len(part.structure.indicators) for part in parts))
        self._listens = any(part.interface.needs_completed_step for part in parts)
        self._watches = self._listens or len(self._indicators) > 0
        self._times, self._next = run.times(), 0
        self._t, self._x = run.start_time, self._session.x
        self._steps = 0
        self._close, self._last_event, self._first = 0, -np.inf, np.inf
        self._unknowns = [slot for x in self._session.schedule.loops for slot in range(x.first, x.first + len(x.unknowns))]
        self._unknowns_before = self._kernel.slots[self._unknowns]
        self._crossings: dict[tuple[int, bool], _Crossing] = defaultdict(_Crossing)

    # -- how it ends ---------------------------------------------------------------------------------------------------------------

    def outcome(self) -> Outcome:
        """Runs until it ends, and says how."""
        run, kept = self._run, "the result holds everything up to there"
        try:
            with watched(run) as show:
                self._advance(show)
        except KeyboardInterrupt:
            return Outcome(Ending.INTERRUPTED, f"interrupted at t = {self._t:.9g} s; {kept}")
        except Stopped as stop:
            return outcome_of(self._session, stop.status, self._t)
        except NoDerivative as error:
            return Outcome(
                Ending.FMU_FAILED,
                f"stopped at t = {self._t:.9g} s: {error}; choose a solver that does without derivatives, such as 'dopri5'; {kept}",
            )
        except GaveUp as error:
            return self._gave_up(str(error), kept)
        finally:
            self._session.solver_statistics = {"steps": self._steps, "rejected": self._stepper.rejected}
        if self._t < run.stop_time:
            return Outcome(
                Ending.TOO_MANY_STEPS,
                f"stopped at t = {self._t:.9g} s after max_steps = {run.max_steps} steps; raise max_steps, or loosen rtol = {run.rtol:g} or "
                f"atol; {kept}",
            )
        return outcome_of(self._session, Status.DONE, self._t)

    def _gave_up(self, why: str, kept: str) -> Outcome:
        """What the system did not answer is why; without such a thing, it is the solver's own reason."""
        if Status(self._kernel.failure.kind) is not Status.DONE:
            return outcome_of(self._session, Status.RETRY, self._t)
        return Outcome(
            Ending.SOLVER_FAILED,
            f"stopped at t = {self._t:.9g} s: {self._name} gave up: {why}{self._fastest()}; its derivative may have a singularity or a jump "
            f"without an event there, or rtol = {self._run.rtol:g} or atol be too small; {kept}",
        )

    def _fastest(self) -> str:
        with suppress(Stopped):
            self._equations.arrive(self._t, self._x)
            allowed = state_tolerances(self._session, self._run) + self._run.rtol * np.abs(self._x)
            rate = np.abs(self._equations.present_derivatives) / allowed
            return f"; '{self._session.label(int(np.argmax(rate)))}' changes fastest"
        return ""

    # -- the run -------------------------------------------------------------------------------------------------------------------

    def _advance(self, show: Callable[[float, int], None]) -> None:
        run = self._run
        self._record_until(self._t, self._constant)
        self._begin()
        while self._t < run.stop_time and self._steps < run.max_steps:
            self._step()
            show(self._t, self._steps)

    def _begin(self) -> None:
        """At the start and behind each event."""
        self._equations.arrive(self._t, self._x)
        self._read_indicators(self._indicators)
        self._time_event = self._kernel.next_time
        limit = min(self._run.stop_time, self._time_event)
        self._near = limit - self._t <= 4 * _ROUNDING * max(abs(limit), abs(self._t))
        if not self._near:
            self._stepper.restart(self._t, self._x, limit, self._first)
        self._first = np.inf

    def _step(self) -> None:
        self._kernel.failure.kind = Status.DONE
        self._unknowns_before = self._kernel.slots[self._unknowns]
        if self._near:  # an event, or the end, that follows another within rounding
            t, state = max(self._t, min(self._run.stop_time, self._time_event)), self._constant
        else:
            t, state = self._stepper.step(), self._stepper.state
            self._steps += 1
        x = state(t).copy()
        if not np.isfinite(x).all():
            raise GaveUp("it ended in numbers that are not finite")
        if self._watches and self._pass_state_event(t, x, state):
            return
        self._record_until(np.nextafter(t, -np.inf), state)
        asked = self._listens and self._complete_step(t, x)
        self._t, self._x = t, x
        if t >= self._time_event or asked:
            self._count("time_events" if t >= self._time_event else "step_events")
            self._pass_event(-1)
        else:
            self._record_until(t, state)

    def _constant(self, t: float) -> np.ndarray:
        return self._x

    def _read_indicators(self, z: np.ndarray) -> None:
        if len(z):
            self._equations.require(self._kernel.indicators(z))

    def _complete_step(self, t: float, x: np.ndarray) -> bool:
        """Tells who wants to know, after all outputs before; whether one asks for an event."""
        self._equations.arrive(t, x)
        status, asked = self._kernel.complete_step()
        self._equations.require(status)
        return asked

    def _record_until(self, t: float, state: Callable[[float], np.ndarray]) -> None:
        """The outputs that were asked for up to a time within the last step.

        A loop with several solutions is followed from the step's beginning, as in the step itself, and not back from its end.
        """
        if self._next == len(self._times) or self._times[self._next] > t:
            return
        unknowns = self._kernel.slots[self._unknowns]
        self._kernel.slots[self._unknowns] = self._unknowns_before
        while self._next < len(self._times) and self._times[self._next] <= t:
            time = float(self._times[self._next])
            self._record(time, state(time))
            self._next += 1
        self._kernel.slots[self._unknowns] = unknowns

    def _record(self, t: float, x: np.ndarray) -> None:
        self._equations.arrive(t, x)
        self._equations.require(self._kernel.record())

    # -- events --------------------------------------------------------------------------------------------------------------------

    def _count(self, name: str) -> None:
        statistics = self._kernel.statistics
        setattr(statistics, name, getattr(statistics, name) + 1)

    def _pass_state_event(self, t: float, x: np.ndarray, state: Callable[[float], np.ndarray]) -> bool:
        """Whether an indicator has left its domain in a step; if so, all that is due up to there and the event."""
        self._equations.arrive(t, x)
        before, now = self._indicators, np.zeros(len(self._indicators))
        self._read_indicators(now)
        if _crossed(before, now) < 0:
            self._indicators = now
            return False
        event, which = self._locate(t, now, state)
        x = state(event).copy()
        self._record_until(np.nextafter(event, -np.inf), state)
        self._complete_step(event, x)
        self._t, self._x = event, x
        self._count("state_events")
        self._pass_event(which)
        return True

    def _locate(self, high: float, end: np.ndarray, state: Callable[[float], np.ndarray]) -> tuple[float, int]:
        """The first time, to rounding, at which an indicator has left its domain, and which."""
        low, start, side = self._t, self._indicators, 0
        which = _crossed(start, end)
        f_low, f_high, f = start[which], end[which], np.zeros(len(start))
        resolution = _ROUNDING * max(abs(high), high - low)
        for i in range(200):
            if high - low <= resolution:
                break
            # Illinois, kept off the ends, with a bisection whenever that crawls; as in run.c.
            middle = (low + high) / 2
            if i % 4 < 3:
                secant = high - f_high * (high - low) / (f_high - f_low)
                margin = min(0.25 * (high - low), _ROUNDING / 2 * abs(high))
                middle = secant if low + margin <= secant <= high - margin else middle
            if not low < middle < high:
                break
            self._equations.arrive(middle, state(middle))
            self._read_indicators(f)
            now = _crossed(start, f)
            if now < 0:
                f_high /= 2 if side < 0 else 1
                low, f_low, side = middle, f[which], -1
            else:
                f_low = start[now] if now != which else f_low / 2 if side > 0 else f_low
                high, f_high, which, side = middle, f[now], now, 1
        return high, which

    def _endless(self, which: int) -> bool:
        """Whether events are so many, or accumulate so, that no end of them is in sight."""
        t, soon = self._t, _CLOSE_EVENTS * (self._run.stop_time - self._run.start_time)
        self._close = self._close + 1 if t - self._last_event <= soon else 0
        self._last_event = t
        if which >= 0:
            crossing = self._crossings[which, bool(self._indicators[which] > 0)]
            interval = t - max(crossing.last, self._run.start_time)
            self._first = max(_FIRST_STEP * interval, _LEAST_FIRST_STEP * (self._run.stop_time - self._run.start_time))
            crossing.shrinking = crossing.shrinking + 1 if interval < crossing.interval else 0
            crossing.interval, crossing.last = interval, t
            if crossing.shrinking >= _MOST_SHRINKING and interval <= soon:
                return True
        return self._close > _MOST_CLOSE_EVENTS

    def _pass_event(self, which: int) -> None:
        """The point itself, the event, and the point behind it."""
        kernel, equations = self._kernel, self._equations
        self._count("events")
        if self._endless(which):
            kernel.failure.index = which
            raise Stopped(Status.CHATTERING)
        equations.require(kernel.synchronise(self._t, self._x))
        self._record(self._t, self._x)
        equations.require(kernel.start_events())
        equations.require(kernel.settle(self._x))
        self._record(self._t, self._x)
        while self._next < len(self._times) and self._times[self._next] <= self._t:
            self._next += 1
        self._begin()


def _crossed(before: np.ndarray, now: np.ndarray) -> int:
    """The first indicator that has left its domain, positive or not, or -1."""
    left = np.flatnonzero((before > 0) != (now > 0))
    return int(left[0]) if len(left) else -1
