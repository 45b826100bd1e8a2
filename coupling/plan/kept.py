"""Quantities that the unknowns of loops keep at zero, at the highest level that their instances give."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from coupling.plan.build import Built
from coupling.plan.graph import Address
from coupling.record import Column

OF_RESIDUAL, OF_VELOCITY, OF_POSITION = range(3)
"""Levels, numbered as in the kernel."""


@dataclass(frozen=True)
class Kept:
    """A quantity that an unknown of a loop keeps at zero: outputs, where its instance gives them."""

    unknown: Address
    residual: Address
    position: Address | None = None
    velocity: Address | None = None
    follows: bool = False
    """True where the residual follows a law in some modes, so that it is kept at zero whatever the mode."""

    @property
    def level(self) -> int:
        return OF_POSITION if self.position else OF_VELOCITY if self.velocity else OF_RESIDUAL

    @property
    def row(self) -> Address:
        """Output that is differentiated."""
        return self.position or self.velocity or self.residual


def kept_at_zero(built: Built) -> list[Kept]:
    """Returns the quantity that each unknown keeps at zero, by unknown of all loops in their order."""
    found = []
    rubbing = {Address(each.part, 0, each.given.multiplier) for each in built.switched if each.given.kind == "friction"}
    for loop in built.schedule.loops:
        for place, (unknown, residual) in enumerate(zip(loop.unknowns, loop.residuals, strict=True)):
            dae = built.parts[residual.part].dae if place < len(loop.unknowns) - loop.torn else None
            constraint = next((c for c in dae.constraints if c.residual == residual.reference), None) if dae else None
            levels = (constraint.position, constraint.velocity) if constraint else (None, None)
            follows = unknown in rubbing  # where it slips, its residual is a law and not a constraint
            position, velocity = (None if r is None or follows else Address(residual.part, 0, r) for r in levels)
            found.append(Kept(unknown, residual, position, velocity, follows))
    return found


def reactions_of(built: Built) -> Iterator[tuple[int, int, Column]]:
    """Yields the reactions that projections give: instance, place among the kernel's reactions, and column. Those by accelerations of all
    unknowns come before those by velocities."""
    kept = kept_at_zero(built)
    for number, each in enumerate(kept):
        if each.level == OF_RESIDUAL:
            continue
        part = built.parts[each.unknown.part]
        variable = part.fmu.by_reference[each.unknown.reference]
        stem, bracket, place = variable.name.partition("[")
        for way, by in enumerate(("accelerations", "velocities")):
            name = f"{stem}_by_{by}{bracket}{place}"
            described = f"{variable.name} from the projection of {by}"
            yield each.unknown.part, way * len(kept) + number, Column(f"{part.name}.{name}", name, variable.unit or "", described)
