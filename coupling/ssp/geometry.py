"""Places of elements, connectors and icons in a drawing."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from types import MappingProxyType
from xml.etree.ElementTree import Element

from coupling.fmus import Fmu, FmuError
from coupling.fmus.archive import read_members
from coupling.fmus.errors import Source
from coupling.fmus.terminals import TERMINALS
from coupling.ssp.flat import Box

SIDE, GAP = 20.0, 20.0
"""The side of an element, and the distance between two."""
_ICONS = ("terminalsAndIcons/icon.png", "model.png")
"""Paths of the icon in FMI 3 and FMI 2."""
_EXTENT = {"x1": -100.0, "y1": -100.0, "x2": 100.0, "y2": 100.0}
Point = tuple[float, float]


def boxes_of(names: Sequence[str], known: Mapping[str, Box]) -> dict[str, Box]:
    """Returns the boxes that are known, and for all other elements a place in rows below them."""
    lowest = min((min(box[1], box[3]) for box in known.values()), default=0.0)
    left = min((min(box[0], box[2]) for box in known.values()), default=0.0)
    missing = [name for name in names if name not in known]
    columns = max(1, math.ceil(math.sqrt(len(missing))))
    found = dict(known)
    for number, name in enumerate(missing):
        row, column = divmod(number, columns)
        x, y = left + column * (SIDE + GAP), lowest - GAP - row * (SIDE + GAP)
        found[name] = (x, y - SIDE, x + SIDE, y)
    return {name: found[name] for name in names}


def places_of(fmu: Fmu, names: Sequence[str]) -> dict[str, Point]:
    """Returns the places of connectors, from (0, 0) to (1, 1): at their port, or at the sides, inputs on the left."""
    drawn = _drawn(fmu.path, fmu.stamp)
    found = {name: drawn[name] for name in names if name in drawn}
    return found | at_sides([(name, fmu.variables[name].causality == "output") for name in names if name not in drawn])


def at_sides(connectors: Sequence[tuple[str, bool]]) -> dict[str, Point]:
    """Returns places one below the other, inputs on the left and outputs on the right."""
    found: dict[str, Point] = {}
    for right in (False, True):
        here = [name for name, is_output in connectors if is_output is right]
        found |= {name: (float(right), 1 - (number + 0.5) / len(here)) for number, name in enumerate(here)}
    return found


def icon_of(fmu: Fmu) -> bytes | None:
    """Returns the image inside an FMU, or None."""
    files, _ = read_members(fmu.path, _ICONS)
    return next((files[name] for name in _ICONS if name in files), None)


@cache
def _drawn(path: Path, stamp: object) -> Mapping[str, Point]:
    """Returns for each variable the place at which its terminal is drawn."""
    files, _ = read_members(path, TERMINALS)
    text = next((files[name] for name in TERMINALS if name in files), None)
    if text is None:
        return {}
    try:
        root = Source(path).tree(text, "terminalsAndIcons.xml")
    except FmuError:
        return {}
    system = root.find("GraphicalRepresentation/CoordinateSystem")
    x1, y1, x2, y2 = (_number(system, key) for key in _EXTENT)
    found: dict[str, Point] = {}
    for terminal in root.iter("Terminal"):
        drawn = terminal.find("TerminalGraphicalRepresentation")
        if drawn is not None and x1 != x2 and y1 != y2:
            u1, v1, u2, v2 = (_number(drawn, key) for key in _EXTENT)
            point = ((u1 + u2) / 2 - x1) / (x2 - x1), ((v1 + v2) / 2 - y1) / (y2 - y1)
            found |= {name: (round(point[0], 6), round(point[1], 6)) for name in _members(terminal)}
    return MappingProxyType(found)


def _members(terminal: Element) -> Iterator[str]:
    return (each.get("variableName", "") for each in terminal.iterfind("TerminalMemberVariable"))


def _number(element: Element | None, key: str) -> float:
    try:
        return float(element.get(key, _EXTENT[key])) if element is not None else _EXTENT[key]
    except ValueError:
        return _EXTENT[key]
