"""Control of the size of communication steps: none, by step doubling, or by the power that coupling creates."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from typing import ClassVar

import numpy as np

from coupling.kernel.fmi.instance import DISCARD
from coupling.kernel.system.status import Status
from coupling.options import Run, Scheme
from coupling.plan.cosimulation.capabilities import unable
from coupling.schemes.base import failures
from coupling.schemes.base.observed import ObservedOutputs
from coupling.schemes.base.points import SAME_POINT, Points
from coupling.schemes.base.scheme import CouplingScheme
from coupling.schemes.base.stepper import CouplingStopped

HALVINGS = (0, 4, 12)
"""Halvings of the first interval, by the degree of extrapolation, as long as no past exists to extrapolate from."""
HALVINGS_AFTER_EVENTS = 6
"""Least number of these halvings after an event."""
SAFETY, LEAST_FACTOR, MOST_FACTOR = 0.9, 0.2, 3.0
SMALLEST_STEP = 1e-9
"""Least size of the first step: below that the control gives up."""


class StepControl(ABC):
    """Chooses the sizes of steps between the points of a run."""

    changes_steps: ClassVar[bool]
    kept: tuple[str, ...] = ()

    def __init__(self, points: Points) -> None:
        assert points.run.communication_step
        self.points, self.kernel, self.run = points, points.kernel, points.run
        self.communication_step = points.run.communication_step

    @classmethod
    def check_tolerance(cls, run: Run) -> None:
        """Refuses a tolerance that has no effect."""
        if run.coupling.tolerance != Scheme.tolerance and not cls.changes_steps:
            raise failures.tolerance_without_control(run.coupling.tolerance)

    @property
    @abstractmethod
    def first_size(self) -> float:
        """Size of steps at the start, in s."""

    @abstractmethod
    def refuse(self, scheme: CouplingScheme) -> None:
        """Raises the error for a scheme or an instance that does not suit this control."""

    @abstractmethod
    def advance(self) -> None:
        """Takes the next step, and records."""


class FixedSteps(StepControl):
    """Points on a grid, and at events that are foreseen."""

    changes_steps = False
    kept = ("_number", "_halvings", "_halved")

    def __init__(self, points: Points) -> None:
        super().__init__(points)
        self._number = 0
        self._halvings, self._halved = 0, (0.0, 0.0)

    @property
    def first_size(self) -> float:
        return self.communication_step

    def refuse(self, scheme: CouplingScheme) -> None:
        """Raises the error for a scheme that does not suit this control; every scheme suits fixed steps."""

    def advance(self) -> None:
        points = self.points
        while self._grid_point() <= points.t + SAME_POINT * points.h and self._grid_point() < self.run.stop_time:
            self._number += 1
        points.step(points.before_event(self._halve(self._grid_point())) - points.t)
        points.record(points.restart)

    def _grid_point(self) -> float:
        t, h = self.run.start_time + self._number * self.points.h, self.points.h
        return self.run.stop_time if t >= self.run.stop_time - 1e-9 * h else t

    def _halve(self, end: float) -> float:
        """Divides the first interval after a restart: into halves, the first of them again, and so on."""
        points = self.points
        if points.restart and points.any_step_size and (points.kernel.sudden or not points.steps):
            halvings = HALVINGS[points.stepper.extrapolation]
            if points.steps:  # after a jump, outputs that depend on inputs at once are known by their derivatives alone
                halvings = max(halvings, HALVINGS_AFTER_EVENTS)
            self._halvings, self._halved = halvings, (points.t, end)
        if not self._halvings:
            return end
        first, last = self._halved
        self._halvings -= 1
        return first + math.ldexp(last - first, -self._halvings - 1)


class ErrorControl(StepControl):
    """Repeats a step with another size until its error is small enough."""

    changes_steps = True
    more_order: ClassVar[int]
    """Order of the error in the step size, beyond the order of the scheme."""

    @property
    def first_size(self) -> float:
        return min(self.communication_step, self.run.max_step)

    def refuse(self, scheme: CouplingScheme) -> None:
        control, session = self.run.coupling.step_control, self.points.session
        rigid, irreversible = unable(session.built, "variable_step"), unable(session.built, "save_state")
        if rigid:
            raise failures.step_size_fixed(control=control, instances=rigid)
        if irreversible:
            raise failures.not_reversible(control=control, instances=irreversible)
        if control in scheme.refused_controls:
            raise scheme.refused_controls[control](scheme=self.run.coupling.name, control=control)

    def advance(self) -> None:
        points = self.points
        h = self._next_size()
        while True:
            points.save()
            reason: Exception | None = None
            try:
                error = self.error(h)
            except failures.StepUnsolved as unsolved:
                error, reason = math.inf, unsolved
            except CouplingStopped as stopped:
                if not self._is_too_long(stopped):
                    raise
                error, reason = math.inf, stopped
            order = points.stepper.order + self.more_order
            factor = min(MOST_FACTOR, max(LEAST_FACTOR, SAFETY * error ** (-1 / order))) if error > 0 else MOST_FACTOR
            if error <= 1:
                self._accept(h, factor)
                return
            points.rejected += 1
            points.restore()
            h *= min(factor, 0.9) if math.isfinite(error) else LEAST_FACTOR
            if h < SMALLEST_STEP * self.communication_step:
                raise reason or failures.control_gave_up(
                    t=points.t, h=h, control=self.run.coupling.step_control, tolerance=self.run.coupling.tolerance
                )

    @abstractmethod
    def error(self, h: float) -> float:
        """Takes a step of that size, and returns its error as a multiple of the tolerance."""

    def _next_size(self) -> float:
        points = self.points
        left = self.run.stop_time - points.t
        end = self.run.stop_time if left <= 1.01 * points.h else points.t + (left / 2 if left < 2 * points.h else points.h)
        return min(points.before_event(end) - points.t, left)

    def _accept(self, h: float, factor: float) -> None:
        points = self.points
        points.h = h * factor if h * factor < points.h or h >= 0.99 * points.h else points.h
        if points.restart:
            points.h = min(points.h, self.communication_step)  # what comes after an event is as unknown as at the start
        points.h = min(points.h, self.run.max_step)
        points.record(points.restart)

    def _is_too_long(self, stopped: CouplingStopped) -> bool:
        """Says whether an attempt failed only because the step was too long."""
        which = stopped.session or self.points.session
        discarded = stopped.status is Status.FMU_FAILED and which.kernel.failure.status == DISCARD
        return discarded or stopped.status in (Status.RETRY, Status.NOT_FINITE, Status.NOT_SOLVED, Status.STEP_TOO_SMALL)


class StepDoubling(ErrorControl):
    """Compares one step with two of half the size, the result of which stays."""

    more_order = 1
    kept = ("_size",)

    def __init__(self, points: Points) -> None:
        super().__init__(points)
        self._outputs = ObservedOutputs(points.session)
        self._size = self._outputs.nominal

    def error(self, h: float) -> float:
        points, start = self.points, self.points.t
        points.step(h)
        end, event = points.t, points.restart
        whole = self._outputs.now()
        points.restore()
        points.step((end - start) / 2)
        event = event or points.restart
        if points.t < end:
            points.step(end - points.t)
        halves = self._outputs.now()
        self._size = np.maximum(self._size, np.abs(halves))
        difference = np.abs(whole - halves) / (2**points.stepper.order - 1)
        if event or points.restart or np.isnan(difference).all():
            return 0.0
        return float(np.nanmax(difference / self._size)) / self.run.coupling.tolerance  # what is no number is found where it is used


class PowerControl(ErrorControl):
    """Compares the power that coupling creates in a step with the greatest so far that it has passed on."""

    more_order = 0
    kept = ("_greatest",)

    def __init__(self, points: Points) -> None:
        super().__init__(points)
        last = len(self.kernel.slots) - 1
        self._created = slice(last - len(points.session.built.watched), last)
        self._greatest = 0.0

    def refuse(self, scheme: CouplingScheme) -> None:
        super().refuse(scheme)
        if not self.points.session.built.watched:
            raise failures.power_unknown(control=self.run.coupling.step_control)

    def error(self, h: float) -> float:
        slots, session = self.kernel.slots, self.points.session
        before = slots[self._created].copy()
        self.points.step(h)
        created = np.abs(slots[self._created] - before).sum() / h
        power = sum(abs(slots[session.arriving_slot(b.input)] * slots[b.output]) for b in session.built.bonds)
        self._greatest = max(self._greatest, power)
        return float(created / (self.run.coupling.tolerance * self._greatest)) if self._greatest > 0 else 0.0


STEP_CONTROLS: dict[str, type[StepControl]] = {"fixed": FixedSteps, "adaptive": StepDoubling, "power": PowerControl}


def control_of(name: object) -> type[StepControl]:
    """Returns the step control of that name."""
    if not isinstance(name, str) or name not in STEP_CONTROLS:
        raise failures.unknown_control(name, known=STEP_CONTROLS)
    return STEP_CONTROLS[name]
