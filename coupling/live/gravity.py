"""Gravity that differs between mechanisms of different kinds, as between one in the plane and one in space, where an adapter couples them."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations
from typing import TYPE_CHECKING, Any

import numpy as np

from coupling.plan.gravity import NAMES


def different_gravities(session: Session) -> Iterator[str]:
    """A sentence for each adapter on whose sides bodies have different gravity: the first of each, with both vectors."""
    parts = session.built.parts
    adapters = [part for part in parts if len({each.kind for each in part.fmu.terminals.values()}) > 1]
    bodies: dict[str, list[tuple[str, np.ndarray]]] = {}
    for index, part in enumerate(parts) if adapters else ():
        if any(name in part.fmu.variables and part.fmu.variables[name].unit == "m/s2" for name in NAMES):
            gravity = np.array([_value(session, index, name) for name in NAMES])
            for kind in {terminal.kind for terminal in part.fmu.terminals.values()}:
                bodies.setdefault(kind, []).append((part.name, gravity))
    for part in adapters:
        kinds = list(dict.fromkeys(terminal.kind for terminal in part.fmu.terminals.values()))
        pairs = [(a, b) for one, other in combinations(kinds, 2) for a in bodies.get(one, ()) for b in bodies.get(other, ())]
        differing = next(((a, b) for a, b in pairs if not np.allclose(a[1], b[1], rtol=1e-9, atol=1e-12)), None)
        if differing:
            sides = [f"'{name}', whose gravity is ({', '.join(f'{g:g}' for g in gravity)}) m/s2" for name, gravity in differing]
            yield f"'{part.name}' ({part.fmu.model_name}) couples {sides[0]}, with {sides[1]}; give both the same {', '.join(NAMES)}"


def _value(session: Session, part: int, name: str) -> Any:
    variable = session.built.parts[part].fmu.variables.get(name)
    start = session.built.start[part].get(name, variable.start if variable else 0.0)
    return session.values.get((part, name), start) or 0.0


if TYPE_CHECKING:
    from coupling.live.session import Session
