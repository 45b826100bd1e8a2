"""Closing of an exported mechanism at its start: its constraints, and the motions of states that are not held."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np

from coupling.analysis.positions import Positions, size_of
from coupling.checks import names_in
from coupling.errors import BuildError, shown
from coupling.export.table import MechanismTable, constraints_of
from coupling.live.derivatives.jacobians import motions_of, turns_of
from coupling.live.derivatives.linearise import Linearisation
from coupling.live.scales import scales
from coupling.live.session import Session
from coupling.live.violations import constraints_at
from coupling.names import nearest
from coupling.plan.build import Built
from coupling.plan.graph import Address


@dataclass(frozen=True)
class Closing:
    """Rows of ``Constraint``, ``Move`` and ``Gauge`` in ``mechanism.h``, and the states that are held."""

    constraints: Sequence[tuple[int, int, int, float, float]]
    moves: Sequence[tuple[int, int, float]]
    held: Sequence[int]
    gauges: Sequence[tuple[int, int]]


def closing_of(table: MechanismTable, session: Session) -> Closing:
    """Returns the closing of the start; its moves are those of the master's assembly."""
    if not table.closes:
        return Closing((), (), (), ())
    size = size_of(session)
    constraints = []
    for part, constraint in constraints_of(session.built):
        places = [constraint.at("position"), constraint.at("velocity"), constraint.multiplier]
        position, velocity, multiplier = (0 if each is None else table.place_at(part, each) for each in places)
        variable = table.members[part].fmu.by_reference[places[0]] if places[0] is not None else None
        scale = size if variable and variable.unit == "m" else 1.0
        read = next(each for each in places if each is not None)
        constraints.append((position, velocity, multiplier, scale, float(scales(session, [Address(part, 0, read)])[0])))
    gauges = [(state, table.place_at(follows.part, follows.reference)) for state, follows in session.built.gauge.items()]
    held = sorted(_numbers(table.built, table.interface.hold))
    stays = np.zeros(session.built.states, dtype=bool)
    stays[held] = True
    positions = Positions(session, _positions(session), stays)
    own = positions.scale[: len(positions.plain)]
    moves = [(int(state), -1, float(scale)) for state, scale in zip(positions.plain, own, strict=True)]
    moves += [(int(four[0]), axis, 1.0) for four in positions.fours for axis in range(3)]
    return Closing(constraints, moves, held, gauges)


def _positions(session: Session) -> Collection[int]:
    """Returns the states that constraints of positions depend on."""
    columns = Linearisation(session, constraints_at(session, "position")).columns
    speeds = {*dict(motions_of(session)).values(), *(omega + axis for omega, _ in turns_of(session) for axis in range(3))}
    return {state for state in columns.tolist() if state < session.built.states} - speeds


def check_held(built: Built, names: Sequence[str]) -> None:
    """Raises BuildError for a name that is no state."""
    if isinstance(names, str) or names_in(names) is None:
        raise BuildError(f"export_fmu: hold = {shown(names)} is refused; give a list of names of states, such as ['crank.theta']")
    for name in names:
        if name not in _states(built):
            hint = nearest(name, _states(built)) or "name states, such as 'crank.theta'"
            raise BuildError(f"export_fmu: hold: '{name}' is no state; {hint}")


def _numbers(built: Built, names: Iterable[str]) -> list[int]:
    states = _states(built)
    return [states.index(name) for name in names]


def _states(built: Built) -> list[str]:
    """Returns full names, in the order of the states."""
    return [f"{part.name}.{part.fmu.by_reference[reference].name}" for part in built.parts for reference in part.states]
