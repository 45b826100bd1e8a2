"""Icons and places in annotations of Modelica, in a square from (-100, -100) to (100, 100)."""

from __future__ import annotations

from collections.abc import Iterable

from fmu_components.declare.declaration import Declaration
from fmu_components.declare.icon import Circle
from fmu_components.export.pages.icons import INK, Painted, symbol
from fmu_components.modelica.names import modelica_string

_NAME = 'Text(extent = {{-150, 150}, {150, 110}}, textString = "%name", textColor = {0, 0, 255})'
_PIXELS = 0.25
"""Millimetres of a line for each unit of the square: OMEdit draws thickness in mm, and our drawings give it as a share of the square."""

Point = tuple[float, float]


def component_icon(declared: Declaration) -> str:
    """Returns the icon of a component, with its drawing and its name."""
    return icon(map(_shape, symbol(declared)))


def icon(graphics: Iterable[str]) -> str:
    """Returns an icon with the name of the instance above."""
    return f"Icon(graphics = {{{', '.join([*graphics, _NAME])}}})"


def box_icon(title: str) -> str:
    """Returns the icon of a whole system: a box with its title."""
    return icon(
        [
            f"Rectangle(extent = {{{{-100, 100}}, {{100, -100}}}}, lineColor = {colour(INK)}, fillColor = {{255, 255, 255}}, {_FILLED})",
            f"Text(extent = {{{{-90, 25}}, {{90, -25}}}}, textString = {modelica_string(title)}, textColor = {colour(INK)})",
        ]
    )


def connector_icon(paint: str) -> str:
    """Returns the icon of a connector: a square in the colour of its kind."""
    return f"Icon(graphics = {{Rectangle(extent = {{{{-100, 100}}, {{100, -100}}}}, lineColor = {colour(paint)}, fillColor = {colour(paint)}, {_FILLED})}})"


def signal_icon(filled: bool) -> str:
    """Returns the icon of a signal: a triangle that is filled for inputs, as in the Modelica Standard Library."""
    blue = colour("#00007f")
    points = "{{-100, 100}, {100, 0}, {-100, -100}, {-100, 100}}"
    return f"Icon(graphics = {{Polygon(points = {points}, lineColor = {blue}, fillColor = {blue if filled else '{255, 255, 255}'}, {_FILLED})}})"


def placement(centre: Point, half: float = 10.0, mirrored: bool = False) -> str:
    """Returns the place of an element by its centre; a mirrored one has its right at the left."""
    (x, y), left = centre, -half if not mirrored else half
    return f"Placement(transformation(extent = {{{{{_number(x + left)}, {_number(y - half)}}}, {{{_number(x - left)}, {_number(y + half)}}}}}))"


def line(points: Iterable[Point], paint: str) -> str:
    return f"Line(points = {_points(points)}, color = {colour(paint)})"


def colour(paint: str) -> str:
    """Returns a colour such as ``#1f2a37`` by its numbers from 0 to 255."""
    return f"{{{', '.join(str(int(paint[i : i + 2], 16)) for i in (1, 3, 5))}}}"


_FILLED = "fillPattern = FillPattern.Solid"


def _shape(item: Painted) -> str:
    width = _number(100 * item.shape.width * _PIXELS / 2)
    style = f"lineColor = {colour(item.ink)}, lineThickness = {width}" + (
        f", fillColor = {colour(item.paint)}, {_FILLED}" if item.paint else ""
    )
    if isinstance(item.shape, Circle):
        x, y, r = (100 * each for each in (item.shape.x, item.shape.y, item.shape.radius))
        corners = f"{{{{{_number(x - r)}, {_number(y - r)}}}, {{{_number(x + r)}, {_number(y + r)}}}}}"
        return f"Ellipse(extent = {corners}, {style})"
    points = [(100 * x, 100 * y) for x, y in item.shape.points]
    if item.paint:
        return f"Polygon(points = {_points([*points, points[0]])}, {style})"
    return f"Line(points = {_points(points)}, color = {colour(item.ink)}, thickness = {width})"


def _points(points: Iterable[Point]) -> str:
    return f"{{{', '.join(f'{{{_number(x)}, {_number(y)}}}' for x, y in points)}}}"


def _number(value: float) -> str:
    return f"{round(value, 2) + 0.0:g}"
