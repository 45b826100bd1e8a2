"""Sizes of variables, by which absolute tolerances of lengths and speeds are measured."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coupling.live.session import Session
from coupling.plan.graph import Address


def scales(session: Session, addresses: Sequence[Address]) -> np.ndarray:
    """Returns the size of each of some variables: that of the mechanism for lengths and speeds, and 1 for all others."""
    units = (session.built.parts[a.part].fmu.by_reference[a.reference].unit for a in addresses)
    return np.array([session.length if unit in ("m", "m/s") else 1.0 for unit in units])
