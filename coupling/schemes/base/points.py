"""The communication points of a run: takes steps between them, watches events there, and records."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from coupling.kernel.system.status import Status
from coupling.live.bounds import watch_points
from coupling.live.checkpoints import Kept
from coupling.live.interval import Interval
from coupling.live.session import Session
from coupling.options import Run
from coupling.schemes.base.course import aligns, makes_any_step
from coupling.schemes.base.stepper import CommunicationStepper, require

SAME_POINT = 1e-9
"""Distance of points, as a share of a step, below which only rounding separates them and they count as one."""


class Points:
    """Progress of a run over its communication points."""

    kept = ("t", "h", "steps", "rejected", "restart", "passed", "_recorded")

    def __init__(self, stepper: CommunicationStepper, session: Session, run: Run, interval: Interval | None) -> None:
        self.stepper, self.session, self.run, self.interval, self.kernel = stepper, session, run, interval, session.kernel
        self.t, self.h = run.start_time, 0.0
        """The present point, and the size of steps."""
        self.steps = self.rejected = 0
        self.restart = True
        """True if no past exists to continue from: at the start, and after an event."""
        self.any_step_size = makes_any_step(session, run)
        self._times = list(run.times())
        self._recorded = math.nan
        self._saved: tuple = ()

    def start(self, h: float) -> None:
        """Begins at the start, with steps of ``h`` seconds."""
        self.h = h
        self.kernel.set_align(aligns(self.session, self.any_step_size), lone=self.stepper.lone)
        require(
            self.kernel.begin_course(
                start=self.t, step=h, stop=self.run.stop_time, order=0, in_turn=False, variable=self.any_step_size, times=np.zeros(0)
            )
        )
        self.kernel.set_careful()
        watch_points(self.session)
        self.record(event=False)

    @property
    def passed(self) -> int:
        """Number of requested times that have been recorded."""
        return len(self.run.times()) - len(self._times)

    @passed.setter
    def passed(self, count: int) -> None:
        self._times = list(self.run.times()[count:])

    def before_event(self, end: float) -> float:
        """Returns the end of a step that should go to ``end``: no later than at a pause or an event that is foreseen."""
        foreseen = self.kernel.next_time, self.kernel.next_period, self.session.running.pause.time
        event = min(foreseen) if self.any_step_size else math.inf
        return min(event, self.run.stop_time) if self.t < event < end + SAME_POINT * self.h else end

    def step(self, h: float) -> None:
        """Takes a step, and passes the event at its end."""
        kernel = self.kernel
        self.stepper.begin(self.restart)
        due = kernel.next_time
        reached = self.stepper.step(h)
        if due <= reached:
            kernel.announce()
        status, self.restart = kernel.point(reached)
        require(status)
        if not self.restart:
            kernel.add_up(reached - self.t)
        elif self.interval:
            self.interval.restart()
        self.t = reached
        self.steps += 1

    def save(self) -> None:
        """Keeps the present point, for a return to it."""
        require(self.kernel.save(1))
        if self.interval:
            self.interval.save()
        self._saved = self.t, self.restart, self.stepper.past, self.steps

    def restore(self) -> None:
        """Returns to the point that was kept."""
        require(self.kernel.restore(1))
        if self.interval:
            self.interval.restore()
        self.t, self.restart, self.stepper.past, self.steps = self._saved

    def record(self, event: bool) -> None:
        """Adds a row at the first point at or after each requested time, and after each event; checks values with a range."""
        noted = self.kernel.note_point() if len(self.kernel.bounds) else Status.DONE
        reach = self.t + SAME_POINT * self.h
        due = bool(self._times) and self._times[0] <= reach
        while self._times and self._times[0] <= reach:
            self._times.pop(0)
        if due or event:
            require(self.kernel.complete())
            require(self.kernel.record())
            self._recorded = self.t
        require(noted)

    def look(self) -> None:
        """Ends the run where its condition holds."""
        require(self.kernel.look_at_point())

    def record_last(self) -> None:
        """Records the last point, which explains most."""
        if self._recorded != self.t and self.t == self.kernel.time:
            self.record(event=True)

    def jump(self) -> None:
        """Handles an event at the present point, at which inputs or parameters have jumped."""
        require(self.kernel.pass_jump_at_point())
        self.restart = True
        self.h = min(self.h, self.run.communication_step or self.h)
        if self.interval:
            self.interval.restart()
        self._recorded = self.t

    def pause_at(self, t: float, times: np.ndarray) -> None:
        """Sets the next pause, and the times of the rows up to there; without any there is a row at the pause."""
        self.session.running.pause.time = t
        self._times = list(times) if len(times) else [t]
        require(self.kernel.pause_course_at(t, times))
        if t <= self.t:
            self._times, self._recorded = [], self.t


class PausedPoints:
    """A run over communication points that waits."""

    advance = restart = None

    def __init__(self, points: Points, beside: Sequence[Kept]) -> None:
        self.session, self.beside, self._points = points.session, tuple(beside), points

    @property
    def time(self) -> float:
        return self._points.t

    @property
    def steps(self) -> int:
        return self._points.steps

    def pause_at(self, t: float, times: np.ndarray) -> Status:
        self._points.pause_at(t, times)
        return Status.DONE

    @property
    def states(self) -> np.ndarray:
        return np.array(self.session.kernel.slots[: self.session.built.states])

    def set_states(self, x: np.ndarray) -> None:
        self.session.kernel.slots[: len(x)] = x

    def jump(self) -> Status:
        self._points.jump()
        return Status.DONE
