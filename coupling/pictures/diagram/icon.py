"""The symbol of a component, from the icon in its FMU: only shapes in ink, without the ports, which a diagram places by itself."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from coupling.fmus.archive import read_members
from coupling.fmus.errors import FmuError, Source

INK = "#1f2a37"
"""The colour of drawings; ports have those of their domains."""
_ICONS = ("terminalsAndIcons/icon.svg", "extra/terminalsAndIcons/icon.svg")
"""Paths of the icon in FMI 3 and in FMI 2."""
_COLOUR = re.compile(r"#[0-9a-f]{6}")


@dataclass(frozen=True)
class Shape:
    """A polyline, or a disc about its only point, in a square from (-1, -1) to (1, 1) whose y grows downwards."""

    points: tuple[tuple[float, float], ...]
    width: float
    fill: str
    """Colour of the area, or empty."""
    radius: float = 0.0


Icon = tuple[Shape, ...]


@cache
def icon_of(path: Path, stamp: object) -> Icon | None:
    """Returns the icon of an FMU of this library; ``stamp`` identifies the state of the file.

    Icons of other tools are not known to be harmless and are not used.
    """
    try:
        files, _ = read_members(path, _ICONS)
        text = next((files[name] for name in _ICONS if name in files), None)
        root = None if text is None else Source(path).tree(text, "icon.svg")
    except FmuError:
        return None
    if root is None:
        return None
    shapes = []
    for element in root:
        try:
            if element.get("stroke") != INK:
                continue
            fill = element.get("fill", "none")
            look = float(element.get("stroke-width", "")), fill if _COLOUR.fullmatch(fill) else ""
            if element.tag == "circle":
                x, y, r = (float(element.get(key, "")) for key in ("cx", "cy", "r"))
                shapes.append(Shape(((x, y),), *look, r))
            elif element.tag in ("polyline", "polygon"):
                pairs = (pair.split(",") for pair in element.get("points", "").split())
                shapes.append(Shape(tuple((float(x), float(y)) for x, y in pairs), *look))
        except ValueError:
            return None
    return tuple(shapes) or None
