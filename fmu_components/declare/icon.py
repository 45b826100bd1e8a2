"""Drawings: a few shapes in a square from (-1, -1) to (1, 1), y upwards, from which the icons are rendered."""

from __future__ import annotations

import math
from collections.abc import Sequence
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


# -- what several symbols consist of ---------------------------------------------------------------------------------


def arc(x: float, y: float, radius: float, start: float, end: float, width: float = 0.06) -> Line:
    """Part of a circle between two angles in degrees."""
    return Line(_on_circle(x, y, [radius] * 25, start, end), width=width)


def arrowhead(x: float, y: float, direction: float, size: float = 0.22, width: float = 0.06) -> Line:
    """An open arrowhead whose tip is at the point; the direction in degrees."""
    sides = [math.radians(direction + 180 + side) for side in (-32, 32)]
    left, right = ((x + size * math.cos(a), y + size * math.sin(a)) for a in sides)
    return Line((left, (x, y), right), width=width)


def axes(y: float) -> tuple[Line, ...]:
    """The axes of a signal over time, with zero at this height."""
    return (
        Line(((-0.7, -0.8), (-0.7, 0.75))),
        arrowhead(-0.7, 0.8, 90),
        Line(((-0.85, y), (0.75, y))),
        arrowhead(0.8, y, 0),
    )


def gearwheel(x: float, y: float, radius: float, teeth: int, turn: float = 0.0, depth: float = 0.1, fill: float = 0.85) -> Line:
    """A toothed wheel, its pitch circle of the radius, a tooth in the direction ``turn`` in degrees."""
    inner, outer = radius - depth / 2, radius + depth / 2
    start = turn - 90 / teeth
    return Line(_on_circle(x, y, [inner, outer, outer, inner] * teeth, start - 45 / teeth, start + 360 - 135 / teeth), fill, 0.05)


def spring(x1: float, x2: float, y: float, height: float = 0.2, turns: int = 4) -> Line:
    """A coil spring from left to right."""
    step = (x2 - x1) / (turns + 1)
    peaks = [(x1 + (i / 2 + 0.75) * step, y + (height if i % 2 == 0 else -height)) for i in range(2 * turns)]
    return Line(((x1, y), (x1 + step / 2, y), *peaks, (x2 - step / 2, y), (x2, y)))


def damper(x1: float, x2: float, y: float, height: float = 0.17) -> tuple[Line, ...]:
    """A dashpot from left to right: a cylinder open to the right, and a piston."""
    bottom, piston, mouth = x1 + 0.3 * (x2 - x1), x1 + 0.55 * (x2 - x1), x1 + 0.7 * (x2 - x1)
    return (
        Line(((x1, y), (bottom, y))),
        Line(((mouth, y + height), (bottom, y + height), (bottom, y - height), (mouth, y - height))),
        Line(((piston, y - 0.6 * height), (piston, y + 0.6 * height)), width=0.09),
        Line(((piston, y), (x2, y))),
    )


def ground(x1: float, x2: float, y: float, strokes: int = 7) -> tuple[Line, ...]:
    """A line with hatching below it."""
    step = (x2 - x1) / strokes
    ends = [x1 + (i + 1) * step for i in range(strokes)]
    return (Line(((x1, y), (x2, y))), *(Line(((end, y), (end - 0.6 * step, y - 0.15)), width=0.04) for end in ends))


def _on_circle(x: float, y: float, radii: Sequence[float], start: float, end: float) -> tuple[tuple[float, float], ...]:
    """Points at these distances from a centre, evenly between two angles in degrees."""
    angles = [math.radians(start + (end - start) * i / (len(radii) - 1)) for i in range(len(radii))]
    return tuple((x + radius * math.cos(a), y + radius * math.sin(a)) for radius, a in zip(radii, angles, strict=True))
