"""Drawings: a few shapes in a square from (-1, -1) to (1, 1), y upwards, from which the icons are rendered."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Line:
    """A polyline; closed and filled where ``fill`` is given (a grey level from 0 to 1)."""

    points: tuple[tuple[float, float], ...]
    fill: float | None = None
    width: float = 0.06


@dataclass(frozen=True)
class Circle:
    """A circle; filled where ``fill`` is given."""

    x: float
    y: float
    radius: float
    fill: float | None = None
    width: float = 0.06


Shape = Line | Circle


@dataclass(frozen=True)
class Drawing:
    """The symbol of a component. Its ports are added by the renderer, from the declaration."""

    shapes: tuple[Shape, ...] = ()

    def __init__(self, *shapes: Shape) -> None:
        object.__setattr__(self, "shapes", shapes)


def line(*points: tuple[float, float], fill: float | None = None, width: float = 0.06) -> Line:
    return Line(points, fill, width)


def box(x1: float, y1: float, x2: float, y2: float, fill: float | None = None) -> Line:
    return Line(((x1, y1), (x2, y1), (x2, y2), (x1, y2), (x1, y1)), fill)


def circle(x: float, y: float, radius: float, fill: float | None = None) -> Circle:
    return Circle(x, y, radius, fill)
