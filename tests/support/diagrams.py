"""A diagram held against geometry, as its SVG is written: what lies over what."""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import combinations, pairwise
from xml.etree import ElementTree

from coupling.pictures.diagram.graph import Graph, Node, Port, Wire
from coupling.pictures.diagram.words import NAME, PORT, SMALL, TITLE, width

Corners = tuple[float, float, float, float]
Point = tuple[float, float]
_SVG = "{http://www.w3.org/2000/svg}"
_SIZES = {"title": TITLE, "small": SMALL, "name": NAME, "group": NAME, "model": PORT, "port": PORT}


def graph_between(pairs: list[tuple[str, str]], names: tuple[str, ...] = (), source: str = "") -> Graph:
    """A graph without FMUs: wires between ``node:port`` texts, the first of which may have several partners."""
    nodes: dict[str, Node] = {name: Node(name, "tool.Block", None, "", False) for name in names}
    wires = []
    for pair in pairs:
        ends = []
        for look, text in zip(("motion", "effort"), pair, strict=True):
            name, port = text.split(":")
            node = nodes.setdefault(name, Node(name, "tool.Block", None, "", name == source))
            node.ports.setdefault(port, Port(port, "planar", look))
            ends.append((name, port))
        wires.append(Wire(ends[0], ends[1], "planar"))
    return Graph("a graph", nodes, tuple(dict.fromkeys(wires)), len(nodes), len(pairs))


def offences(text: str) -> Iterator[str]:
    """Wires through boxes and words, wires of which one runs along another, words over words, boxes over boxes."""
    root = ElementTree.fromstring(text)
    boxes = [_corners(each) for each in root.iter(f"{_SVG}rect") if each.get("class") == "box"]
    frames = [_corners(each) for each in root.iter(f"{_SVG}rect") if each.get("class") == "frame"]
    wires = [list(_lines(each.get("d", ""))) for each in root.iter(f"{_SVG}path") if (each.get("class") or "").startswith("wire")]
    words = [(each.text or "", _room(each)) for each in root.iter(f"{_SVG}text")]
    outside = [(text, room) for text, room in words if not any(_inside(room, box) for box in boxes)]
    for wire in wires:
        for line in wire:
            yield from (f"a wire along {line} goes through the box {box}" for box in boxes if _through(line, box))
            yield from (f"a wire along {line} goes through '{text}'" for text, room in words if _through(line, room))
    yield from _runs_along(wires)
    for (a, one), (b, other) in combinations(words, 2):
        if _overlap(one, other):
            yield f"'{a}' lies over '{b}'"
    for box, other in combinations([*boxes, *frames], 2):
        if _overlap(box, other) and not _inside(box, other) and not _inside(other, box):
            yield f"the box {box} lies over the box {other}"
    for label, room in outside:
        yield from (f"'{label}' lies over the box {box}" for box in boxes if _overlap(room, box))
    w, h = float(root.get("width", "")), float(root.get("height", ""))
    for what, room in [*words, *(("a box", box) for box in [*boxes, *frames])]:
        if not _inside(room, (0, 0, w, h)):
            yield f"'{what}' reaches beyond the edge"


def _corners(rect: ElementTree.Element) -> Corners:
    x, y, w, h = (float(rect.get(key, "")) for key in ("x", "y", "width", "height"))
    return x, y, x + w, y + h


def _room(text: ElementTree.Element) -> Corners:
    size = _SIZES[text.get("class", "")]
    reach, x, y = width(text.text or "", size), float(text.get("x", "")), float(text.get("y", ""))
    left = x - {"start": 0.0, "middle": reach / 2, "end": reach}[text.get("text-anchor", "start")]
    return left, y - 0.75 * size, left + reach, y + 0.15 * size


def _lines(path: str) -> Iterator[tuple[Point, Point]]:
    """Straight pieces; of a round corner those of its tangents."""
    for part in path.split("M")[1:]:
        numbers = [float(each) for each in re.findall(r"-?[\d.]+", part)]
        yield from ((a, b) for a, b in pairwise(zip(numbers[::2], numbers[1::2], strict=True)) if a != b)


def _through(line: tuple[Point, Point], room: Corners, by: float = 0.6) -> bool:
    (x1, y1), (x2, y2) = line
    return min(x1, x2) < room[2] - by and room[0] + by < max(x1, x2) and min(y1, y2) < room[3] - by and room[1] + by < max(y1, y2)


def _runs_along(wires: list[list[tuple[Point, Point]]]) -> Iterator[str]:
    """Parallel lines of two wires nearer to each other than 3 pixels, for more than 2 pixels."""
    for across in (0, 1):
        found = sorted(
            (line[0][across], *sorted(p[1 - across] for p in line), number)
            for number, wire in enumerate(wires)
            for line in wire
            if line[0][across] == line[1][across]
        )
        for i, (place, a, b, number) in enumerate(found):
            for other in found[i + 1 :]:
                if other[0] - place >= 3:
                    break
                if other[3] != number and min(b, other[2]) - max(a, other[1]) > 2:
                    yield f"one wire runs along another, at {place:g} from {a:g} to {b:g}"


def _overlap(one: Corners, other: Corners) -> bool:
    return one[0] < other[2] and other[0] < one[2] and one[1] < other[3] and other[1] < one[3]


def _inside(inner: Corners, outer: Corners) -> bool:
    return outer[0] <= inner[0] and outer[1] <= inner[1] and inner[2] <= outer[2] and inner[3] <= outer[3]
