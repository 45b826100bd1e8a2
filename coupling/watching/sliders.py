"""Inputs and parameters that a page may set, and their ranges."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence

from coupling.errors import BuildError, shown
from coupling.watching.messages import Slider
from coupling.watching.watched import Target

Ranges = Mapping[str, Sequence[float]]


def slider(name: str, ends: Sequence[float], target: Target, value: float) -> Slider:
    """Returns a slider with its range and the present value; raises BuildError where a page could not move it freely."""
    variable, refused = target.variable, f"inputs: '{name}' is refused: "
    if target.state is not None or target.rates:
        what = "a state" if target.state is not None else "a prescribed motion, which cannot jump"
        raise BuildError(f"{refused}it is {what}; name an input or a parameter")
    if variable.type != "real":
        raise BuildError(f"{refused}it is a {variable.fmi_type}; name an input or a parameter that is a real number")
    low, high = _ends(refused, ends)
    for each in (low, high):
        target.checked(each)
    if not low <= value <= high:
        raise BuildError(f"{refused}its present value {value:g} is outside of {low:g} to {high:g}; widen the range, or set it before")
    unit = variable.unit or ""
    return Slider(name=name, low=low, high=high, value=value, unit=unit, description=variable.description or "")


def _ends(refused: str, ends: Sequence[float]) -> tuple[float, float]:
    try:
        low, high = (float(each) for each in ends)
    except (TypeError, ValueError):
        raise BuildError(f"{refused}{shown(ends)} is no range; give two numbers, such as (-1.0, 1.0)") from None
    if not (math.isfinite(low) and math.isfinite(high) and low < high):
        raise BuildError(f"{refused}{shown(ends)} is no range; give two finite numbers, the smaller one first")
    return low, high
