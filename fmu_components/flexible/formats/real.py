"""Real numbers as Fortran and Nastran write them."""

from __future__ import annotations

import re

_REAL = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+))(?:[ED]?([+-]\d+)|[ED](\d+))?", re.IGNORECASE | re.ASCII)


def real(text: str) -> float | None:
    """Returns the number of a ``text`` such as ``1.5``, ``1.5D+3`` or ``1.5-3``, which has no letter; None of other texts."""
    found = _REAL.fullmatch(text.strip())
    return float(f"{found[1]}e{found[2] or found[3] or 0}") if found else None
