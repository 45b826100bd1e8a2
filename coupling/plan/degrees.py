"""Angles that look as if they were given in degrees."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from coupling.fmus import Fmu

_LEAST, _STEP = 10, 5
"""Least size of an angle that looks like degrees, and the number that divides it."""


def in_degrees(fmus: Mapping[str, Fmu], values: Iterable[tuple[str, str, object]]) -> tuple[str, ...]:
    """Returns a sentence on the values, each with its instance and its variable, that are whole numbers such as 90 and stand for radians;
    empty if no value is."""
    found = [
        (f"{instance}.{name}", int(value))
        for instance, name, value in values
        if isinstance(value, int | float) and not isinstance(value, bool) and abs(value) >= _LEAST and value % _STEP == 0
        if (variable := fmus[instance].variables.get(name)) is not None and variable.unit == "rad"
    ]
    if not found:
        return ()
    name, value = found[0]
    more = f" (and {len(found) - 1} more)" if len(found) > 1 else ""
    return (f"'{name}' = {value}{more}: angles are in radians, and {value} degrees are math.radians({value})",)
