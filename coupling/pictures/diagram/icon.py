"""The symbol of a component, from the icon in its FMU: nothing but shapes in ink, without the ports, which a diagram has its own places for."""

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
"""In FMI 3 and in FMI 2."""
_COLOUR = re.compile(r"#[0-9a-f]{6}")


@dataclass(frozen=True)
class Shape:
    """A polyline, or a disc about its only point, in a square from (-1, -1) to (1, 1) whose y grows downwards."""

    points: tuple[tuple[float, float], ...]
    width: float
    fill: str
    """A colour, or nothing."""
    radius: float = 0.0


Icon = tuple[Shape, ...]


@cache
def icon_of(path: Path, stamp: object) -> Icon | None:
    """Of this library's FMUs; those of other tools have none that is known to be harmless. ``stamp`` says which state of the file it is."""
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
