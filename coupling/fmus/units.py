"""Units as an FMU defines them."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from xml.etree.ElementTree import Element

from coupling.fmus.errors import Source

_BASE_UNITS = ("kg", "m", "s", "A", "K", "mol", "cd", "rad")


@dataclass(frozen=True, slots=True)
class Unit:
    """A unit in SI base units: value in base units = factor * value + offset."""

    name: str
    exponents: tuple[int, ...] | None
    """Exponents of kg, m, s, A, K, mol, cd and rad; None if the FMU gives only a name."""
    factor: float = 1.0
    offset: float = 0.0


def same_unit(a: Unit | None, b: Unit | None) -> bool:
    """Says whether two units, possibly of different FMUs, mean the same; a unit that is a mere name is compared by its name."""
    if a is None or b is None:
        return a is b
    if a.exponents is None or b.exponents is None:
        return a.name == b.name
    close = math.isclose(a.factor, b.factor, rel_tol=1e-9) and math.isclose(a.offset, b.offset, rel_tol=1e-9, abs_tol=1e-12)
    return a.exponents == b.exponents and close


def same_dimension(a: Unit | None, b: Unit | None) -> bool:
    """Says whether values can be converted from one unit to the other."""
    return a is not None and b is not None and a.exponents is not None and a.exponents == b.exponents


def read_units(root: Element, used: Iterable[str], source: Source) -> dict[str, Unit]:
    """Returns the units that are ``used``, and those that the model description defines, by name."""
    found = {name: Unit(name, None) for name in used}
    for element in root.iterfind("UnitDefinitions/Unit"):
        name, base = element.get("name") or "", element.find("BaseUnit")
        if base is not None:
            what = f"part of the unit '{name}'"
            exponents = tuple(source.parsed(base.get(each) or "0", int, what) for each in _BASE_UNITS)
            factor, offset = (source.parsed(base.get(key) or default, float, what) for key, default in (("factor", "1"), ("offset", "0")))
            found[name] = Unit(name, exponents, factor, offset)
    return found
