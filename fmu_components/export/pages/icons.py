"""The icon of a component: its drawing and a mark for every port, as SVG and as PNG.

Both come from one list of painted shapes, so that they show the same thing.
"""

from __future__ import annotations

import math
import struct
import zlib
from dataclasses import dataclass
from html import escape

import numpy as np
import numpy.typing as npt

from fmu_components.declare.declaration import Declaration
from fmu_components.declare.icon import Circle, Drawing, Line, Shape, box
from fmu_components.declare.ports import Port, Side

EXTENT = 1.15
"""Half the width of the image in drawing coordinates: the marks sit on the edge of the square and need room around it."""

INK = "#1f2a37"
_WITHOUT_DRAWING = Drawing(box(-0.7, -0.7, 0.7, 0.7, fill=0.92))
_MARK = 0.1
_THIN = 0.045

Field = npt.NDArray[np.float64]


def port_positions(declared: Declaration) -> dict[str, tuple[float, float]]:
    """Returns the places of the ports on the edge of the square: left, right, top, bottom, then spread evenly between these."""
    ports = [port.name for port in declared.ports]
    quarters = (0, 2, 1, 3)  # starting at left, right, top, bottom, so that few ports lie opposite to each other
    places = [2.0 * quarter for quarter in quarters]
    for number in range(max(0, len(ports) - 4)):
        row, turn = divmod(number, 4)
        in_this_quarter = (len(ports) - 4 - turn + 3) // 4
        places.append(2.0 * quarters[turn] + 2.0 * (row + 1) / (in_this_quarter + 1))
    return {name: _on_edge(place) for name, place in zip(ports, places, strict=False)}


def svg(declared: Declaration) -> str:
    """The icon as a self-contained SVG document."""
    size = f"{-EXTENT:g} {-EXTENT:g} {2 * EXTENT:g} {2 * EXTENT:g}"
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" viewBox="{size}" role="img" stroke-linecap="round" stroke-linejoin="round">',
        f"<title>{escape(declared.name)}</title>",
        *map(_svg_shape, scene(declared)),
        *(_svg_label(port, place) for port, place in _placed(declared)),
        "</svg>",
    ]
    return "\n".join(parts) + "\n"


def png(declared: Declaration, size: int = 128) -> bytes:
    """The icon as a square PNG with a transparent background."""
    pixel = 2 * EXTENT / size
    centres = -EXTENT + (np.arange(size) + 0.5) * pixel
    x, y = np.meshgrid(centres, -centres)
    image = np.zeros((size, size, 4))  # premultiplied with its opacity, so that layers add up
    for item in scene(declared):
        distance = _distance(item.shape, x, y)
        if item.paint is not None:
            signed = np.where(_inside(item.shape, x, y), -distance, distance)
            image = _over(image, item.paint, np.clip(0.5 - signed / pixel, 0, 1))
        image = _over(image, item.ink, np.clip(0.5 + (item.shape.width / 2 - distance) / pixel, 0, 1))
    return _encode(image)


# -- what is painted -------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Painted:
    """A shape with the colours of its outline and, where it is filled, of its area."""

    shape: Shape
    ink: str
    paint: str | None


def scene(declared: Declaration) -> list[Painted]:
    """Everything in the icon except its text, the lowest first."""
    return [*symbol(declared), *(_mark(port, place) for port, place in _placed(declared))]


def symbol(declared: Declaration) -> list[Painted]:
    """The drawing with leads to its ports, without their marks."""
    shapes = (declared.drawing if declared.drawing.shapes else _WITHOUT_DRAWING).shapes
    leads = [_lead(shapes, port, place) for port, place in _placed(declared)]
    drawn = [Painted(shape, INK, None if shape.fill is None else _grey(shape.fill)) for shape in shapes]
    return [*(lead for lead in leads if lead is not None), *drawn]


def _placed(declared: Declaration) -> list[tuple[Port, tuple[float, float]]]:
    places = port_positions(declared)
    return [(port, places[port.name]) for port in declared.ports]


def _on_edge(place: float) -> tuple[float, float]:
    """The point of the edge at a distance along it, clockwise from the middle of the left side."""
    if place < 1:
        return -1.0, place
    if place < 3:
        return place - 2, 1.0
    if place < 5:
        return 1.0, 4 - place
    if place < 7:
        return 6 - place, -1.0
    return -1.0, place - 8


def _mark(port: Port, place: tuple[float, float]) -> Painted:
    """A small square, filled where the port gives the motion."""
    x, y = place
    half = _MARK - _THIN / 2
    ink = port.kind.colour
    return Painted(
        Line(box(x - half, y - half, x + half, y + half, fill=1.0).points, 1.0, _THIN), ink, ink if port.side is Side.MOTION else "#ffffff"
    )


def _lead(shapes: tuple[Shape, ...], port: Port, place: tuple[float, float]) -> Painted | None:
    """A wire from the mark to the drawing, where the two do not touch."""
    reach = np.linspace(_MARK, 1.0, 181)
    x, y = place[0] * (1 - reach), place[1] * (1 - reach)
    covered = np.zeros(reach.shape, dtype=bool)
    for shape in shapes:
        covered |= _distance(shape, x, y) <= shape.width / 2
        if shape.fill is not None:
            covered |= _inside(shape, x, y)
    first = int(np.argmax(covered))
    if not covered[first] or first < 4:
        return None
    return Painted(Line((place, (float(x[first]), float(y[first]))), width=_THIN), port.kind.colour, None)


def _grey(level: float) -> str:
    """A level between the ink and white, so that fillings and outlines belong together."""
    return "#" + "".join(f"{round(255 * level + (1 - level) * int(INK[i : i + 2], 16)):02x}" for i in (1, 3, 5))


# -- SVG -------------------------------------------------------------------------------------------------------------


def _number(value: float) -> str:
    return f"{round(value, 4) + 0.0:g}"


def _svg_shape(item: Painted) -> str:
    style = f'fill="{item.paint or "none"}" stroke="{item.ink}" stroke-width="{_number(item.shape.width)}"'
    if isinstance(item.shape, Circle):
        return f'<circle cx="{_number(item.shape.x)}" cy="{_number(-item.shape.y)}" r="{_number(item.shape.radius)}" {style}/>'
    points = " ".join(f"{_number(x)},{_number(-y)}" for x, y in item.shape.points)
    return f'<{"polyline" if item.paint is None else "polygon"} points="{points}" {style}/>'


def _svg_label(port: Port, place: tuple[float, float]) -> str:
    """The name of the port beside its mark, on the side where there is room."""
    x, y = place
    if abs(x) == 1:
        where = f'x="{_number(math.copysign(1.1, x))}" y="{_number(-y - 0.15 if y <= 0.7 else -y + 0.25)}"'
        anchor = "start" if x < 0 else "end"
    else:
        where, anchor = f'x="{_number(x + 0.15)}" y="{_number(-y + 0.05)}"', "start"
    return (
        f'<text {where} text-anchor="{anchor}" font-family="sans-serif" font-size="0.16" fill="{port.kind.colour}">'
        f"{escape(port.name)}</text>"
    )


# -- PNG -------------------------------------------------------------------------------------------------------------


def _segments(shape: Line) -> list[tuple[tuple[float, float], tuple[float, float]]]:
    closed = shape.fill is not None
    return list(zip(shape.points, shape.points[1:] + shape.points[:1] if closed else shape.points[1:], strict=False))


def _distance(shape: Shape, x: Field, y: Field) -> Field:
    """The distance of points to the outline."""
    if isinstance(shape, Circle):
        return np.abs(np.hypot(x - shape.x, y - shape.y) - shape.radius)
    nearest = np.full(x.shape, np.inf)
    for (x1, y1), (x2, y2) in _segments(shape):
        dx, dy = x2 - x1, y2 - y1
        along = np.clip(((x - x1) * dx + (y - y1) * dy) / ((dx * dx + dy * dy) or 1.0), 0, 1)
        nearest = np.minimum(nearest, np.hypot(x - x1 - along * dx, y - y1 - along * dy))
    return nearest


def _inside(shape: Shape, x: Field, y: Field) -> npt.NDArray[np.bool_]:
    """Says which points lie inside; for polygons by the even-odd rule."""
    if isinstance(shape, Circle):
        return np.hypot(x - shape.x, y - shape.y) < shape.radius
    odd = np.zeros(x.shape, dtype=bool)
    for (x1, y1), (x2, y2) in _segments(shape):
        if y1 != y2:
            odd ^= ((y1 > y) != (y2 > y)) & (x < x1 + (y - y1) * (x2 - x1) / (y2 - y1))
    return odd


def _over(image: Field, paint: str, coverage: Field) -> Field:
    """Paints a colour over a premultiplied image."""
    layer = np.array([*(int(paint[i : i + 2], 16) / 255 for i in (1, 3, 5)), 1.0]) * coverage[..., None]
    return layer + image * (1 - coverage[..., None])


def _encode(image: Field) -> bytes:
    opacity = image[..., 3:]
    straight = np.concatenate([image[..., :3] / np.where(opacity > 0, opacity, 1), opacity], axis=2)
    pixels = np.round(255 * np.clip(straight, 0, 1)).astype(np.uint8)
    height, width = pixels.shape[:2]
    rows = b"".join(b"\0" + row.tobytes() for row in pixels)
    return (
        b"\x89PNG\r\n\x1a\n"
        + _chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 6, 0, 0, 0))
        + _chunk(b"IDAT", zlib.compress(rows, 9))
        + _chunk(b"IEND", b"")
    )


def _chunk(kind: bytes, data: bytes) -> bytes:
    return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))
