"""The constraints behind the residuals of a system: their values at position and at velocity level."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from coupling.errors import BuildError
from coupling.kernel.cosimulation.implicit import Violations
from coupling.kernel.fmi.instance import Readings
from coupling.live.session import Session
from coupling.plan.graph import Address


@dataclass(frozen=True)
class LocatedConstraint:
    """A single equation of an instance, with the multiplier that keeps it."""

    loop: int
    place: int
    """Number of the unknown in its loop."""
    multiplier: Address
    position: Address | None
    """Output of the position; None where the constraint is one of velocities alone."""
    velocity: Address

    @property
    def part(self) -> int:
        return self.multiplier.part


def constraints_of(session: Session) -> list[LocatedConstraint]:
    """Returns the constraints of all algebraic variables except those that are solved for between the points as well. Refuses instances
    that give their residuals at acceleration level alone."""
    found = []
    inner = set(session.built.inner_parts)
    for number, loop in enumerate(session.schedule.loops):
        for place in range(len(loop.unknowns) - loop.torn):
            residual = loop.residuals[place]
            if residual.part in inner:
                continue
            part = session.built.parts[residual.part]
            described = next((c for c in part.dae.constraints if c.residual == residual.reference), None) if part.dae else None
            if described is None or described.velocity is None:
                name = part.fmu.by_reference[residual.reference].name
                raise BuildError(
                    f"'{part.name}' ({part.fmu.path.name}) gives '{name}' but not the constraint at velocity level, as an output "
                    f"'velocity[1]' and so on, which implicit schemes enforce; choose scheme='explicit'"
                )
            at = None if described.position is None else Address(residual.part, 0, described.position)
            found.append(LocatedConstraint(number, place, loop.unknowns[place], at, Address(residual.part, 0, described.velocity)))
    return found


def violations_of(session: Session, constraints: Sequence[LocatedConstraint]) -> Violations:
    """Returns a reader of the constraint violations that the instances have now, constraint by constraint."""
    by_part: dict[int, list[tuple[int, int]]] = {}
    for i, constraint in enumerate(constraints):
        by_part.setdefault(constraint.part, []).append((len(constraints) + i, constraint.velocity.reference))
        if constraint.position is not None:
            by_part[constraint.part].append((i, constraint.position.reference))
    places = np.array([place for items in by_part.values() for place, _ in items], dtype=int)
    readings = Readings([(session.instances[part], 0, [reference for _, reference in items]) for part, items in by_part.items()])
    return Violations(readings, places)
