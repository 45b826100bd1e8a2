"""By how much the constraints of a system are violated where its instances are."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from coupling.errors import InitialStateError
from coupling.live.session import Session
from coupling.plan.graph import Address

TOLERANCE = 1e-6
"""Of positions and velocities, in the units of the constraints."""
LEVELS = ("position", "velocity")


def check_start_state(session: Session) -> None:
    """Refuses a start at which a constraint is violated."""
    violated = []
    for level in LEVELS:
        addresses = constraints_at(session, level)
        values = values_of(session, addresses)
        violated += [described(session, a, value) for a, value in zip(addresses, values, strict=True) if not abs(value) <= TOLERANCE]
    if violated:
        shown = ", ".join(violated[:12]) + (f" and {len(violated) - 12} more" if len(violated) > 12 else "")
        raise InitialStateError(
            f"the start violates constraints: {shown} (at most {TOLERANCE:g} is allowed); correct the start values, use "
            "initial='assemble' to have the states moved that you did not set, or initial='relax' to leave it to the stabilisation"
        )


def constraints_at(session: Session, level: str) -> list[Address]:
    """The constraints at a level, of all FMUs whose algebraic variables are solved for."""
    return [Address(part, 0, reference) for part, reference, _ in constraints_with_multipliers(session, level)]


def constraints_with_multipliers(session: Session, level: str) -> Iterator[tuple[int, int, int]]:
    """The same: instance, value reference, and that of the multiplier."""
    for i, part in enumerate(session.built.parts):
        for constraint in part.dae.constraints if part.dae else ():
            reference = constraint.at(level)
            if reference is not None:
                yield i, reference, constraint.multiplier


def values_of(session: Session, addresses: list[Address]) -> np.ndarray:
    """The values of outputs as the instances have them now."""
    return session.readings(tuple(addresses)).read()[1].copy()


def described(session: Session, address: Address, value: float) -> str:
    """A value with its name and unit."""
    unit = session.built.parts[address.part].fmu.by_reference[address.reference].unit or ""
    return f"{session.named(address.part, address.reference)} = {value:.4g} {unit}".rstrip()
