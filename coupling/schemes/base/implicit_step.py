"""Implicit steps: each is repeated from saved states until the constraints hold at its end.

Every input goes over the step linearly, from what arrives at its beginning to what arrives at its end. How constraints at the end answer
to multipliers is known from the residuals' Jacobian, since a force that is constant for a time h moves a point by h^2/2 and its velocity
by h times the acceleration; where FMUs do not tell accelerations it is found by steps with multipliers moved a little. How inputs answer to
each other, and all that derivatives do not tell, is learned from one repetition to the next, and from step to step.
"""

from __future__ import annotations

import numpy as np

from coupling.live.constraints import Levels, constraints_of
from coupling.live.interval import Interval
from coupling.live.session import Session
from coupling.options import Run
from coupling.outcome import Outcome
from coupling.plan.capabilities import most_degrees, unable
from coupling.schemes.base import failures
from coupling.schemes.base.communication import run_communication_steps
from coupling.schemes.base.constraint_level import ConstraintLevel
from coupling.schemes.base.loop_newton import LoopNewton
from coupling.schemes.base.prediction import MOST_POINTS, Point, Predictor
from coupling.schemes.base.quasi_newton import FixedPoint
from coupling.schemes.base.response import Response
from coupling.schemes.base.scheme import Scheme
from coupling.schemes.base.stepper import CouplingStopped, require

MOST_REPETITIONS = 30
CONSTRAINT_TOLERANCE = 5e-11
"""How well constraints hold at the end of a step, in their units."""
INPUT_TOLERANCE, LOOP_TOLERANCE = 1e-7, 1e-12
"""By how much inputs at the end of a step may still move, relative to their size: ordinary ones, and those that depend on themselves."""
LEAST_SIZE = 1e-3
"""The least size that an input is taken to have, relative to the greatest that it has had: where it crosses 0, rounding still moves it."""
MOST_GAIN, MOST_SINGLE_GAIN = 3.0, 20.0
"""How strongly inputs may answer to themselves over a step, twice in a row and once: a mass on a spring swings up from 2 on."""
NOISE_OF_INPUTS = 1e4
PATIENCE = 3
"""Repetitions without progress after which it is looked again at how constraints answer."""


class ImplicitScheme(Scheme):
    """Couples by implicit steps that enforce constraints at one level, or at both."""

    repeats = True

    def __init__(self, level: ConstraintLevel) -> None:
        self.level, self.refused_controls, self.loose = level, level.refused_controls, level.loose

    def couple(self, session: Session, run: Run, interval: Interval | None) -> Outcome:
        irreversible = unable(session.built, "save_state")
        if irreversible:
            raise failures.not_repeatable(scheme=run.scheme, instances=irreversible)
        refusal = self.level.refusal(session)
        if refusal:
            raise refusal
        stepper = ImplicitStepper(self.level, session, interval)
        return run_communication_steps(stepper, scheme=self, session=session, run=run, interval=interval)


class ImplicitStepper:
    """Makes one implicit step after another.

    Multipliers have a row for the beginning and one for the end of a step, their moves a row for each unknown of the level.
    """

    order, extrapolation = 2, 0

    def __init__(self, level: ConstraintLevel, session: Session, interval: Interval | None) -> None:
        self.level, self.session, self.interval, self.kernel = level, session, interval, session.kernel
        self.constraints = constraints_of(session)
        self.violations = Levels(session, self.constraints)
        self.holonomic = np.array([c.position is not None for c in self.constraints], dtype=bool)
        self.enforced = level.enforced(self.holonomic)
        self.slots = np.array([session.schedule.loops[c.loop].first + c.place for c in self.constraints], dtype=int)
        self.loops = LoopNewton(session, self.constraints)
        self.response = Response(self.loops.unknown, self.enforced, level.unknowns)
        self.no_move = np.zeros((level.unknowns, len(self.constraints)))
        self.fixed_point = FixedPoint()
        self.free = np.full(len(self.constraints), not level.continuous)
        """Multipliers that may move at the beginning of the present step, too; continuous ones only where none are known there."""
        cut = _cut_inputs(session)
        self.loops_cut = bool(cut.any())
        self.tolerance = np.where(cut, LOOP_TOLERANCE, INPUT_TOLERANCE)
        self.greatest = np.zeros(len(self.tolerance))
        """The greatest size that each input has had."""
        own = {i for i, part in enumerate(session.built.parts) if part.step}
        addresses = [*session.schedule.arriving, *session.schedule.fed]
        self.still = np.array([not most for most in most_degrees(session.built)], dtype=bool) | np.array(
            [a.part in own for a in addresses], dtype=bool
        )
        """Inputs that keep their values over each step."""
        self.predictor = Predictor()
        self.forces = np.zeros(len(self.constraints))
        """The greatest size that each multiplier has had."""
        self.noise = max(CONSTRAINT_TOLERANCE, session.run.rtol)
        """To how much instances can be expected to answer evenly to small changes: their own tolerance."""
        self.past: tuple[Point, ...] = ()
        """The last points, the present one first."""
        self.before: np.ndarray | None = None
        """The multipliers at the beginning of the last step."""

    # -- a point -------------------------------------------------------------------------------------------------------

    def begin(self, restart: bool) -> None:
        """Notes a point. After the start and after an event multipliers are solved for, where a Jacobian tells how."""
        kernel = self.kernel
        if restart:
            self.loops.solve_point()
            self.past, self.before = (), None
            self.predictor.forget()
        if self.level.continuous:
            if self.free.any():
                self.response.matrix = self.response.matrix / 2  # from constant multipliers to such that are linear
            self.free[self.response.constraints] = restart
        point = Point(time=kernel.time, multipliers=kernel.slots[self.slots], inputs=kernel.arriving, before=self.before)
        self.past = (point, *self.past[: MOST_POINTS - 1])
        self.predictor.compare(point)
        self.greatest = np.maximum(self.greatest, np.abs(point.inputs))

    # -- a step --------------------------------------------------------------------------------------------------------

    def step(self, h: float) -> float:
        """Takes the system a step further, or to an event before; returns the time reached. Ends with the instances there."""
        try:
            return self._solve(h)
        except (failures.StepUnsolved, CouplingStopped):
            self.fixed_point.reset()  # what failed is no lesson
            raise

    def _solve(self, h: float) -> float:
        kernel, t = self.kernel, self.past[0].time
        require(kernel.save(0))
        multipliers, ends = self._predict(t + h)
        if self.response:
            if not self.response.known:
                self._find_response(h, multipliers, ends)
            self.response.rescale(h)
        best, kept, stuck = np.inf, (multipliers, ends), 0
        self.fixed_point.begin()
        for repetition in range(MOST_REPETITIONS):
            violations = self._repeat(h, multipliers, ends)
            early = kernel.counts.earliest
            if early < t + h:
                return self._step_to(early)
            worst = float(np.abs(violations[self.enforced]).max(initial=0.0) / CONSTRAINT_TOLERANCE)
            if repetition == 0:  # constraints at the end answer by their gradients there
                self.loops.linearise()
            moved = multipliers.copy()
            if worst > 1:
                self._add(moved, self._newton(h, violations))
            arrived = np.where(self.still, ends, self._arriving(t + h, moved[1]))
            size = np.maximum.reduce([np.abs(arrived), np.abs(self.past[0].inputs), LEAST_SIZE * self.greatest])
            settled = np.abs(arrived - ends) <= self.tolerance * size + LOOP_TOLERANCE
            if worst <= 1 and settled.all():
                self.before = multipliers[0]
                return t + h
            stuck = stuck + 1 if worst >= max(best, 1) else 0
            if worst < best:
                best, kept = worst, (multipliers, ends)
            if stuck > PATIENCE and best * CONSTRAINT_TOLERANCE <= self.noise and settled_to(arrived - ends, size, self.noise):
                return self._accept(h, *kept)
            if stuck > PATIENCE and repetition < MOST_REPETITIONS - 1:
                if self.response:
                    self._find_response(h, moved, arrived)
                self.fixed_point.reset()
                stuck = 0
            value = np.concatenate([moved.ravel(), arrived])
            found, ends = self._split(self.fixed_point.next(np.concatenate([multipliers.ravel(), ends]), value, self._scale(moved)))
            multipliers = found if worst > 1 else moved
            self._check_gains(h, np.abs(arrived - ends) / np.maximum(size, LOOP_TOLERANCE))
        require(kernel.restore(0))
        raise self._unsolved(h, violations)

    def _accept(self, h: float, multipliers: np.ndarray, ends: np.ndarray) -> float:
        """Takes the step once more as it was best: constraints hold as well as the instances' own errors let them."""
        self._repeat(h, multipliers, ends)
        self.before = multipliers[0]
        return self.past[0].time + h

    def _split(self, unknowns: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Multipliers and inputs."""
        multipliers, ends = np.split(unknowns, [2 * len(self.constraints)])
        return multipliers.reshape(2, -1), ends

    def _scale(self, multipliers: np.ndarray) -> np.ndarray:
        """The size of each unknown: the greatest that it has had, but no less than a share of the greatest of all of its kind."""
        self.forces = np.maximum(self.forces, np.abs(multipliers).max(axis=0))
        sizes = [np.maximum(each, LEAST_SIZE * each.max(initial=0.0)) for each in (self.forces, self.forces, self.greatest)]
        return np.where((scale := np.concatenate(sizes)) > 0, scale, 1.0)

    def _check_gains(self, h: float, moves: np.ndarray) -> None:
        """Refuses a coupling that answers to itself so strongly that the scheme would be unstable, whether its equations can be solved or not."""
        gains = self.fixed_point.gains
        strong = bool(gains) and (gains[-1] > MOST_SINGLE_GAIN or (len(gains) > 1 and min(gains) > MOST_GAIN))
        if strong and not len(self.constraints) and not self.loops_cut:
            require(self.kernel.restore(0))
            part, _, reference = [*self.session.schedule.arriving, *self.session.schedule.fed][int(moves.argmax())]
            raise failures.diverging(t=self.past[0].time, h=h, name=self.session.named(part, reference), gain=gains[-1])

    def _step_to(self, early: float) -> float:
        """Takes the step anew, to the time at which an instance has ended its own."""
        kernel = self.kernel
        require(kernel.restore(0))
        kernel.set_align(False)
        try:
            return self.step(early - self.past[0].time)
        finally:
            kernel.set_align(True)

    def _predict(self, end: float) -> tuple[np.ndarray, np.ndarray]:
        """Multipliers, and inputs at the end of the step, as they go on from the last points."""
        last, ends = self.predictor.predict(end, self.past)
        first = self.level.at_beginning(end, self.past[: self.predictor.count], last, self.holonomic)
        return np.array([first, last]), ends

    def _repeat(self, h: float, multipliers: np.ndarray, ends: np.ndarray) -> np.ndarray:
        """Takes the step with multipliers and inputs as supposed; returns the violations at its end."""
        kernel, begins, t = self.kernel, self.past[0].inputs, self.past[0].time
        require(kernel.restore(0))
        if self.free.any():
            begins = self._arriving(t, multipliers[0])
        ends = np.where(self.still, begins, ends)
        kernel.value[:], kernel.slope[:], kernel.curve[:] = begins, (ends - begins) / h, 0
        require(kernel.step(t, h, 1, False))
        if self.interval and not kernel.counts.earliest < t + h:
            require(self.interval.advance(t, h), self.interval.session)
        require(kernel.get_outputs())
        self._arriving(t + h, multipliers[1])
        return np.array(self.violations.now())

    def _arriving(self, t: float, multipliers: np.ndarray) -> np.ndarray:
        """What arrives at the inputs at a time, with these multipliers."""
        self.kernel.slots[self.slots] = multipliers
        require(self.kernel.evaluate_point(t))
        return self.kernel.arriving

    # -- how multipliers move ------------------------------------------------------------------------------------------

    def _newton(self, h: float, violations: np.ndarray) -> np.ndarray:
        move = np.zeros_like(self.no_move)
        self.loops.newton(self.level.newton, violations=violations, holonomic=self.holonomic, h=h, move=move)
        if self.response:
            self.response.newton(violations, move)
        return move

    def _add(self, multipliers: np.ndarray, move: np.ndarray) -> None:
        np.add(multipliers[0], move[0], out=multipliers[0], where=self.free)
        multipliers[1] += move[-1]

    def _find_response(self, h: float, multipliers: np.ndarray, ends: np.ndarray) -> None:
        """Finds how constraints answer to multipliers where no Jacobian tells."""
        t = self.past[0].time
        violations = self._repeat(h, multipliers, ends)
        arrived = self._arriving(t + h, multipliers[1])

        def moved(move: np.ndarray) -> np.ndarray:
            trial = multipliers.copy()
            self._add(trial, move)
            return self._repeat(h, trial, ends + self._arriving(t + h, trial[1]) - arrived)

        if not self.response.find(moved, h=h, multipliers=multipliers, violations=violations, move=self.no_move):
            constraints = (self.constraints[i] for i in self.response.constraints)
            raise failures.multipliers_without_effect(t=t, names=[self.session.named(c.part, c.multiplier.reference) for c in constraints])

    # -- failure -------------------------------------------------------------------------------------------------------

    def _unsolved(self, h: float, violations: np.ndarray) -> failures.StepUnsolved:
        t, sizes = self.past[0].time, np.where(self.enforced, np.abs(violations), 0.0)
        violation = sizes.max(initial=0.0)
        if not violation > CONSTRAINT_TOLERANCE:
            return failures.inputs_unsettled(t=t, h=h, repetitions=MOST_REPETITIONS)
        level, number = np.unravel_index(sizes.argmax(), sizes.shape)
        constraint = self.constraints[number]
        address = (constraint.position if level == 0 else None) or constraint.velocity
        name = self.session.named(address.part, address.reference)
        graph, parts = self.session.schedule.graph, self.session.built.parts
        sources = {source.part for target, given in graph.wires.items() if target.part == constraint.part for source in given}
        others = [parts[i].name for i in sorted(sources) if parts[i].stepped]
        return failures.constraint_unsolved(
            t=t, h=h, repetitions=MOST_REPETITIONS, name=name, violation=violation, noise=self.noise, others=others
        )


def settled_to(moves: np.ndarray, size: np.ndarray, noise: float) -> bool:
    """Whether inputs are at rest but for noise, of which multipliers show more than what they keep."""
    return bool((np.abs(moves) <= NOISE_OF_INPUTS * noise * np.maximum(size, 1.0)).all())


def _cut_inputs(session: Session) -> np.ndarray:
    """Which inputs depend on themselves at once, by a loop that is cut."""
    cut = {a for loop in session.schedule.loops if loop.torn for a in (session.schedule.graph.addresses[n] for n in loop.members)}
    return np.array([a in cut for a in [*session.schedule.arriving, *session.schedule.fed]], dtype=bool)
