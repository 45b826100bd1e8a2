"""Array parameters in tests: other numbers for them, and the functions of tables in SymPy's code."""

from __future__ import annotations

import numpy as np

from fmu_components.declare.declaration import Variable
from fmu_components.runtime.python import lookup

FUNCTIONS = {
    "Curve": lookup.curve,
    "Surface": lookup.surface,
    "NextNode": lookup.next_node,
    "LeastStep": lookup.least_step,
    "Item": lambda place, numbers: numbers[place],
}


def varied(variable: Variable, random: np.random.Generator) -> tuple[float, ...]:
    """Returns numbers near those at the start: what increases still does, and a last number that is the first one of others still is."""
    start = np.array(variable.start, dtype=float)
    least = np.diff(start).min()
    moved = start + random.uniform(-0.4, 0.4, len(start)) * (least if least > 0 else np.ptp(start) or 1.0)
    if start[0] == start[-1] and np.ptp(start):
        moved[-1] = moved[0]
    return tuple(np.clip(moved, variable.range.minimum, variable.range.maximum).tolist())
