"""Minimal coordinates of a system that stands still: as many variables as it has freedoms, under names that people know."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coupling.analysis.standing import Standing
from coupling.errors import AnalysisError, listed
from coupling.live.session import Session
from coupling.plan.graph import Address

Gradients = Mapping[Address, np.ndarray]
_NEW, _ENOUGH_NEW, _MUCH_NEW = 1e-7, 1e-3, 0.2
"""Least shares of a gradient that other coordinates lack: for any new coordinate, for an amplitude of deformation, and for a good one."""
_RANK = 1e-9
_ASIDE = 1e-3


@dataclass(frozen=True)
class Coordinate:
    """A variable that describes, with others, the place of a system; its rate; and for a position, the variable that is its velocity."""

    variable: Address
    rate: Address
    velocity: Address | None = None


class Coordinates:
    """All coordinates that a system has; ``chosen`` picks those that suffice at a point."""

    def __init__(self, session: Session, preferred: Sequence[Address] = ()) -> None:
        self.session, self.preferred = session, list(preferred)
        self.freedoms = list(_freedoms(session))
        """Positions, velocities and accelerations of joint coordinates."""

    @cached_property
    def wanted(self) -> list[Address]:
        """Variables that a ``Standing`` has to differentiate for these coordinates."""
        return list(dict.fromkeys([a for three in self.freedoms for a in three]))

    def candidates(self, standing: Standing, gradients: Gradients) -> list[Coordinate]:
        """Returns candidates: first states that nothing constrains and that are no positions, then amplitudes of deformation, freedoms of
        joints and other states."""
        states = state_addresses(self.session)
        partner = {states[position]: states[velocity] for position, velocity in standing.motions.items()}
        held = np.abs(constraint_rows(standing, gradients)).max(axis=0, initial=0.0) > 0
        moving = {*partner, *partner.values(), *(a for a, each in zip(states, held, strict=True) if each)}
        own = [Coordinate(state, rate, partner.get(state)) for state, rate in zip(states, standing.rates, strict=True)]
        joints = [Coordinate(q, qd, qd) for q, qd, _ in self.freedoms] + [Coordinate(qd, qdd) for _, qd, qdd in self.freedoms]
        known = {each.variable: each for each in [*own, *joints]}
        gauge = {states[i] for i in self.session.built.gauge}
        inner = [each for each in own if each.variable not in moving and each.variable not in gauge]
        shapes = [each for each in own if each.variable in self.elastic]
        rest = [each for each in own if each.variable in moving]
        return [*(known[a] for a in self.preferred if a in known), *inner, *shapes, *joints, *rest]

    @cached_property
    def elastic(self) -> frozenset[Address]:
        """Amplitudes of deformation and their rates. Elastic forces are nearly linear in them, and in no other coordinates."""
        parts = self.session.built.parts
        return frozenset(a for a in state_addresses(self.session) if parts[a.part].fmu.by_reference[a.reference].elastic)

    def least(self, each: Coordinate) -> float:
        """Returns the share of its gradient that a coordinate must have left to be taken before others that lack less."""
        if each.variable in self.preferred:
            return _NEW
        return _ENOUGH_NEW if each.variable in self.elastic else _MUCH_NEW


def _freedoms(session: Session) -> Iterator[tuple[Address, Address, Address]]:
    """Yields the outputs q, qd and qdd of each joint coordinate."""
    for index, part in enumerate(session.built.parts):
        variables = part.fmu.variables
        for name in variables:
            names = [name, f"{name}d", f"{name}dd"]
            if (name == "q" or name.endswith(".q")) and all(each in variables and variables[each].causality == "output" for each in names):
                q, qd, qdd = (Address(index, 0, variables[each].reference) for each in names)
                yield q, qd, qdd


@dataclass(frozen=True)
class Chart:
    """Coordinates that suffice at a point, and the derivatives of all states by them."""

    coordinates: tuple[Coordinate, ...]
    tangent: np.ndarray
    """Derivatives of the states by the coordinates, which are the columns."""


def chart(standing: Standing, coordinates: Coordinates) -> Chart:
    """Returns the coordinates that suffice at the point where the system stands. A singular pose raises AnalysisError."""
    gradients, n = standing.gradients(), standing.states
    free, repeated = _free(standing, gradients)
    if repeated:
        _refuse_singular(standing, free)
    candidates = coordinates.candidates(standing, gradients)
    states = state_addresses(standing.session)
    place = {a: i for i, a in enumerate(states)}
    rows = {each.variable: _along(each.variable, gradients, place, n, free) for each in candidates}
    speeds = {*(c.velocity for c in candidates), *(states[i] for i in standing.velocities)}
    choice = _Choice(rows, free.shape[1], coordinates.least)  # positions first: where something moves, velocities depend on them as well
    choice.take([each for each in candidates if each.variable not in speeds])
    of = {each.variable: each for each in candidates}
    beside = [of[c.velocity] for c in choice.chosen if c.velocity in of and c.variable not in speeds]
    choice.take([*(each for each in candidates if each.variable in coordinates.preferred), *beside, *candidates])
    chosen, count = _in_pairs(choice.chosen), free.shape[1]
    asked = [a for a in coordinates.preferred if a not in {each.variable for each in chosen}]
    if asked:
        raise AnalysisError(
            f"coordinates: {listed(map(standing.label, asked))} cannot be among the coordinates at this point: the others that you named, or "
            "the constraints, leave no freedom along it; leave it out"
        )
    if len(chosen) < count:
        raise AnalysisError(f"{count - len(chosen)} of {count} freedoms move neither states nor coordinates of joints, and have no names")
    matrix = np.array([rows[each.variable] for each in chosen]).reshape(count, count)
    return Chart(tuple(chosen), free @ np.linalg.inv(matrix) if count else np.zeros((n, 0)))


class _Choice:
    """Choice of coordinates that distinguish directions; those that do so best come first."""

    def __init__(self, rows: Mapping[Address, np.ndarray], count: int, least: Callable[[Coordinate], float]) -> None:
        self._rows, self._count, self._least = rows, count, least
        self._basis = np.zeros((0, count))
        self.chosen: list[Coordinate] = []

    def take(self, candidates: Sequence[Coordinate]) -> None:
        """Takes the candidates that add a direction to those of earlier calls, at most as many as are needed. Shares are measured in the
        remaining directions."""
        lengths = {each.variable: float(np.linalg.norm(self._rest(each))) for each in candidates}
        for any_new in (False, True):
            for each in candidates:
                rest, least = self._rest(each), _NEW if any_new else self._least(each)
                new = float(np.linalg.norm(rest))
                if len(self.chosen) < self._count and new > max(least * lengths[each.variable], _NEW):
                    self.chosen.append(each)
                    self._basis = np.vstack([self._basis, rest / new])

    def _rest(self, each: Coordinate) -> np.ndarray:
        row = self._rows[each.variable]
        for _ in range(2):  # once more, against rounding
            row = row - self._basis.T @ (self._basis @ row)
        return row


def _in_pairs(chosen: Sequence[Coordinate]) -> list[Coordinate]:
    """Returns the coordinates with each position before its velocity; other velocities come last."""
    of = {each.variable: each for each in chosen}
    pairs = [each for c in chosen for each in (c, *([of[c.velocity]] if c.velocity in of else []))]
    return list(dict.fromkeys(pairs))


def state_addresses(session: Session) -> list[Address]:
    return [Address(i, 0, part.fmu.own(r)) for i, part in enumerate(session.built.parts) for r in part.states]


def _along(variable: Address, gradients: Gradients, states: dict[Address, int], n: int, free: np.ndarray) -> np.ndarray:
    if variable in states:
        return free[states[variable]]
    return gradients[variable][:n] @ free


def constraint_rows(standing: Standing, gradients: Gradients) -> np.ndarray:
    """Returns the gradients by the states of constraints, quaternion norms and states that move nothing."""
    n = standing.states
    rows = [gradients[a][:n] for a in standing.constraints]
    for four in standing.quaternions:
        row = np.zeros(n)
        row[four] = standing.x[four]
        rows.append(row)
    rows += [np.eye(n)[i] for i in standing.session.built.gauge]
    return np.array(rows).reshape(len(rows), n)


def _free(standing: Standing, gradients: Gradients) -> tuple[np.ndarray, bool]:
    """Returns an orthonormal basis of the directions in which the states may move, and says whether constraints repeat each other."""
    rows = constraint_rows(standing, gradients)
    lengths = np.linalg.norm(rows, axis=1)
    rows = rows[lengths > 0] / lengths[lengths > 0, None]
    if not len(rows):
        return np.eye(standing.states), False
    _, sizes, right = np.linalg.svd(rows)
    rank = int((sizes > _RANK * sizes.max(initial=0.0)).sum())
    return right[rank:].T, rank < len(rows)


def _refuse_singular(standing: Standing, free: np.ndarray) -> None:
    """Raises AnalysisError if constraints repeat each other here, but not a little further along the motion."""
    here, x = free.shape[1], standing.x.copy()
    aside = free @ np.random.default_rng(0).uniform(-1, 1, here)
    standing.move(x + _ASIDE * aside / max(np.abs(aside).max(initial=0.0), 1e-300))
    there = _free(standing, standing.gradients())[0].shape[1]
    standing.move(x)
    if there < here:
        raise AnalysisError(
            f"the system is in a singular pose: {here} directions are free there, and {there} beside it, and no linear "
            "model exists; choose another pose"
        )
