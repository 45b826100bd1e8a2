"""Implicit steps: the kernel repeats each until the constraints hold at its end; see ``implicit.c``.

If no Jacobian gives the response of constraints at the end of a step to multipliers, steps with multipliers moved a little find it.
"""

from __future__ import annotations

import numpy as np

from coupling.kernel.cosimulation.implicit import ConstraintStructure, Ending, Implicit
from coupling.live.checkpoints import Kept
from coupling.live.constraints import constraints_of, violations_of
from coupling.live.interval import Interval
from coupling.live.pausing import Integration
from coupling.live.scales import scales
from coupling.live.session import Session
from coupling.options import Run
from coupling.plan.cosimulation.capabilities import most_degrees, unable
from coupling.schemes.base import failures
from coupling.schemes.base.communication import run_communication_steps
from coupling.schemes.base.constraint_level import ConstraintLevel
from coupling.schemes.base.held_loops import HeldLoops
from coupling.schemes.base.response import Response
from coupling.schemes.base.scheme import CouplingScheme
from coupling.schemes.base.stepper import CouplingStopped, require

MOST_REPETITIONS = 30
INPUT_TOLERANCE, LOOP_TOLERANCE = 1e-7, 1e-12
"""Tolerances of inputs at the end of a step, relative to their size: of ordinary inputs, and of inputs that depend on themselves."""


class ImplicitScheme(CouplingScheme):
    """Couples by implicit steps that enforce constraints at one level, or at both."""

    repeats = True

    def __init__(self, level: ConstraintLevel) -> None:
        self.level, self.refused_controls, self.loose = level, level.refused_controls, level.loose

    def couple(self, session: Session, run: Run, interval: Interval | None) -> Integration:
        irreversible = unable(session.built, "save_state")
        if irreversible:
            raise failures.not_repeatable(scheme=run.coupling.name, instances=irreversible)
        refusal = self.level.refusal(session)
        if refusal:
            raise refusal
        stepper = ImplicitStepper(self.level, session, interval)
        return run_communication_steps(stepper, scheme=self, session=session, run=run, interval=interval)


class ImplicitStepper:
    """Makes one implicit step after another."""

    order, extrapolation, lone = 2, 0, False
    kept = ("free",)

    def __init__(self, level: ConstraintLevel, session: Session, interval: Interval | None) -> None:
        self.level, self.session, self.kernel = level, session, session.kernel
        self.constraints = constraints_of(session)
        self.loops = HeldLoops(session, self.constraints)
        holonomic = np.array([c.position is not None for c in self.constraints], dtype=bool)
        self.enforced = level.enforced(holonomic)
        self._sizes = scales(session, [c.position or c.velocity for c in self.constraints])
        forces = scales(session, [c.multiplier for c in self.constraints], forces=True)
        self.response = Response(np.flatnonzero(~self.loops.known), self.enforced, self._sizes, forces)
        self.free = np.full(len(self.constraints), not level.continuous)
        """Multipliers that may move at the beginning of the present step, too; continuous ones only where none are known there."""
        self.noise = max(level.tolerance, session.run.rtol)
        """Noise in the response of instances to small changes: their own tolerance."""
        self.inputs = [*session.schedule.arriving, *session.schedule.fed]
        cut = _cut_inputs(session)
        own = {i for i, part in enumerate(session.built.parts) if part.step}
        described = zip(self.constraints, holonomic, self.loops.known, strict=True)
        self.steps = Implicit(
            session.kernel,
            level.structure,
            [ConstraintStructure(c.loop, c.place, bool(by_position), bool(known)) for c, by_position, known in described],
            violations_of(session, self.constraints),
            enforced=self.enforced,
            tolerance=np.where(cut, LOOP_TOLERANCE, INPUT_TOLERANCE),
            constraint_size=self._sizes,
            input_size=scales(session, self.inputs, forces=True),
            still=np.array(
                [not most or a.part in own for most, a in zip(most_degrees(session.built), self.inputs, strict=True)], dtype=bool
            ),
            movable=self.free,
            responding=self.response.constraints,
            between=None if interval is None else lambda t, h: require(interval.advance(t, h), interval.session),
            constraint_tolerance=level.tolerance,
            rounding=LOOP_TOLERANCE,
            noise=self.noise,
            most_repetitions=MOST_REPETITIONS,
            watches_gain=not self.constraints and not cut.any(),
        )
        self.free = self.steps.movable

    @property
    def beside(self) -> tuple[Kept, ...]:
        """Data that a checkpoint keeps beside the kernel."""
        return self, self.response

    @property
    def past(self) -> np.ndarray:
        """Data of the last points."""
        return self.steps.past

    @past.setter
    def past(self, past: np.ndarray) -> None:
        self.steps.past = past

    def begin(self, restart: bool) -> None:
        """Notes a point. After the start and after an event it solves for multipliers, if a Jacobian gives their effect."""
        if restart:
            self.loops.solve_point()
        if self.level.continuous:
            if self.free.any():
                self.response.scale(0.5)  # from constant multipliers to such that are linear
            self.free[self.response.constraints] = restart
        self.steps.note(restart)

    def step(self, h: float) -> float:
        """Takes the system a step further, or to an event before; returns the time reached. Ends with the instances there."""
        try:
            return self._solve(h)
        except (failures.StepUnsolved, CouplingStopped):
            self.steps.forget()  # what failed is no lesson
            raise

    def _solve(self, h: float) -> float:
        t = self.kernel.time
        require(self.steps.start(h))
        if self.response:
            if not self.response.known:
                self._find_response(t, h, self.steps.unknowns)
            self.response.rescale(h)
            self.steps.set_response(self.response.moves)
        while True:
            status, ending, end = self.steps.go_on()
            require(status)
            match ending:
                case Ending.SETTLED:
                    return t + h
                case Ending.EARLY:
                    return self._step_to(t, end.reached)
                case Ending.STUCK:
                    self._find_response(t, h, self.steps.found)
                    self.steps.set_response(self.response.moves)
                case Ending.DIVERGING:
                    part, _, reference = self.inputs[end.input]
                    raise failures.diverging(t=t, h=h, name=self.session.named(part, reference), gain=end.gain)
                case Ending.UNSETTLED:
                    raise self._unsolved(t, h)

    def _step_to(self, t: float, early: float) -> float:
        """Takes the step anew, to the time at which an instance has ended its own."""
        require(self.kernel.restore(0))
        self.kernel.set_align(False)
        try:
            return self.step(early - t)
        finally:
            self.kernel.set_align(True)

    def _find_response(self, t: float, h: float, unknowns: np.ndarray) -> None:
        """Finds the response of constraints to multipliers without a Jacobian."""
        multipliers, ends = (each.copy() for each in np.split(unknowns, [self.enforced.size]))
        multipliers = multipliers.reshape(2, -1)
        violations = self._repeat(multipliers, ends).copy()
        arrived = self.kernel.arriving

        def moved(move: np.ndarray) -> np.ndarray:
            trial = multipliers + move * [self.free, np.ones_like(self.free)]
            return self._repeat(trial, ends + self._arriving(t + h, trial[1]) - arrived)

        if not self.response.find(moved, h=h, multipliers=multipliers, violations=violations):
            constraints = (self.constraints[i] for i in self.response.constraints)
            raise failures.multipliers_without_effect(t=t, names=[self.session.named(c.part, c.multiplier.reference) for c in constraints])

    def _repeat(self, multipliers: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Takes the step with multipliers and inputs as supposed; returns the violations at its end."""
        require(self.steps.repeat(np.concatenate([multipliers.ravel(), ends])))
        return self.steps.violations

    def _arriving(self, t: float, multipliers: np.ndarray) -> np.ndarray:
        """Returns the values at the inputs at a time, with these multipliers."""
        require(self.steps.arrive(t, multipliers))
        return self.kernel.arriving

    def _unsolved(self, t: float, h: float) -> failures.StepUnsolved:
        sizes = np.where(self.enforced, np.abs(self.steps.violations) / self._sizes, 0.0)
        if not sizes.max(initial=0.0) > self.level.tolerance:
            return failures.inputs_unsettled(t=t, h=h, repetitions=MOST_REPETITIONS)
        level, number = np.unravel_index(sizes.argmax(), sizes.shape)
        constraint, violation = self.constraints[number], abs(self.steps.violations[level, number])
        address = (constraint.position if level == 0 else None) or constraint.velocity
        name = self.session.named(address.part, address.reference)
        graph, parts = self.session.schedule.graph, self.session.built.parts
        sources = {source.part for target, given in graph.wires.items() if target.part == constraint.part for source in given}
        others = [parts[i].name for i in sorted(sources) if parts[i].stepped]
        return failures.constraint_unsolved(
            t=t, h=h, repetitions=MOST_REPETITIONS, name=name, violation=violation, noise=self.noise, others=others
        )


def _cut_inputs(session: Session) -> np.ndarray:
    """Returns marks of the inputs that depend on themselves at once, by a loop that is cut."""
    cut = {a for loop in session.schedule.loops if loop.torn for a in (session.schedule.graph.addresses[n] for n in loop.members)}
    return np.array([a in cut for a in [*session.schedule.arriving, *session.schedule.fed]], dtype=bool)
