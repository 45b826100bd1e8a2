"""Sizes of variables, by which absolute tolerances of lengths and speeds are measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coupling.live.session import Session
from coupling.plan.graph import Address

_REST = 1e-3

_LENGTHS = {"m": 1, "m/s": 1, "m/s2": 1}
_FORCES = {"N": 1, "N.m": 2, "J": 2, "W": 2}
"""Powers of the length by which units grow with a mechanism whose masses and times are kept."""


def scales(session: Session, addresses: Sequence[Address], forces: bool = False) -> np.ndarray:
    """Returns the size of each of some variables: that of the mechanism for lengths, speeds and accelerations, and 1 for all others.

    With ``forces`` those of efforts, energies and powers follow too: in analyses, in implicit coupling, and for the multipliers of IDA.
    """
    if session.length == 1:
        return np.ones(len(addresses))
    powers = _LENGTHS | _FORCES if forces else _LENGTHS
    units = (session.built.parts[a.part].fmu.by_reference[a.reference].unit for a in addresses)
    return np.array([session.length ** powers.get(unit or "", 0) for unit in units], dtype=float)


def scales_of_unknowns(session: Session) -> np.ndarray:
    """Returns the size of the constraint of each unknown of all loops: 1 for unknowns without one."""
    read = {(i, c.residual): c.velocity if c.position is None else c.position for i, c, _ in session.built.constraints}
    residuals = [each for loop in session.schedule.loops for each in loop.residuals]
    outputs = [read.get((each.part, each.reference)) for each in residuals]
    return np.array(
        [1.0 if r is None else scales(session, [Address(each.part, 0, r)])[0] for each, r in zip(residuals, outputs, strict=True)]
    )


def scales_of_states(session: Session) -> np.ndarray:
    """Returns the size of each state."""
    return scales(session, [Address(i, 0, r) for i, part in enumerate(session.built.parts) for r in part.states])


def scales_of_projection(session: Session) -> np.ndarray | None:
    """Returns the sizes of states, then of the constraints of all unknowns; None where all are 1."""
    return None if session.length == 1 else np.concatenate([scales_of_states(session), scales_of_unknowns(session)])


def scales_of_switched(session: Session) -> np.ndarray:
    """Returns the size of each switched constraint."""
    return scales(session, [Address(each.part, 0, each.given.velocity) for each in session.built.switched])


def rest_velocity(session: Session) -> float:
    """Returns the speed below which impacts are plastic: as given, or 1e-3 by the size of the mechanism. One speed holds for all constraints, so
    that mechanisms in which angles strike as well have the smaller one."""
    if session.run.contacts.rest_velocity is not None:
        return session.run.contacts.rest_velocity
    strikes = [each.given.kind == "unilateral" for each in session.built.switched]
    return _REST * float(scales_of_switched(session)[strikes].min(initial=np.inf)) if any(strikes) else _REST
