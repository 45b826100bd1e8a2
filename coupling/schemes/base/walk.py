"""From one communication point to the next, whatever makes a step: records, watches events, and controls the step size."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING, Protocol

import numpy as np

from coupling.errors import BuildError
from coupling.kernel.instance import DISCARD
from coupling.kernel.status import Status
from coupling.live.capabilities import returns_early, unable
from coupling.outcome import Ending, Outcome
from coupling.plan.graph import type_code
from coupling.progress import watched
from coupling.schemes.base.course import whole_steps

if TYPE_CHECKING:
    from coupling.fmus.fmu import Variable
    from coupling.live.master import Master
    from coupling.options import Run


class Stepper(Protocol):
    """What makes steps."""

    order: int
    """An error made in one step shrinks with one power more."""

    def begin(self, restart: bool) -> None:
        """Notes that the system is at a point; ``restart`` where nothing goes on from what was before."""

    def step(self, h: float) -> float:
        """Takes all instances a step further, or to an event before; returns the time reached."""

    past: list
    """What it remembers of former points."""
    extrapolation: int
    """The degree of the polynomials for which it needs former points."""


class Stopped(Exception):
    """The kernel cannot go on."""

    def __init__(self, status: Status, master: Master | None = None) -> None:
        self.status, self.master = status, master


class Unsolved(Exception):
    """A step that cannot be made; the text says why, and what to do."""


def done(status: Status, master: Master | None = None) -> None:
    """Stops the run unless a call of the kernel went well, or of that of another master inside."""
    if status is not Status.DONE:
        raise Stopped(status, master)


def walk(stepper: Stepper, master: Master, run: Run) -> Outcome:
    """Steps until the end."""
    kernel = master.kernel
    assert kernel
    course = _Walk(stepper, master, run)
    try:
        with watched(run) as show:
            try:
                while course.t < run.stop_time and course.steps < run.max_steps:
                    course.go_on()
                    show(course.t, course.steps)
            except KeyboardInterrupt:
                course.record_last()
                return Outcome(Ending.INTERRUPTED, f"interrupted at t = {course.t:.9g} s; the result holds everything up to there")
        status = Status.DONE if course.t >= run.stop_time else Status.PAUSED
        if status is Status.PAUSED:
            course.record_last()
    except Stopped as stopped:
        which = stopped.master or master
        assert which.kernel
        status = Status(which.kernel.failure.kind) if stopped.status is Status.RETRY else stopped.status
        return which.outcome(status, course.t)
    except Unsolved as unsolved:
        return Outcome(Ending.NOT_SOLVED, f"{unsolved}; the result holds everything up to there")
    finally:
        master.solver_statistics = {"steps": course.steps, "rejected": course.rejected}
    return master.outcome(status, course.t)


DIVISIONS = (0, 4, 12)
"""How often the first interval is halved, by the degree of extrapolation, as long as there is no past to extrapolate from."""
BEHIND_EVENTS = 6
"""The least of these behind an event."""
CLOSE = 1e-9
"""Points this close to each other, as a share of a step, are one: only rounding sets them apart."""
SAFETY, LEAST, MOST = 0.9, 0.2, 3.0
SMALLEST = 1e-9
"""Of the first step: below that the control gives up."""


class Watched:
    """What Co-Simulation instances give, but for what depends on inputs at once, by which steps are measured; where that is nothing, all."""

    def __init__(self, master: Master) -> None:
        passed_on = {(a.part, a.reference) for a in master.schedule.ended if a.type == 0}
        given: list[tuple[int, Variable, bool]] = []
        for index in master.steppers:
            fmu = master.built.parts[index].fmu
            inputs = {v.reference for v in fmu.variables.values() if v.causality == "input"}
            at_once = {u.reference for u in fmu.structure.outputs if inputs & {reference for reference, _ in u.dependencies or ()}}
            outputs = {u.reference for u in fmu.structure.outputs} | {reference for part, reference in passed_on if part == index}
            variables = [fmu.by_reference[reference] for reference in sorted(outputs)]
            scalars = [v for v in variables if v.type == "real" and not v.dimensions and type_code(v, fmu.version) == 0]
            given += [(index, v, v.reference in at_once) for v in scalars]
        chosen = [(index, v) for index, v, at_once in given if not at_once] or [(index, v) for index, v, _ in given]
        self.nominal = np.array([v.nominal for _, v in chosen])
        self._calls = [
            (master.instances[index], [v.reference for i, v in chosen if i == index])
            for index in dict.fromkeys(index for index, _ in chosen)
        ]

    def now(self) -> np.ndarray:
        """Their values."""
        return np.concatenate([np.zeros(0), *(instance.get(0, references)[1] for instance, references in self._calls)])


class _Walk:
    def __init__(self, stepper: Stepper, master: Master, run: Run) -> None:
        self.stepper, self.master, self.run = stepper, master, run
        assert master.kernel and run.communication_step
        self.kernel, self.t = master.kernel, run.start_time
        self.times = list(run.times())
        self.steps = self.rejected = self.grid = 0
        self.recorded = math.nan
        self.restart, self.division = True, 0
        self.divided = (0.0, 0.0)
        self.variable = whole_steps(master, run)
        self.h = run.communication_step if run.step_control == "fixed" else min(run.communication_step, run.max_step)
        self._refuse()
        self.kernel.set_align(self.variable and returns_early(master) and not unable(master, "save_state"))
        done(self.kernel.begin_course(run.start_time, self.h, run.stop_time, 0, False, self.variable, np.zeros(0)))
        self.kernel.set_careful()
        self._record(False)
        self.measure = {"adaptive": self._by_doubling, "power": self._by_power}.get(run.step_control)
        self.watched = Watched(master)
        self.size = self.watched.nominal
        self.greatest_power = 0.0

    def _refuse(self) -> None:
        control, master = self.run.step_control, self.master
        if control == "fixed":
            return
        rigid, fixed = unable(master, "variable_step"), unable(master, "save_state")
        if rigid:
            raise BuildError(
                f"step_control = '{control}' changes the step size, but {', '.join(map(repr, rigid))} can make steps of one size only "
                "(canHandleVariableCommunicationStepSize); use step_control='fixed'"
            )
        if fixed:
            raise BuildError(
                f"step_control = '{control}' takes steps back, but {', '.join(map(repr, fixed))} cannot save and restore its state "
                "(canGetAndSetFMUstate); use step_control='fixed'"
            )
        alternates = self.run.scheme == "implicit-position"
        if alternates or (control == "power" and self.stepper.extrapolation == 0 and self.run.scheme.startswith("implicit")):
            why = (
                "velocities alternate around the right value from step to step, which looks like an error"
                if alternates
                else "nothing is extrapolated, so that no energy is created that could tell of errors"
            )
            raise BuildError(
                f"step_control = '{control}' does not go with scheme = '{self.run.scheme}', in which {why}; use step_control='fixed'"
                + (", or scheme='implicit'" if alternates and control == "adaptive" else ", or 'adaptive'" if not alternates else "")
            )
        if control == "power" and not master.watched:
            raise BuildError(
                "step_control = 'power' needs Co-Simulation instances that are connected through ports whose power is known (planar, rotational, "
                "translational, hydraulic, electrical); use step_control='adaptive'"
            )

    # -- one step ------------------------------------------------------------------------------------------------------

    def go_on(self) -> None:
        """A step, or with control as many attempts as it takes."""
        if self.measure is None:
            self._one(self._next() - self.t)
            self._record(self.restart)
            return
        h = min(self._next() - self.t, self.run.stop_time - self.t)
        while True:
            done(self.kernel.save(1))
            kept = self.t, self.restart, list(self.stepper.past), self.steps
            reason: Exception | None = None
            try:
                error = self.measure(h)
            except (Unsolved, Stopped) as failed:
                if isinstance(failed, Stopped) and not self._too_far(failed):
                    raise
                error, reason = math.inf, failed
            order = self.stepper.order + (1 if self.measure == self._by_doubling else 0)
            factor = min(MOST, max(LEAST, SAFETY * error ** (-1 / order))) if error > 0 else MOST
            if error <= 1:
                self.h = h * factor if h * factor < self.h or h >= 0.99 * self.h else self.h
                if self.restart and self.run.communication_step:
                    self.h = min(self.h, self.run.communication_step)  # what comes behind an event is as unknown as at the start
                self.h = min(self.h, self.run.max_step)
                self._record(self.restart)
                return
            self.rejected += 1
            done(self.kernel.restore(1))
            self.t, self.restart, self.stepper.past, self.steps = kept
            h *= min(factor, 0.9) if math.isfinite(error) else LEAST
            if h < SMALLEST * (self.run.communication_step or 1.0):
                raise reason or Unsolved(
                    f"stopped at t = {self.t:.9g} s: step_control = '{self.run.step_control}' has brought the step down to {h:.2g} s without reaching "
                    f"coupling_tolerance = {self.run.coupling_tolerance:g}; loosen it, or use step_control='fixed'"
                )

    def _too_far(self, stopped: Stopped) -> bool:
        """Whether an attempt failed for no better reason than its length."""
        which = stopped.master or self.master
        assert which.kernel
        discarded = stopped.status is Status.FMU_FAILED and which.kernel.failure.status == DISCARD
        return discarded or stopped.status in (Status.RETRY, Status.NOT_FINITE, Status.NOT_SOLVED, Status.STEP_TOO_SMALL)

    def _next(self) -> float:
        """The next point: on the grid of fixed steps, or before it at an event that is foreseen."""
        run, t = self.run, self.t
        close = CLOSE * self.h
        if self.measure is None:
            while self._at(self.grid) <= t + close and self._at(self.grid) < run.stop_time:
                self.grid += 1
            goal = self._divided(self._at(self.grid))
        else:
            left = run.stop_time - t
            goal = run.stop_time if left <= 1.01 * self.h else t + (left / 2 if left < 2 * self.h else self.h)
        event = self.kernel.next_time if self.variable else math.inf
        return min(event, run.stop_time) if t < event < goal + close else goal

    def _divided(self, goal: float) -> float:
        """The first interval behind a restart is divided: into halves, the first of them again, and so on."""
        if self.restart and self.variable:
            halvings = DIVISIONS[self.stepper.extrapolation]
            if self.steps:  # behind a jump, outputs that depend on inputs at once are known by their derivatives alone
                halvings = max(halvings, BEHIND_EVENTS)
            self.division, self.divided = halvings, (self.t, goal)
        if not self.division:
            return goal
        start, end = self.divided
        self.division -= 1
        return start + math.ldexp(end - start, -self.division - 1)

    def _at(self, number: int) -> float:
        t = self.run.start_time + number * self.h
        return self.run.stop_time if t >= self.run.stop_time - 1e-9 * self.h else t

    def _one(self, h: float) -> None:
        kernel = self.kernel
        self.stepper.begin(self.restart)
        due = kernel.next_time
        reached = self.stepper.step(h)
        if due <= reached:
            kernel.announce()
        status, self.restart = kernel.point(reached)
        done(status)
        if not self.restart:
            kernel.add_up(reached - self.t)
        elif self.master.interval:
            self.master.interval.restart()
        self.t = reached
        self.steps += 1

    # -- step control --------------------------------------------------------------------------------------------------

    def _by_doubling(self, h: float) -> float:
        """One step against two of half the size, the result of which stays."""
        kernel, start, restart, past, steps = self.kernel, self.t, self.restart, list(self.stepper.past), self.steps
        self._one(h)
        end, event = self.t, self.restart
        whole = self.watched.now()
        done(kernel.restore(1))
        self.t, self.restart, self.stepper.past, self.steps = start, restart, past, steps
        self._one((end - start) / 2)
        event = event or self.restart
        if self.t < end:
            self._one(end - self.t)
        halves = self.watched.now()
        self.size = np.maximum(self.size, np.abs(halves))
        off = np.abs(whole - halves) / (2**self.stepper.order - 1)
        if event or self.restart or np.isnan(off).all():
            return 0.0
        return float(np.nanmax(off / self.size)) / self.run.coupling_tolerance  # what is no number is found where it is used

    def _by_power(self, h: float) -> float:
        """What coupling creates of energy in the step, against what the greatest power so far passes on in that time."""
        kernel, ports = self.kernel, slice(len(self.kernel.slots) - 1 - len(self.master.watched), len(self.kernel.slots) - 1)
        before = kernel.slots[ports].copy()
        self._one(h)
        created = np.abs(kernel.slots[ports] - before).sum() / h
        power = sum(abs(kernel.slots[self.master.arriving_slot(b.input)] * kernel.slots[b.output]) for b in self.master.built.bonds)
        self.greatest_power = max(self.greatest_power, power)
        return float(created / (self.run.coupling_tolerance * self.greatest_power)) if self.greatest_power > 0 else 0.0

    # -- recording -----------------------------------------------------------------------------------------------------

    def _record(self, event: bool) -> None:
        """A row at the first point at or behind each time that is asked for, and behind each event."""
        reach = self.t + CLOSE * self.h
        due = bool(self.times) and self.times[0] <= reach
        while self.times and self.times[0] <= reach:
            self.times.pop(0)
        if due or event:
            done(self.kernel.complete())
            done(self.kernel.record())
            self.recorded = self.t

    def record_last(self) -> None:
        """The last point is the one that tells most."""
        if self.recorded != self.t and self.t == self.kernel.time:
            self._record(True)
