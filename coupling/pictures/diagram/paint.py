"""A diagram as a list of items to draw, from the back to the front, which SVG and Matplotlib draw alike."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

from coupling.pictures.colours import DOMAINS
from coupling.pictures.diagram.graph import Graph
from coupling.pictures.diagram.icon import Icon
from coupling.pictures.diagram.layout import Layout, PlacedNode, Point, layout_of
from coupling.pictures.diagram.words import NAME, PORT, SMALL, TITLE, shortened, width

MARGIN, HEAD, ROW = 24, 64, 22
"""Pixels around the diagram, above it for its title, and for a row of the legend."""
_SAMPLE = 26
"""The length of a wire in the legend."""
Corners = tuple[int, int, int, int]


@dataclass(frozen=True)
class Area:
    """A box, or the frame of a group."""

    corners: Corners
    look: str


@dataclass(frozen=True)
class Symbol:
    icon: Icon
    corners: Corners


@dataclass(frozen=True)
class Line:
    points: tuple[Point, ...]


@dataclass(frozen=True)
class Net_:
    """A wire with all its branches; ``crosses`` says whether it lies over another wire."""

    domain: str
    lines: tuple[tuple[Point, ...], ...]
    dots: tuple[Point, ...]
    crosses: bool = False
    framed: bool = False
    """True if it lies in the frame of a group."""


@dataclass(frozen=True)
class Mark:
    """Mark of a port; ``side`` is -1 at the left and 1 at the right of its box."""

    at: Point
    side: int
    domain: str
    look: str


@dataclass(frozen=True)
class Words:
    at: tuple[float, float]
    text: str
    look: str
    anchor: str = "start"

    @property
    def corners(self) -> tuple[float, float, float, float]:
        """Corners of the area of the words."""
        size = SIZES[self.look]
        reach = width(self.text, size)
        left = self.at[0] - {"start": 0.0, "middle": reach / 2, "end": reach}[self.anchor]
        return left, self.at[1] - 0.75 * size, left + reach, self.at[1] + 0.2 * size


SIZES = {"title": TITLE, "small": SMALL, "name": NAME, "group": NAME, "model": PORT, "port": PORT}


@dataclass(frozen=True)
class Box:
    """An instance: the text for a pointer, and the drawing."""

    told: str
    area: Area
    inside: Symbol | Words
    name: Words


Item = Area | Net_ | Mark | Words | Box


@dataclass(frozen=True)
class Picture:
    name: str
    width: int
    height: int
    items: tuple[Item, ...]


def picture_of(graph: Graph, headed: bool = True) -> Picture:
    """Returns the picture, with its title if it is ``headed``, and a legend of the domains that occur."""
    layout = layout_of(graph)
    domains = [domain for domain in DOMAINS if any(port.domain == domain for node in graph.nodes.values() for port in node.ports.values())]
    legend = 20 + sum(_SAMPLE + 30 + width(domain, SMALL) for domain in domains)
    told = f"{_counted(graph.instances, 'instance')}, {_counted(graph.connections, 'connection')}"
    title = shortened_title(graph.name)
    least = max(width(title, TITLE), width(told, SMALL), min(legend, 560)) if headed else min(legend, 560)
    across = max(layout.width, int(least)) + 2 * MARGIN
    moved = Layout(0, 0)
    top = HEAD if headed else MARGIN
    moved.put(layout, (across - layout.width) // 2, top)
    items: list[Item] = []
    if headed:
        items += [Words((MARGIN, 32), title, "title"), Words((MARGIN, 50), told, "small")]
    frames = [(frame.name, frame.corners) for frame in moved.frames]
    for _, corners in frames:
        items.append(Area(corners, "frame"))
    items += _wires(graph, moved)
    for name, (x, y, *_) in frames:
        items.append(Words((x + 10, y + 18), shortened(name), "group"))
    for placed in moved.nodes:
        items += _instance(placed)
    rows = list(_legend(domains, across, top + layout.height + 30))
    bottom = max((item.at[1] for item in rows if isinstance(item, Words)), default=top + layout.height) + MARGIN - 6
    return Picture(graph.name, across, int(bottom), (*items, *rows))


def shortened_title(text: str) -> str:
    return text if len(text) <= 60 else f"{text[:58]}…"


def _counted(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _instance(placed: PlacedNode) -> Iterator[Item]:
    node, (x1, y1, x2, y2) = placed.node, placed.corners
    middle = (x1 + x2) / 2
    told = f"{node.name}: {node.model}" + (f" ({node.told})" if node.told else "")
    side = 25
    symbol = (int(middle) - side, (y1 + y2) // 2 - side, int(middle) + side, (y1 + y2) // 2 + side)
    inside: Symbol | Words = (
        Symbol(node.icon, symbol)
        if node.icon
        else Words((middle, (y1 + y2) / 2 + 3), _fitting(node.model, x2 - x1 - 10), "model", "middle")
    )
    yield Box(told, Area(placed.corners, "box"), inside, Words((middle, y2 + 14), placed.label, "name", "middle"))
    for each in placed.ports:
        port = node.ports[each.name]
        out = -1 if each.side == "L" else 1
        yield Mark(each.at, out, port.domain, port.look)
        clear = 11 if port.look in ("input", "drive") else 7
        yield Words((each.at[0] + clear * out, each.at[1] - 5), each.name, "port", "end" if out < 0 else "start")


def _fitting(text: str, room: float) -> str:
    while width(text, PORT) > room and len(text) > 4:
        text = f"{text.removesuffix('…')[:-1]}…"
    return text


def _wires(graph: Graph, layout: Layout) -> Iterator[Net_]:
    """Yields the wires, signals first and therefore below the others."""
    domains = {wire.hub: wire.domain for wire in graph.wires}
    below: list[tuple[Point, Point]] = []
    frames = [frame.corners for frame in layout.frames]
    for net in sorted(layout.wires, key=lambda net: domains[net] != "signal"):
        lines = layout.wires[net]
        parts = [part for line in lines for part in pairwise(line)]
        crosses = any(_cross(one, other) for one in parts for other in below)
        below += parts
        framed = any(all(x1 <= x <= x2 and y1 <= y <= y2 for line in lines for x, y in line) for x1, y1, x2, y2 in frames)
        yield Net_(domains[net], tuple(map(tuple, lines)), tuple(layout.dots.get(net, ())), crosses, framed)


def _cross(one: tuple[Point, Point], other: tuple[Point, Point]) -> bool:
    return all(
        min(one[0][i], one[1][i]) <= max(other[0][i], other[1][i]) and min(other[0][i], other[1][i]) <= max(one[0][i], one[1][i])
        for i in (0, 1)
    )


def _legend(domains: list[str], across: int, y: int) -> Iterator[Item]:
    x = float(MARGIN)
    for domain in domains:
        reach = _SAMPLE + 30 + width(domain, SMALL)
        if x > MARGIN and x + reach - 24 > across - MARGIN:
            x, y = float(MARGIN), y + ROW
        yield Net_(domain, (((int(x), y - 4), (int(x) + _SAMPLE, y - 4)),), ())
        yield Words((int(x) + _SAMPLE + 6, y), domain, "small")
        x += reach
