"""Units for people: with a prefix that fits the values, and with exponents."""

from __future__ import annotations

import numpy as np

PREFIXES = ((1e9, "G"), (1e6, "M"), (1e3, "k"), (1.0, ""), (1e-3, "m"), (1e-6, "µ"))
PREFIXED = ("Pa", "N", "W", "J", "m", "V", "A", "N.m", "Hz", "s", "m/s")
_WRITTEN = str.maketrans({".": "·"})
_EXPONENTS = {"m/s2": "m/s²", "rad/s2": "rad/s²", "m3/s": "m³/s", "kg.m2": "kg·m²", "m3": "m³", "m2": "m²"}


def prefix(values: np.ndarray, unit: str) -> tuple[float, str]:
    """Returns a factor and the prefix of the unit that make values easy to read. Values of at least 0.1 get no prefix for parts of the
    unit."""
    finite = np.abs(values[np.isfinite(values)])
    greatest = finite.max() if finite.size else 0.0
    if unit in PREFIXED and greatest > 0:
        for size, letter in PREFIXES:
            if greatest >= 0.999 * size:
                return (1.0, "") if size < 1 and greatest >= 0.1 else (1 / size, letter)
    return 1.0, ""


def written(unit: str) -> str:
    """Returns a unit with raised exponents and dots between its factors."""
    return _EXPONENTS.get(unit, unit.translate(_WRITTEN))
