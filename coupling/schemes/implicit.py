"""Implicit coupling: a step is repeated from saved states until the constraints hold at its end.

Every input goes over the step linearly, from what arrives at its beginning to what arrives at its end. The multipliers behind forces are
constant over the step (position level), continuous (velocity level), or have both their value at the beginning and at the end free
(both levels). How constraints at the end answer to multipliers is known from the residuals' Jacobian, since a force that is constant
for a time h moves a point by h^2/2 and its velocity by h times the acceleration; where FMUs do not tell accelerations it is found by
steps with multipliers moved a little, and improved from step to step (Broyden).
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from coupling.errors import BuildError
from coupling.live.capabilities import degree, unable
from coupling.live.constraints import Levels, constraints_of, unsolvable
from coupling.outcome import Outcome
from coupling.schemes.base.scheme import SCHEMES, Scheme
from coupling.schemes.base.walk import Stopped, Unsolved, done, walk

if TYPE_CHECKING:
    from coupling.live.master import Master
    from coupling.options import Run

NAMES = ("implicit", "implicit-position", "implicit-velocity")

MOST_PASSES = 30
EXACT = 5e-11
"""How well constraints hold at the end of a step, in their units."""
SETTLED, LOOPED = 1e-7, 1e-12
"""By how much inputs at the end of a step may still move, relative to their size: ordinary ones, and those that depend on themselves."""
CROSSING = 1e-3
"""The least size that an input is taken to have, relative to the greatest that it has had: where it crosses 0, rounding still moves it."""
NUDGE = 1e-3
"""By how much multipliers are moved to see how constraints answer, relative to their size."""
_MOST_POINTS = 5
PATIENCE = 3
"""Passes without progress after which that is looked at again."""


@dataclass
class _Multipliers:
    """At the beginning and at the end of a step."""

    first: np.ndarray
    last: np.ndarray

    def copy(self) -> _Multipliers:
        return _Multipliers(self.first.copy(), self.last.copy())


@dataclass
class _Point:
    """A point that the system has been at."""

    time: float
    first: np.ndarray | None
    """The multipliers at the beginning of the step that led there; None at a start."""
    last: np.ndarray
    inputs: np.ndarray


class Implicit:
    """One implicit step after another."""

    order, extrapolation = 2, 0

    def __init__(self, name: str, master: Master) -> None:
        self.name, self.master = name, master
        assert master.kernel
        self.kernel = master.kernel
        _refuse(name, master)
        loops = master.schedule.loops
        self.constraints = constraints_of(master)
        self.levels = Levels(master, self.constraints)
        self.holonomic = np.array([c.position is not None for c in self.constraints], dtype=bool)
        self.slots = np.array([loops[c.loop].first + c.place for c in self.constraints], dtype=int)
        self.loops = sorted({c.loop for c in self.constraints})
        self.exact = [n for n in self.loops if unsolvable(master.schedule, loops[n]) is None]
        """Loops whose Jacobian tells how constraints answer to multipliers."""
        self.rows = {n: np.array([i for i, c in enumerate(self.constraints) if c.loop == n]) for n in self.loops}
        self.places = {n: np.array([self.constraints[i].place for i in self.rows[n]]) for n in self.loops}
        self.allowed = np.where(in_loops(master), LOOPED, SETTLED)
        """How much each input at the end of a step may still move."""
        self.greatest = np.zeros(len(self.allowed))
        """The greatest size that each input has had."""
        self.response = _Response(np.array([i for i, c in enumerate(self.constraints) if c.loop not in self.exact], dtype=int))
        self.learned = _Learned(len(self.constraints) * (2 if name == "implicit" else 1))
        self.tied = np.zeros(len(self.constraints), dtype=bool)
        """Multipliers that are constant over the present step, since nobody knows them at its beginning."""
        self.past: list[_Point] = []
        self.count = _MOST_POINTS
        """From how many points is extrapolated: as many as would have been best for the last step."""
        self.foreseen: tuple[float, list[np.ndarray]] | None = None
        """The end of the last step and the multipliers and inputs foreseen there, from one point, from two, and so on."""
        self.first: np.ndarray | None = None
        """The multipliers at the beginning of the last step."""
        for n in self.loops:
            self._hold(n)

    def _hold(self, n: int) -> None:
        held = np.zeros(len(self.master.schedule.loops[n].unknowns), dtype=bool)
        held[self.places[n]] = True
        self.kernel.hold(n, held)

    # -- a point -------------------------------------------------------------------------------------------------------

    def begin(self, restart: bool) -> None:
        """Notes a point. Behind the start and behind an event multipliers are solved for, where a Jacobian tells how."""
        kernel = self.kernel
        if restart:
            for n in self.exact:
                kernel.hold(n, None)
            done(kernel.evaluate_point(kernel.time))
            for n in self.exact:
                self._hold(n)
            self.past, self.first, self.foreseen = [], None, None
        if self.name == "implicit-velocity":
            if self.tied.any():
                self.response.matrix = self.response.matrix / 2  # from constant multipliers to such that are linear
            self.tied[self.response.rows] = restart
        point = _Point(kernel.time, self.first, kernel.slots[self.slots], kernel.arriving)
        self.past = [point, *self.past[: _MOST_POINTS - 1]]
        if self.foreseen and self.foreseen[0] == point.time:
            now = np.concatenate([point.last, point.inputs])
            self.count = 1 + int(np.argmin([np.abs(each - now).max(initial=0.0) for each in self.foreseen[1]]))
        self.greatest = np.maximum(self.greatest, np.abs(point.inputs))

    # -- a step --------------------------------------------------------------------------------------------------------

    def step(self, h: float) -> float:
        """Takes the system a step further, or to an event before; returns the time reached. Ends with the instances there."""
        try:
            return self._solve(h)
        except (Unsolved, Stopped):
            self.learned = _Learned(self.learned.count)  # what failed is no lesson
            raise

    def _solve(self, h: float) -> float:
        kernel, t = self.kernel, self.past[0].time
        done(kernel.save(0))
        multipliers, ends = self._guess(h)
        if len(self.response.rows):
            if not self.response.step:
                self._probe(t, h, multipliers, ends)
            self.response.rescale(h, self._powers())
        best, stuck = np.inf, 0
        self.learned.forget_last()
        for number in range(MOST_PASSES):
            violations = self._pass(t, h, multipliers, ends)
            early = kernel.counts.earliest
            if early < t + h:
                return self._step_to(early)
            off = self._off(violations)
            if number == 0:  # constraints at the end answer by their gradients there
                for n in self.exact:
                    done(kernel.linearise(n))
            move = self._newton(h, violations)
            self.learned.learn(move)
            if off > 1:
                self._add(multipliers, self.learned.improved(move))
            arrived = self._arrive(t + h, multipliers.last)
            size = np.maximum.reduce([np.abs(arrived), np.abs(self.past[0].inputs), CROSSING * self.greatest])
            settled = np.abs(arrived - ends) <= self.allowed * size + LOOPED
            if off <= 1 and settled.all():
                self.first = multipliers.first
                return t + h
            ends = arrived
            stuck = stuck + 1 if off >= best else 0
            best = min(best, off)
            if stuck > PATIENCE and number < MOST_PASSES - 1:
                if len(self.response.rows):
                    self._probe(t, h, multipliers, ends)
                self.learned, stuck = _Learned(self.learned.count), 0
        done(kernel.restore(0))
        raise Unsolved(self._sentence(t, h, violations))

    def _step_to(self, early: float) -> float:
        kernel = self.kernel
        done(kernel.restore(0))
        kernel.set_align(False)
        try:
            return self.step(early - self.past[0].time)
        finally:
            kernel.set_align(True)

    def _guess(self, h: float) -> tuple[_Multipliers, np.ndarray]:
        """Multipliers, and inputs at the end of the step, as they go on from the last points."""
        end, past = self.past[0].time + h, self.past
        ahead = _extrapolated(end, [(point.time, np.concatenate([point.last, point.inputs])) for point in past])
        self.foreseen = end, ahead
        last, ends = np.split(ahead[min(self.count, len(ahead)) - 1], [len(self.constraints)])
        if self.name == "implicit-position":
            return _Multipliers(last.copy(), last), ends
        if self.name == "implicit-velocity":
            return _Multipliers(past[0].last.copy(), last), ends
        firsts = [(point.time, point.first) for point in past[: self.count] if point.first is not None]
        first = _extrapolated(end, firsts)[-1] if firsts else past[0].last.copy()
        # A constraint of velocities determines one value a step, which is taken for both ends.
        return _Multipliers(np.where(self.holonomic, first, last), last), ends

    def _pass(self, t: float, h: float, multipliers: _Multipliers, ends: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The step with multipliers and inputs as supposed; returns the constraints at its end, at position and at velocity level."""
        kernel, begins = self.kernel, self.past[0].inputs
        done(kernel.restore(0))
        if len(self.constraints) and (self.name != "implicit-velocity" or self.tied.any()):
            begins = self._arrive(t, multipliers.first)
        kernel.value[:], kernel.slope[:], kernel.curve[:] = begins, (ends - begins) / h, 0
        done(kernel.step(t, h, 1, False))
        if self.master.interval and not kernel.counts.earliest < t + h:
            done(self.master.interval.advance(t, h), self.master.interval.master)
        done(kernel.get_outputs())
        self._arrive(t + h, multipliers.last)
        return self.levels.now()

    def _arrive(self, t: float, multipliers: np.ndarray) -> np.ndarray:
        """What arrives at the inputs at a time, with these multipliers."""
        self.kernel.slots[self.slots] = multipliers
        done(self.kernel.evaluate_point(t))
        return self.kernel.arriving

    # -- constraints ---------------------------------------------------------------------------------------------------

    def _off(self, violations: tuple[np.ndarray, np.ndarray]) -> float:
        """The worst violation of what the scheme enforces, in units of what is allowed."""
        position, velocity = violations
        enforced = {"implicit-velocity": velocity, "implicit-position": np.where(self.holonomic, position, velocity)}
        return float(np.abs(enforced.get(self.name, np.concatenate(violations))).max(initial=0.0) / EXACT)

    def _newton(self, h: float, violations: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """By how much multipliers should move: those at the beginning, where both are free, and those at the end."""
        first, last = np.zeros((2, len(self.constraints)))
        for n in self.exact:
            first[self.rows[n]], last[self.rows[n]] = self._newton_in_loop(n, h, violations)
        if len(self.response.rows):
            self.response.newton(self._of_response(violations), first, last)
        return np.concatenate([first, last]) if self.name == "implicit" else last

    def _newton_in_loop(self, n: int, h: float, violations: tuple[np.ndarray, np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        position, velocity = (level[self.rows[n]] for level in violations)
        holonomic = self.holonomic[self.rows[n]]
        places, count = self.places[n], len(self.master.schedule.loops[n].unknowns)

        def solved(right: np.ndarray) -> np.ndarray:
            """What accelerations answer to; all else in the loop follows."""
            full = np.zeros(count)
            full[places] = right
            return self.kernel.solve_linear(n, full)[places]

        if self.name == "implicit-velocity":
            return np.zeros(len(places)), -solved(velocity * (2 / h))
        if self.name == "implicit-position":
            move = -solved(np.where(holonomic, position * (2 / h**2), velocity / h))
            return move, move
        # A force from A to B moves a point by h^2 (A/3 + B/6) and its velocity by h (A + B)/2.
        mean = -solved(velocity / h)
        half = solved(np.where(holonomic, 6 * position / h**2 - 3 * velocity / h, 0.0))
        if not holonomic.all():  # what a velocity tells is one value, the same from A to B
            columns = np.column_stack([solved(unit) for unit in np.eye(len(places))[~holonomic]])
            half -= columns @ np.linalg.lstsq(columns[~holonomic], half[~holonomic], rcond=None)[0]
        return mean - half, mean + half

    def _add(self, multipliers: _Multipliers, move: np.ndarray) -> None:
        count = len(self.constraints)
        multipliers.last += move[-count:] if count else 0
        multipliers.first[self.tied] += move[self.tied] if self.tied.any() else 0
        if self.name == "implicit-position":
            multipliers.first += move
        elif self.name == "implicit":
            multipliers.first += move[:count]

    # -- where no Jacobian tells ---------------------------------------------------------------------------------------

    def _of_response(self, violations: tuple[np.ndarray, np.ndarray]) -> np.ndarray:
        """The enforced violations of constraints that no Jacobian tells of."""
        rows = self.response.rows
        position, velocity = (level[rows] for level in violations)
        if self.name == "implicit-velocity":
            return velocity
        if self.name == "implicit-position":
            return np.where(self.holonomic[rows], position, velocity)
        return np.concatenate([position[self.holonomic[rows]], velocity])

    def _powers(self) -> np.ndarray:
        """The powers of the step size with which these violations grow."""
        holonomic = self.holonomic[self.response.rows]
        if self.name == "implicit-velocity":
            return np.ones(len(holonomic))
        if self.name == "implicit-position":
            return 1.0 + holonomic
        return np.concatenate([np.full(holonomic.sum(), 2.0), np.ones(len(holonomic))])

    def _probe(self, t: float, h: float, multipliers: _Multipliers, ends: np.ndarray) -> None:
        """Finds how constraints answer to multipliers, by steps with each of these moved a little."""
        response, count = self.response, len(self.constraints)
        before = self._of_response(self._pass(t, h, multipliers, ends))
        arrived = self._arrive(t + h, multipliers.last)
        size = NUDGE * max(1.0, float(np.abs([multipliers.first, multipliers.last])[:, response.rows].max()))
        free = (
            np.concatenate([response.rows[self.holonomic[response.rows]], count + response.rows])
            if self.name == "implicit"
            else response.rows
        )
        columns = []
        for place in free:
            trial, move = multipliers.copy(), np.zeros(2 * count if self.name == "implicit" else count)
            move[place] = size
            if place >= count and not self.holonomic[place - count]:
                move[place - count] = size  # constraints of velocities alone: constant over the step
            self._add(trial, move)
            moved = ends + self._arrive(t + h, trial.last) - arrived
            columns.append((self._of_response(self._pass(t, h, trial, moved)) - before) / size)
        response.step, response.free, response.matrix = h, free, np.array(columns).T
        if not np.isfinite(response.matrix).all() or not response.matrix.any():
            names = ", ".join(
                f"'{self.master.named(c.part, c.multiplier.reference)}'" for c in (self.constraints[i] for i in response.rows)
            )
            raise Unsolved(
                f"stopped at t = {t:.9g} s: constraints do not answer to {names} within a step; check what their instances are connected with"
            )

    # -- failure -------------------------------------------------------------------------------------------------------

    def _sentence(self, t: float, h: float, violations: tuple[np.ndarray, np.ndarray]) -> str:
        stopped, remedy = f"stopped at t = {t:.9g} s: ", "choose a smaller communication_step, or check whether there is a solution"
        position, velocity = violations
        off = np.where(self.holonomic, np.abs(position), 0.0) if self.name != "implicit-velocity" else np.zeros(len(velocity))
        speed = np.abs(velocity) if self.name != "implicit-position" else np.where(self.holonomic, 0.0, np.abs(velocity))
        worst = max(off.max(initial=0.0), speed.max(initial=0.0))
        if not worst > EXACT:
            return f"{stopped}what arrives at inputs at the end of a step of {h:g} s does not come to rest in {MOST_PASSES} repetitions; {remedy}"
        at_position = off.max(initial=0.0) >= speed.max(initial=0.0)
        constraint = self.constraints[int((off if at_position else speed).argmax())]
        address = constraint.position if at_position and constraint.position else constraint.velocity
        return (
            f"{stopped}'{self.master.named(address.part, address.reference)}' stays at {worst:.2g} at the end of a step of {h:g} s, after "
            f"{MOST_PASSES} repetitions; {remedy}"
        )


def _extrapolated(t: float, points: list[tuple[float, np.ndarray]]) -> list[np.ndarray]:
    """What polynomials through the first point, the first two, and so on, have at a time (Neville)."""
    times = [time for time, _ in points]
    values = [value for _, value in points]
    found = [values[0].copy()]
    for width in range(1, len(points)):
        for i in range(len(points) - width):
            a, b = times[i], times[i + width]
            values[i] = ((t - b) * values[i] - (t - a) * values[i + 1]) / (a - b)
        found.append(values[0])
    return found


@dataclass
class _Response:
    """How constraints answer to multipliers over a step of one size, as it was seen."""

    rows: np.ndarray
    """The constraints whose loops' Jacobians do not tell."""
    step: float = 0.0
    free: np.ndarray = field(default_factory=lambda: np.zeros(0, dtype=int))
    """Which entries of the multipliers, at the beginning and at the end, are the unknowns."""
    matrix: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))

    def rescale(self, step: float, powers: np.ndarray) -> None:
        """What is known of one step size tells of others."""
        self.matrix = self.matrix * ((step / self.step) ** powers)[:, None]
        self.step = step

    def newton(self, violations: np.ndarray, first: np.ndarray, last: np.ndarray) -> None:
        """Puts the moves of the multipliers in."""
        move = -np.linalg.lstsq(self.matrix, violations, rcond=1e-10)[0]
        both = np.concatenate([first, last])
        both[self.free + (0 if self.free.max() >= len(first) else len(first))] = move
        tied = np.setdiff1d(self.rows, self.free[self.free < len(first)])
        both[tied] = both[tied + len(first)]
        first[:], last[:] = np.split(both, 2)


def in_loops(master: Master) -> np.ndarray:
    """Which inputs depend on themselves at once, by a loop that is cut."""
    cut = {a for loop in master.schedule.loops if loop.torn for a in (master.schedule.graph.addresses[n] for n in loop.members)}
    return np.array([a in cut for a in [*master.schedule.arriving, *master.schedule.fed]], dtype=bool)


class _Learned:
    """By what Newton's moves have to be improved, since over a step constraints do not answer quite as the Jacobian says (Broyden)."""

    MOST = 300
    """Multipliers from which on nothing is learned: the matrix would cost more than it saves."""

    def __init__(self, count: int) -> None:
        self.count = count
        self._inverse = np.eye(count) if count <= self.MOST else None
        self._last: tuple[np.ndarray, np.ndarray] | None = None

    def forget_last(self) -> None:
        """What follows begins from another point."""
        self._last = None

    def learn(self, wanted: np.ndarray) -> None:
        """From how much is still wanted after the last move."""
        if self._inverse is None or self._last is None:
            return
        before, made = self._last
        self._last = None
        change = before - wanted
        if not made.any():
            return
        answer = self._inverse @ change
        weight = made @ answer
        if abs(weight) > 1e-12 * (made @ made):
            self._inverse += np.outer(made - answer, made @ self._inverse) / weight

    def improved(self, move: np.ndarray) -> np.ndarray:
        """The move that is made where Newton wants another."""
        made = move if self._inverse is None else self._inverse @ move
        self._last = move, made
        return made


def _refuse(name: str, master: Master) -> None:
    fixed = unable(master, "save_state")
    if fixed:
        raise BuildError(
            f"the scheme '{name}' repeats steps, but {', '.join(map(repr, fixed))} cannot save and restore its state "
            "(canGetAndSetFMUstate); choose scheme='explicit' or 'gauss-seidel', or export it with that ability"
        )

    if name != "implicit":
        return
    graph, parts = master.schedule.graph, master.built.parts
    multipliers = set(graph.algebraic)
    for address in master.schedule.arriving:
        part = parts[address.part]
        sources = [graph.node[source] for source in graph.wires.get(address, ())]
        if degree(part) == 0 and any(known in multipliers for source in sources for known in graph.before[source]):
            raise BuildError(
                f"the scheme 'implicit' has forces vary over a step such that constraints hold at both levels, but '{part.name}' holds its inputs: "
                "it offers neither canInterpolateInputs nor, in FMI 3, intermediate updates; choose 'implicit-position' or 'implicit-velocity'"
            )


def couple(name: str, master: Master, run: Run) -> Outcome:
    """Runs the system by implicit steps."""
    return walk(Implicit(name, master), master, run)


for _name in NAMES:
    SCHEMES.register(_name, Scheme(partial(couple, _name)))
