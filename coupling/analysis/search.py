"""Search for a pose in which all joints are closed, held values are met, and guesses are as near as possible."""

from __future__ import annotations

import re
from collections.abc import Collection, Mapping, Sequence
from copy import copy
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np

from coupling.analysis.branches import Enumeration, Found, apart, enumerated, groups_of
from coupling.analysis.closing import ENOUGH, EXACT, Fit, Row, closed, dense, slid, stiffened
from coupling.analysis.coordinates import Coordinates
from coupling.analysis.positions import MANY, Network, Positions, size_of
from coupling.analysis.walk import Joint, Told, walked
from coupling.checks import names_in
from coupling.errors import BuildError, InitialStateError, shown
from coupling.live.derivatives.jacobians import motions_of, turns_of
from coupling.live.session import Session
from coupling.live.violations import Touching, constraints_at
from coupling.names import nearest, resolve
from coupling.plan.definition import Definition
from coupling.plan.graph import Address

_BUDGET, _MOST = 1000, 100_000
"""Limits of the number of solutions of groups: by default, and in any case."""
_TRIES = 30
_NEAR = 1e-3
"""Distance, in sizes, at which a walk is near enough to close the remaining gap at once."""
_SAME = 1e-4
DOUBTFUL = 0.05
"""Probability that another pose is meant, above which a warning is given."""
_MET, _FARTHER = 1e-6, 1e4
"""Greatest sum of squares, in spreads, of guesses that are met, and the factor by which those of other poses must exceed it."""
_SENSE = re.compile(r"validity\[\d+\]")

Guess = float | tuple[float, float]


@dataclass(frozen=True)
class Wish:
    """Values that the user gave beside start values, by full names."""

    hold: Mapping[str, float] = field(default_factory=dict)
    guess: Mapping[str, Guess] = field(default_factory=dict)
    velocities: Mapping[str, float] = field(default_factory=dict)
    branch: str | None = None
    alternatives: bool | None = None
    near: bool = False
    """True if the start is a pose that need only be closed again."""

    def __post_init__(self) -> None:
        for what in ("hold", "guess", "velocities"):
            if not isinstance(said := getattr(self, what), Mapping) or names_in(said) is None:
                raise BuildError(f"assemble: {what} = {shown(said)} is refused: give values by name, such as {{'crank.theta': 0.5}}")


def guesses_of(definition: Definition) -> dict[str, Guess]:
    """Returns the guesses of ``add``, by full names."""
    return {f"{each.name}.{name}": value for each in definition.instances for name, value in each.guess}


@dataclass(frozen=True)
class Target:
    """A variable with a value from the user; ``held`` unless it may move."""

    name: str
    row: Row
    held: bool


class Open(Exception):
    """The search has found no pose; it gives the start of the search and the groups that were found."""

    def __init__(self, start: np.ndarray, others: Enumeration | None) -> None:
        super().__init__()
        self.start, self.others = start, others


@dataclass(frozen=True)
class Assembled:
    """A pose, and the data of its assembly."""

    assembly: Assembly
    x: np.ndarray
    branch: str = ""
    cost: float = 0.0
    others: tuple[Found, ...] = ()
    """Other poses that fit, nearest to the guesses first."""
    complete: bool = True
    """True if the search was exhaustive: other poses could not be missed for their number."""
    sought: bool = False
    """True if other poses were sought."""
    quickened: Mapping[str, float] = field(default_factory=dict)
    """Distance that guesses of speeds were moved, in their units."""

    @property
    def margin(self) -> float:
        """Increase of the cost to the next pose, in squares of spreads."""
        return self.others[0].cost - self.cost if self.others else np.inf

    @property
    def doubt(self) -> float:
        """The probability that another pose is meant, if guesses are off by normal errors of their spreads (Bayes, all poses alike before).

        It is 0 for a pose that meets all guesses while no other pose does: errors do not vanish by chance.
        """
        if self.cost <= _MET and self.margin > _FARTHER * max(self.cost, _MET**2):
            return 0.0
        weights = np.exp(-np.array([each.cost - self.cost for each in self.others]) / 2).sum()
        return float(weights / (1 + weights))

    def changes(self) -> dict[tuple[int, str], float]:
        """Returns start values of the states that have moved."""
        session = self.assembly.session
        return {
            (i, part.fmu.by_reference[reference].name): float(self.x[part.first_state + j])
            for i, part in enumerate(session.built.parts)
            for j, reference in enumerate(part.states)
            if self.x[part.first_state + j] != session.x[part.first_state + j]
        }


class Assembly:
    """Equations of a session's positions, and the search for a pose that meets them."""

    def __init__(self, session: Session, guesses: Collection[tuple[int, str]], wish: Wish, touching: Touching) -> None:
        self.session, self.wish = session, wish
        self.x = session.x.copy()
        self.constraints = constraints_at(session, "position", touching)
        self.held = self._held(guesses)
        self.targets, self.quick = self._divided(self._targets())
        self.senses = self._senses()
        self.freedoms = [q for q, _, _ in Coordinates(session).freedoms]
        self.rows = [self.row(a) for a in self.constraints]
        outputs = [t for t in self.targets if t.held]
        self.soft = [t for t in self.targets if not t.held]
        hard, soft = [*self.rows, *(t.row for t in outputs)], [t.row for t in self.soft]
        network = Network(session, [*(row.address for row in (*hard, *soft)), *self._leaning])
        self._of = self._parts_of(network, [*hard, *soft])
        self.positions = Positions(session, self.concerned, self.held)
        self.fit = Fit(self.positions, hard, soft, self._leaning, network=network)

    # -- what was said -----------------------------------------------------------------------------------------------------------------

    def _held(self, guesses: Collection[tuple[int, str]]) -> np.ndarray:
        session = self.session
        held = np.zeros(session.built.states, dtype=bool)
        for number, (part, start) in enumerate(zip(session.built.parts, session.built.start, strict=True)):
            for i, reference in enumerate(part.states):
                name = part.fmu.by_reference[reference].name
                held[part.first_state + i] = (name in start and (number, name) not in guesses) or (
                    (number, name) in session.running.values.keys() - guesses
                )
                if part.fmu.by_reference[reference].elastic:  # forces deform a body, joints do not
                    held[part.first_state + i] = (number, name) not in guesses and f"{part.name}.{name}" not in self.wish.guess
        held[list(session.built.gauge)] = True
        return held

    def _targets(self) -> list[Target]:
        found = []
        for said, held in ((self.wish.hold, True), (self.wish.guess, False)):
            what = "hold" if held else "guess"
            for name, given in said.items():
                if not held and (name in self.wish.hold or name in self.wish.velocities):
                    raise BuildError(f"assemble: '{name}' is held and guessed; leave it out of one of the two")
                value, spread = _number(what, name, given, pair=not held)
                address = self._address(what, name)
                state = self._state(address)
                if state is not None and not held and self.held[state]:
                    raise BuildError(f"assemble: '{name}' has a start value, which is held, and a guess; leave one of the two out")
                if state is not None:
                    self.x[state] = value
                if state is not None and held:
                    self.held[state] = True
                    continue
                row = self.row(address, value)
                found.append(Target(name, row if spread is None else replace(row, scale=spread), held))
        return found

    def _divided(self, targets: list[Target]) -> tuple[list[Target], list[Target]]:
        """Divides targets into those of positions and guesses that depend on velocities; the latter choose velocities later."""
        soft = [t.row.address for t in targets if not t.held]
        rows, states = Network(self.session, soft).pattern() if soft else (np.zeros(0, dtype=int), np.zeros(0, dtype=int))
        fast = {soft[row] for row, state in zip(rows, states, strict=True) if int(state) in self.speeds}
        for address in fast:
            if (state := self._state(address)) is not None:
                self.x[state] = self.session.x[state]
        return [t for t in targets if t.row.address not in fast], [t for t in targets if t.row.address in fast]

    @cached_property
    def speeds(self) -> set[int]:
        """States that are velocities."""
        session = self.session
        return {*dict(motions_of(session)).values(), *(omega + axis for omega, _ in turns_of(session) for axis in range(3))}

    def _address(self, what: str, name: str) -> Address:
        parts = self.session.built.parts
        number = {part.name: i for i, part in enumerate(parts)}
        instance, variable = resolve(name, number)
        known = parts[number[instance]].fmu.variables if instance in number else {}
        if variable not in known:
            offered = [f"{instance}.{v.name}" for v in known.values() if v.causality in ("output", "local")] or number
            hint = nearest(name, offered) or "name a state, or an output that depends on positions, such as 'pin.rotation.q'"
            raise BuildError(f"assemble: {what}: '{name}' does not exist; {hint}")
        address = self.session.built.address(number[instance], variable)
        if self._state(address) is None and (known[variable].causality != "output" or address.type != 0):
            raise BuildError(
                f"assemble: {what}: '{name}' is neither a state nor an output that is a number; name one that is, such as 'pin.rotation.q'"
            )
        return address

    def _state(self, address: Address) -> int | None:
        part = self.session.built.parts[address.part]
        return part.first_state + part.states.index(address.reference) if address.reference in part.states else None

    def unit(self, address: Address) -> str:
        return self.session.built.parts[address.part].fmu.by_reference[address.reference].unit or ""

    def row(self, address: Address, value: float = 0.0) -> Row:
        """Returns the equation that an output has a value, whole turns aside."""
        unit = self.unit(address)
        return Row(address, value, self._size if unit in ("m", "m/s") else 1.0, unit == "rad")

    @cached_property
    def _size(self) -> float:
        return size_of(self.session)

    def _senses(self) -> list[Address]:
        parts = self.session.built.parts
        return [
            self.session.built.address(i, name)
            for i, part in enumerate(parts)
            if not part.stepped and self.session.in_force(i)
            for name, variable in part.fmu.variables.items()
            if _SENSE.fullmatch(name) and variable.type == "real"
        ]

    @property
    def _leaning(self) -> list[Address]:
        """Returns the senses of axes, which are cosines and measure how far the axes are from reversed."""
        parts = self.session.built.parts
        return [a for a in self.senses if not parts[a.part].fmu.by_reference[a.reference].unit]

    def _parts_of(self, network: Network, said: Sequence[Row]) -> dict[Address, frozenset[int]]:
        """Returns for each constraint and each given variable the instances on whose states it depends."""
        rows, states = network.pattern()
        owner = np.array([i for i, part in enumerate(self.session.built.parts) for _ in part.states], dtype=int)
        speeds = self.speeds
        places = {row.address: i for i, row in enumerate(said)}
        for target in self.targets:
            if moving := {int(s) for s in states[rows == places[target.row.address]]} & speeds:
                raise BuildError(
                    f"assemble: '{target.name}' depends on '{self.session.label(min(moving))}', a velocity; name an output that depends on positions "
                    "alone, or give velocities={...}"
                )
        self.concerned = {int(s) for s in states[rows < len(said)]} - speeds
        found: dict[Address, set[int]] = {row.address: set() for row in said}
        for row, part in zip(rows, owner[states], strict=True):
            if row < len(said):
                found[said[row].address].add(int(part))
        return {a: frozenset(parts) for a, parts in found.items()}

    # -- the search --------------------------------------------------------------------------------------------------------------------

    def found(self) -> Assembled:
        """Returns the pose that fits best; raises Open if none exists."""
        if not self.fit.hard and not self.soft:
            return Assembled(self, self.x)
        if self._as_it_is(self.x):
            return Assembled(self, self.x)
        if self.wish.near:
            x, met = closed(self.fit, self.x)
            if met and self.valid(x):
                return Assembled(self, self._unwound(x))
        start = self._walked()
        near = _NEAR * self.positions.size / self.session.length
        x, met = closed(self.fit, start) if not self.soft and self.fit.worst(start) < near else (start, False)
        if not (met and self.valid(x)):
            x, met = self._stiffened(start)
        met = met and self.valid(x)
        others = self._others(start, x if met else None)
        if not met and not (others and others.poses):
            x, met = self._elsewhere(start)
        if not met and not (others and others.poses):
            raise Open(start, others)
        return self._chosen(x if met else None, others)

    def _as_it_is(self, x: np.ndarray) -> bool:
        return not self.soft and self.fit.worst(x) <= EXACT and self.valid(x)

    def _walked(self) -> np.ndarray:
        coordinates = {a.part: a for a in self.freedoms}
        told = [Told(t.row, t.held, self._of[t.row.address]) for t in self.targets]
        by_part: dict[int, list[Row]] = {}
        for row in self.rows:
            by_part.setdefault(row.address.part, []).append(row)
        joints = []
        for part, rows in by_part.items():
            own = [a for a in self.freedoms if a.part == part] if part in coordinates else []
            parts = frozenset[int]().union(*(self._of[row.address] for row in rows))
            joints.append(Joint(tuple(rows), tuple(self.row(a, 0.0) for a in own), parts))
        return walked(self.positions, joints, told, self.x)

    def _stiffened(self, start: np.ndarray) -> tuple[np.ndarray, bool]:
        x = stiffened(self.fit, start)
        x, met = closed(self.fit, x)
        return (slid(self.fit, x, start) if self.soft else x), met

    def _others(self, start: np.ndarray, near: np.ndarray | None) -> Enumeration | None:
        asked = self.wish.alternatives
        if asked is False and near is not None and self.wish.branch is None:
            return None
        if self.positions.moves > MANY and asked is not True and near is not None:
            return None
        if self.positions.moves > 2 * MANY and asked is not True:
            return None
        self.groups = groups_of(self.fit, self._pseudo(), start)
        found = enumerated(self.positions, self.groups, start, _BUDGET if near is not None and asked is None else _MOST)
        poses = []
        for pose in found.poses:
            x, met = closed(self.fit, pose.x)
            if met and self.valid(x):
                poses.append(replace(pose, x=slid(self.fit, x, start) if self.soft else x))
        poses = [replace(pose, cost=self.fit.cost(pose.x)) for pose in poses]
        return replace(found, poses=sorted(poses, key=lambda pose: pose.cost))

    def _pseudo(self) -> list[Row]:
        """Returns the guesses in the order in which they are held to make the system square: joint coordinates, angles, places."""
        freedoms = set(self.freedoms)
        return sorted((t.row for t in self.soft), key=lambda row: (row.address not in freedoms, not row.turn))

    def _elsewhere(self, start: np.ndarray) -> tuple[np.ndarray, bool]:
        """Searches from random places, those further away last, and says whether a pose was found."""
        random, positions = np.random.default_rng(0), self.positions
        for attempt in range(1, _TRIES):
            far = np.where(positions.turns, np.pi, positions.size) * attempt / _TRIES
            x, met = self._stiffened(positions.moved(start, far * random.uniform(-1, 1, positions.moves)))
            if met and self.valid(x):
                return x, True
        return start, False

    def _chosen(self, x: np.ndarray | None, others: Enumeration | None) -> Assembled:
        poses = list(others.poses) if others else []
        if x is not None:
            cost = self.fit.cost(x)
            same = next((pose for pose in poses if apart(self.positions, pose.x, x) < _SAME), None)
            if same is None:
                poses.append(Found(x, "", cost))
            else:
                poses = [replace(pose, x=x, cost=cost) if pose is same else pose for pose in poses]
        poses.sort(key=lambda pose: pose.cost if self.soft else self._turned(pose.x))
        if self.wish.branch is not None:
            asked = [pose for pose in poses if pose.branch == self.wish.branch]
            if not asked:
                known = ", ".join(sorted({f"'{pose.branch}'" for pose in poses})) or "none"
                raise InitialStateError(
                    f"assemble: no pose has the branch '{self.wish.branch}'; the poses that fit your values have {known}"
                )
            poses = [*asked, *(pose for pose in poses if pose not in asked)]
        first = poses[0]
        return Assembled(
            self,
            self._unwound(first.x),
            first.branch,
            first.cost,
            tuple(replace(pose, x=self._unwound(pose.x)) for pose in poses[1:]),
            others.complete if others else True,
            others is not None,
        )

    def _turned(self, x: np.ndarray) -> float:
        """Returns the size of the turns of bodies from their start values. Poses that no value distinguishes are ordered by it."""
        step = self.positions.between(x, self.x)[self.positions.turns]
        return float(np.linalg.norm(step - 2 * np.pi * np.round(step / (2 * np.pi))))

    def valid(self, x: np.ndarray) -> bool:
        """Says whether no joint is closed the wrong way round."""
        self.fit.values(x)
        return not self.senses or bool((self.values_at(self.senses, x) > 0).all())

    def coordinate_gradients(self, x: np.ndarray) -> np.ndarray:
        """Returns the derivatives of the joints' coordinates by the moves, in their scales."""
        fit = Fit(self.positions, [self.row(a) for a in self.freedoms])
        fit.values(x)
        return dense(fit.gradients(x)[0])

    def values_at(self, addresses: Sequence[Address], x: np.ndarray) -> np.ndarray:
        """Returns outputs that depend on positions, at some states."""
        key = tuple(addresses)
        if key not in self._networks:
            self._networks[key] = Network(self.session, addresses)
        return self._networks[key].values(x).copy()

    @cached_property
    def _networks(self) -> dict[tuple[Address, ...], Network]:
        return {}

    def _unwound(self, x: np.ndarray) -> np.ndarray:
        """Takes back whole turns where these change nothing."""
        plain = self.positions.plain
        turns = self.positions.turns[: len(plain)]
        back = x.copy()
        back[plain] -= 2 * np.pi * np.round((x - self.x)[plain] / (2 * np.pi)) * turns
        return back if (back != x).any() and self.fit.worst(back) <= ENOUGH and self.valid(back) else x

    def without(self, state: int) -> Assembly:
        """Returns the same search with one held state released."""
        held = self.held.copy()
        held[state] = False
        return self._holding(held)

    def released(self) -> Assembly | None:
        """Returns the same search with all held states released; None if no state is held."""
        fixed = np.zeros_like(self.held)
        fixed[list(self.session.built.gauge)] = True
        return self._holding(fixed) if (self.held & ~fixed)[sorted(self.concerned)].any() else None

    def _holding(self, held: np.ndarray) -> Assembly:
        other = copy(self)
        other.held = held
        other.positions = Positions(self.session, self.concerned, other.held)
        other.fit = Fit(other.positions, self.fit.hard, self.fit.soft, self.fit.senses)
        return other


_FARTHEST = 1e15
"""Greatest value of a position: doubles are 0.1 apart there, and squares do not overflow yet."""


def _number(what: str, name: str, given: Any, pair: bool) -> tuple[float, float | None]:
    numbers = given if pair and isinstance(given, tuple) and len(given) == 2 else (given,)
    good = all(isinstance(n, int | float | np.integer | np.floating) and not isinstance(n, bool) and np.isfinite(n) for n in numbers)
    if not good or (len(numbers) == 2 and not numbers[1] > 0):
        wanted = "give a number, or a pair of a number and how far off it may be" if pair else "give a number"
        raise BuildError(f"assemble: {what}: '{name}' = {shown(given)} is refused; {wanted}")
    if max(map(abs, numbers)) > _FARTHEST:
        raise BuildError(
            f"assemble: {what}: '{name}' = {shown(given)} is refused; no joint closes there within rounding. Give at most {_FARTHEST:g}"
        )
    return float(numbers[0]), float(numbers[1]) if len(numbers) == 2 else None
