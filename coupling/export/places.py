"""Places of variables in the C code of a component, where each element of an array has one of its own."""

from __future__ import annotations

from coupling.fmus import Fmu


def place_in(fmu: Fmu, reference: int) -> int:
    """Returns the place of a variable of an FMU of this library, by the reference under which the master knows it."""
    array = next((view for view in fmu.views if view.array and 0 <= reference - view.first < view.size), None)
    return reference if array is None else array.own + reference - array.first
