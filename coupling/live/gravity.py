"""Gravity that differs between mechanisms of different kinds, as between one in the plane and one in space, where an adapter couples them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from coupling.plan.gravity import NAMES

_EQUAL = 1e-8
"""Difference of gravity in m/s2 below which two are equal."""


def different_gravities(session: Session) -> Iterator[str]:
    """Yields a sentence for each adapter on whose sides bodies have different gravity: the first pair of each, with both vectors."""
    parts = session.built.parts
    for adapter, sides in session.built.adapters:
        gravity = {
            index: np.array([parameter_value(session, index, name) for name in NAMES])
            for side in sides
            for bodies in side
            for index in bodies
        }
        pairs = ((a, b) for one, other in sides for a in one for b in other)
        differing = next(
            ((a, b) for a, b in pairs if not np.allclose((gravity[a] - gravity[b])[_shared(session, a, b)], 0.0, atol=_EQUAL)), None
        )
        if differing:
            told = [f"'{parts[each].name}', whose gravity is ({', '.join(f'{g:g}' for g in gravity[each])}) m/s2" for each in differing]
            yield f"'{adapter.name}' ({adapter.fmu.model_name}) couples {told[0]}, with {told[1]}; give both the same {', '.join(NAMES)}"


def _shared(session: Session, a: int, b: int) -> list[int]:
    """Returns the components of gravity that both bodies have. What acts across the plane of a body in the plane is borne there."""
    return [i for i, name in enumerate(NAMES) if all(name in session.built.parts[each].fmu.variables for each in (a, b))]


def parameter_value(session: Session, part: int, name: str) -> Any:
    """Returns the value of a parameter in this run; 0 of one that the instance does not have."""
    variable = session.built.parts[part].fmu.variables.get(name)
    start = session.built.start[part].get(name, variable.start if variable else 0.0)
    return session.running.values.get((part, name), start) or 0.0


if TYPE_CHECKING:
    from coupling.live.session import Session
