"""The icons of all components."""

from __future__ import annotations

import struct
import zlib
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from fmu_components.catalogue import all_components
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Declaration
from fmu_components.declare.icon import Circle, Drawing, Line, box, circle, line
from fmu_components.declare.ports import KINDS, PLANAR, Port, Side
from fmu_components.export.pages.icons import EXTENT, png, port_positions, svg
from tests.support.properties import check_all

SVG = "{http://www.w3.org/2000/svg}"


def decoded(data: bytes) -> np.ndarray:
    """The pixels of a PNG without filters, checking every chunk."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, header, packed = 8, None, b""
    while at < len(data):
        length, kind = struct.unpack(">I4s", data[at : at + 8])
        body = data[at + 8 : at + 8 + length]
        assert struct.unpack(">I", data[at + 8 + length : at + 12 + length])[0] == zlib.crc32(kind + body)
        if kind == b"IHDR":
            header = struct.unpack(">IIBBBBB", body)
        packed += body if kind == b"IDAT" else b""
        at += 12 + length
    assert header is not None and header[2:] == (8, 6, 0, 0, 0)
    width, height = header[:2]
    rows = np.frombuffer(zlib.decompress(packed), np.uint8).reshape(height, 1 + 4 * width)
    assert not rows[:, 0].any()
    return rows[:, 1:].reshape(height, width, 4)


def pixel_at(image: np.ndarray, x: float, y: float) -> np.ndarray:
    size = len(image)
    return image[int((EXTENT - y) / (2 * EXTENT) * size), int((x + EXTENT) / (2 * EXTENT) * size)]


def rgb(text: str) -> list[int]:
    return [int(text[i : i + 2], 16) for i in (1, 3, 5)]


def drawn(*shapes: Line | Circle, ports: tuple[Port, ...] = ()) -> Declaration:
    """A declaration of which only drawing and ports matter."""
    return replace(declaration(all_components()["planar.Fixed"]), drawing=Drawing(*shapes), ports=ports)


def ports(count: int) -> tuple[Port, ...]:
    return tuple(Port(f"p{number}", PLANAR, Side.MOTION, "") for number in range(1, count + 1))


def check_png_shows_every_shape_and_port_on_transparent_ground(declared: Declaration) -> None:
    """The PNG has the size asked for, opaque pixels along every line and inside every port, and transparent corners."""
    image = decoded(png(declared, 160))
    assert image.shape == (160, 160, 4)
    for shape in declared.drawing.shapes:
        start = (shape.x + shape.radius, shape.y) if isinstance(shape, Circle) else shape.points[0]
        assert pixel_at(image, *start)[3] > 200
    for x, y in port_positions(declared).values():
        assert pixel_at(image, x, y)[3] == 255
    assert not image[[0, 0, -1, -1], [0, -1, 0, -1], 3].any()


def check_png_is_deterministic(declared: Declaration) -> None:
    """Drawing an icon twice gives the same bytes."""
    assert png(declared) == png(declared)


def check_svg_is_well_formed_and_self_contained(declared: Declaration) -> None:
    """The SVG parses, names every port, draws every shape and port, and refers to nothing outside."""
    text = svg(declared)
    root = ElementTree.fromstring(text)
    assert root.tag == f"{SVG}svg"
    assert root.findtext(f"{SVG}title") == declared.name
    assert [each.text for each in root.findall(f"{SVG}text")] == [port.name for port in declared.ports]
    shapes = [each for kind in ("circle", "polygon", "polyline") for each in root.findall(f"{SVG}{kind}")]
    assert len(shapes) >= len(declared.drawing.shapes) + len(declared.ports)
    assert text.count("http") == 1 and "href" not in text and "url(" not in text


@pytest.mark.parametrize("part", [0, *(pytest.param(part, marks=pytest.mark.slow) for part in range(1, 8))])
def test_every_icon(part: int) -> None:
    """The checks above hold for each component, an eighth of them at a time."""
    for component in list(all_components().values())[part::8]:
        check_all(
            check_png_shows_every_shape_and_port_on_transparent_ground,
            check_png_is_deterministic,
            check_svg_is_well_formed_and_self_contained,
            declared=declaration(component),
        )


def test_the_first_four_ports_are_left_right_top_bottom() -> None:
    """Ports take the middles of the sides in the order left, right, top, bottom."""
    assert list(port_positions(drawn(ports=ports(4))).values()) == [(-1, 0), (1, 0), (0, 1), (0, -1)]


@pytest.mark.parametrize("count", [1, 3, 5, 7, 8, 11, 16])
def test_ports_lie_apart_on_the_edge(count: int) -> None:
    """Any number of ports lie on the edge of the square, no two closer than their marks are wide."""
    places = list(port_positions(drawn(ports=ports(count))).values())
    assert len(places) == count
    assert all(max(abs(x), abs(y)) == 1 for x, y in places)
    gaps = [max(abs(a - c), abs(b - d)) for i, (a, b) in enumerate(places) for c, d in places[:i]]
    assert min(gaps, default=1) > 0.2


def test_further_ports_spread_evenly() -> None:
    """Sixteen ports divide the edge into sixteen equal parts."""
    places = port_positions(drawn(ports=ports(16))).values()
    steps = {(round(2 * x, 9), round(2 * y, 9)) for x, y in places}
    assert steps == {(i, j) for i in range(-2, 3) for j in range(-2, 3) if max(abs(i), abs(j)) == 2}


@pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.identifier)
def test_marks_tell_side_and_kind(kind) -> None:
    """A port that gives the motion is filled with the colour of its kind, one that gives the effort is hollow."""
    image = decoded(png(drawn(ports=(Port("a", kind, Side.MOTION, ""), Port("b", kind, Side.EFFORT, ""))), 256))
    assert pixel_at(image, -1, 0).tolist() == [*rgb(kind.colour), 255]
    assert pixel_at(image, 1, 0).tolist() == [255, 255, 255, 255]
    assert pixel_at(image, 1, 0.08).tolist() == [*rgb(kind.colour), 255]


def test_kinds_have_different_colours() -> None:
    """Each kind of port has a colour of its own."""
    assert len({kind.colour for kind in KINDS}) == len(KINDS)


def test_polygons_are_filled_by_the_even_odd_rule() -> None:
    """A polygon that winds twice around its middle leaves the middle empty."""
    outer, inner = [(-0.8, -0.8), (0.8, -0.8), (0.8, 0.8), (-0.8, 0.8)], [(-0.4, -0.4), (0.4, -0.4), (0.4, 0.4), (-0.4, 0.4)]
    image = decoded(png(drawn(line(*outer, outer[0], *inner, inner[0], fill=0.5))))
    assert pixel_at(image, 0.6, 0)[3] == 255
    assert pixel_at(image, 0.1, 0)[3] == 0


def test_edges_are_smooth() -> None:
    """The opacity of a disc adds up to its area, which needs partly covered pixels along its edge."""
    image = decoded(png(drawn(circle(0, 0, 0.5, fill=1.0)), 64))
    area = image[..., 3].sum() / 255 * (2 * EXTENT / 64) ** 2
    assert area == pytest.approx(np.pi * 0.53**2, rel=2e-3)
    assert ((image[..., 3] > 0) & (image[..., 3] < 255)).sum() > 50


def test_later_shapes_cover_earlier_ones() -> None:
    """Shapes are painted in the order in which they are declared."""
    image = decoded(png(drawn(circle(0, 0, 0.5, fill=0.0), circle(0, 0, 0.3, fill=1.0))))
    assert pixel_at(image, 0, 0).tolist() == [255, 255, 255, 255]


def test_a_wire_joins_a_port_to_a_distant_drawing() -> None:
    """A line in the colour of the port leads up to a drawing that does not reach the edge."""
    image = decoded(png(drawn(circle(0, 0, 0.3, fill=1.0), ports=ports(1)), 256))
    assert pixel_at(image, -0.6, 0).tolist() == [*rgb(PLANAR.colour), 255]
    assert pixel_at(image, 0.6, 0)[3] == 0


def test_a_component_without_a_drawing_gets_a_box() -> None:
    """An empty drawing is shown as a plain box, in both formats."""
    empty = drawn(ports=ports(2))
    assert pixel_at(decoded(png(empty)), 0, 0)[3] == 255
    assert ElementTree.fromstring(svg(empty)).find(f"{SVG}polygon") is not None


def test_names_are_escaped() -> None:
    """A port whose name has a special character leaves the SVG well-formed."""
    declared = drawn(box(-0.5, -0.5, 0.5, 0.5), ports=(Port("a<b&c", PLANAR, Side.MOTION, ""),))
    assert ElementTree.fromstring(svg(declared)).findtext(f"{SVG}text") == "a<b&c"
