"""Layout of a diagram: boxes in columns, wires along rows and along tracks between the columns. Coordinates are whole pixels, y
downwards.

No wire meets a box by construction: along a row it passes a column only at a bend that keeps the place free, and no box stands on a track.
Included systems are laid out first, each for itself, and then stand in a column as one box, at whose frame wires enter.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import pairwise

from coupling.pictures.diagram.graph import Graph, Node, Wire
from coupling.pictures.diagram.heights import settle
from coupling.pictures.diagram.layers import LEFT, RIGHT, Box, Layers, Link, layered, ordered, ranked
from coupling.pictures.diagram.routes import Piece, routes
from coupling.pictures.diagram.words import NAME, PORT, shortened, width

BOX, PITCH = 60, 16
"""The side of a box, and the distance of ports on it."""
_UNDER = 18
"""Height in pixels for the name below a box."""
_TRACK, _FIRST = 12, 16
"""Distance in pixels of tracks, and of the first track from the column."""
_FRAME, _HEAD = 16, 30
"""Room inside the frame of a group, and above for its name."""
_OUTWARD = {LEFT: -1, RIGHT: 1}
Net = tuple[str, str]
Point = tuple[int, int]


@dataclass
class PlacedPort:
    name: str
    side: str
    at: Point


@dataclass
class PlacedNode:
    """A box by its corners, its ports, and its name below."""

    node: Node
    corners: tuple[int, int, int, int]
    label: str
    ports: list[PlacedPort] = field(default_factory=list)


@dataclass
class Frame:
    """Frame of an included system."""

    name: str
    corners: tuple[int, int, int, int]


@dataclass
class Layout:
    width: int
    height: int
    nodes: list[PlacedNode] = field(default_factory=list)
    frames: list[Frame] = field(default_factory=list)
    wires: dict[Net, list[list[Point]]] = field(default_factory=dict)
    """Lines by the port from which they come."""
    dots: dict[Net, list[Point]] = field(default_factory=dict)
    """Points at which lines of one wire meet."""

    def put(self, other: Layout, x: int, y: int) -> None:
        """Puts another layout inside this one."""
        for placed in other.nodes:
            ports = [PlacedPort(port.name, port.side, (port.at[0] + x, port.at[1] + y)) for port in placed.ports]
            self.nodes.append(PlacedNode(placed.node, _moved(placed.corners, x, y), placed.label, ports))
        self.frames += [Frame(frame.name, _moved(frame.corners, x, y)) for frame in other.frames]
        for net, lines in other.wires.items():
            self.wires.setdefault(net, []).extend([(u + x, v + y) for u, v in line] for line in lines)
        for net, dots in other.dots.items():
            self.dots.setdefault(net, []).extend((u + x, v + y) for u, v in dots)


def _moved(corners: tuple[int, int, int, int], x: int, y: int) -> tuple[int, int, int, int]:
    return corners[0] + x, corners[1] + y, corners[2] + x, corners[3] + y


def layout_of(graph: Graph) -> Layout:
    return _Level(graph, "", {}).layout()


class _Level:
    """The instances and groups inside one group, or at the top."""

    def __init__(self, graph: Graph, prefix: str, sides: dict[Net, list[str]]) -> None:
        """Takes the graph; ``sides`` are the sides at which wires enter from outside or leave."""
        self.graph, self.prefix = graph, prefix
        self.nodes: dict[str, Node] = {}
        self.boxes: dict[str, Box] = {}
        self.inner: dict[str, Layout] = {}
        self.stubs: dict[tuple[Net, str], Box] = {}
        for name, node in graph.nodes.items():
            if name.startswith(prefix):
                head, dot, _ = name[len(prefix) :].partition(".")
                self.boxes.setdefault(prefix + head, Box(prefix + head, source=not dot and node.source))
                if not dot:
                    self.nodes[name] = node
        for net, entered in sides.items():
            for side in entered:
                self.stubs[net, side] = Box("", pinned=side)
        self.links, self.loops = self._links()
        boxes = [*self.boxes.values(), *self.stubs.values()]
        self.layers: Layers = layered(boxes, ranked(boxes, self.links))
        for loop in self.loops:
            for port in (loop.port_a, loop.port_b):
                if port not in loop.a.ports[RIGHT]:
                    loop.a.ports[RIGHT].append(port)

    def _item(self, name: str) -> Box | None:
        head, _, _ = name[len(self.prefix) :].partition(".")
        return self.boxes[self.prefix + head] if name.startswith(self.prefix) else None

    def _links(self) -> tuple[list[Link], list[Link]]:
        found: dict[Link, None] = {}
        loops: dict[Link, None] = {}
        for wire in self.graph.wires:
            hub, other = self._item(wire.hub[0]), self._item(wire.other[0])
            if hub is None and other is None:
                continue
            if hub is None or other is None:
                inside = hub or other
                assert inside
                port = self._port(inside, wire, wire.hub if hub else wire.other)
                for (net, _), stub in self.stubs.items():
                    if net == wire.hub:
                        found[Link(inside, port, stub, "", net)] = None
            elif hub is not other:
                found[Link(hub, self._port(hub, wire, wire.hub), other, self._port(other, wire, wire.other), wire.hub)] = None
            elif hub.name in self.nodes:
                loops[Link(hub, wire.hub[1], hub, wire.other[1], wire.hub)] = None
        return list(found), list(loops)

    def _port(self, box: Box, wire: Wire, end: tuple[str, str]) -> Hashable:
        """Returns the key of a port: its name, or for a group the wire that enters it."""
        return end[1] if box.name in self.nodes else wire.hub

    def layout(self) -> Layout:
        for name, box in self.boxes.items():
            if name in self.nodes:
                self._size(box, self.nodes[name])
            else:
                self._size_of_group(box)
        for column in self.layers.columns:
            for box in column:
                if box.bend or box.pinned:
                    box.offsets = {(side, port): 0 for side, ports in box.ports.items() for port in ports}
        ordered(self.layers)
        for name in self.nodes:
            self._set_offsets(self.boxes[name])
        settle(self.layers)
        return self._drawn()

    def _size(self, box: Box, node: Node) -> None:
        """Sizes a box by its ports; open ports go to the side with more room."""
        for name, port in node.ports.items():
            if name not in box.ports[LEFT] and name not in box.ports[RIGHT]:
                side = LEFT if port.look == "drive" or len(box.ports[LEFT]) < len(box.ports[RIGHT]) else RIGHT
                box.ports[side].append(name)
        most = max(len(ports) for ports in box.ports.values())
        half = max(BOX, PITCH * most + 10) // 2
        box.half = BOX // 2 if node.icon else min(2 * BOX, max(BOX, _even(width(node.model, PORT) + 14))) // 2
        box.above, box.below = half, half + _UNDER
        label = width(shortened(box.name[len(self.prefix) :]), NAME) / 2
        reach = {side: max((width(str(port), PORT) + 14 for port in ports), default=0.0) for side, ports in box.ports.items()}
        box.left, box.right = (math.ceil(max(box.half + reach[side], label)) for side in (LEFT, RIGHT))

    def _size_of_group(self, box: Box) -> None:
        sides: dict[Net, list[str]] = {}
        for side, ports in box.ports.items():
            for net in ports:
                sides.setdefault(net, []).append(side)  # type: ignore[arg-type]  # those of groups are nets
        level = _Level(self.graph, f"{box.name}.", sides)
        inside = self.inner[box.name] = level.layout()
        box.half = box.left = box.right = inside.width // 2
        box.above = box.below = inside.height // 2
        box.fixed = True
        for (net, side), stub in level.stubs.items():
            box.offsets[side, net] = stub.y - box.above
        for side, ports in box.ports.items():
            ports.sort(key=lambda net, side=side: box.offsets[side, net])  # type: ignore[misc]

    def _set_offsets(self, box: Box) -> None:
        for side, ports in box.ports.items():
            for i, port in enumerate(ports):
                box.offsets[side, port] = PITCH * i - PITCH * (len(ports) - 1) // 2

    def _drawn(self) -> Layout:
        columns = self.layers.columns
        every = [box for column in columns for box in column]
        nets = [self._pieces(gap) for gap in range(len(columns))]
        self._set_columns([pieces.tracks for pieces in nets])
        left, right = self._edges()
        head = _HEAD if self.prefix else 0
        top = min((box.y - box.above for box in every), default=0) - (head or 0)
        bottom = max((box.y + box.below for box in every), default=0) + (_FRAME - 4 if self.prefix else 0)
        layout = Layout(_even(right - left), _even(bottom - top))
        for box in every:
            box.x, box.y = box.x - left, box.y - top
        for gap, pieces in enumerate(nets):
            start = self._end_of(gap)
            for net, lines, dots in pieces.drawn(lambda box, side: int(box.x + _OUTWARD[side] * box.half), start + _FIRST, _TRACK, -top):
                layout.wires.setdefault(net, []).extend(lines)
                layout.dots.setdefault(net, []).extend(dots)
        layout.wires = {net: _merged(lines) for net, lines in layout.wires.items()}
        for name, box in self.boxes.items():
            x, y, half = int(box.x), int(box.y), int(box.half)
            if name in self.nodes:
                layout.nodes.append(self._placed(box, self.nodes[name]))
            else:
                corners = (x - half, y - int(box.above), x - half + self.inner[name].width, y - int(box.above) + self.inner[name].height)
                layout.frames.append(Frame(name[len(self.prefix) :], corners))
                layout.put(self.inner[name], *corners[:2])
        return layout

    def _placed(self, box: Box, node: Node) -> PlacedNode:
        x, y, half, above = int(box.x), int(box.y), int(box.half), int(box.above)
        ports = [
            PlacedPort(str(port), side, (x + _OUTWARD[side] * half, y + int(box.offsets[side, port])))
            for side, each in box.ports.items()
            for port in each
        ]
        return PlacedNode(node, (x - half, y - above, x + half, y + above), shortened(box.name[len(self.prefix) :]), ports)

    def _pieces(self, gap: int) -> Piece:
        loops = [loop for loop in self.loops if loop.a.rank == gap]
        return routes(self.layers.gaps[gap], loops)

    def _set_columns(self, tracks: Sequence[int]) -> None:
        """Sets the places of columns, each as wide as its boxes, with room for the tracks before the next one."""
        x = 0
        for column, count in zip(self.layers.columns, tracks, strict=True):
            left, right = (math.ceil(max((getattr(box, side) for box in column), default=0)) for side in ("left", "right"))
            for box in column:
                box.x = x + left
            x += left + right + 2 * _FIRST + _TRACK * max(0, count - 1)

    def _end_of(self, gap: int) -> int:
        """Returns the end of a column, at which tracks may begin."""
        column = self.layers.columns[gap]
        return int(column[0].x) + math.ceil(max(box.right for box in column))

    def _edges(self) -> tuple[int, int]:
        """Returns the edges of the content, with room inside a frame; wires end at the frame itself."""
        columns = self.layers.columns
        boxes = [box for column in columns for box in column]
        room = _FRAME if self.prefix else 0
        left = int(min((box.x - box.left for box in boxes), default=0)) - room
        loops = max((loop.a.rank for loop in self.loops), default=-1) == len(columns) - 1
        right = int(max((box.x + box.right for box in boxes), default=0)) + max(room, 2 * _FIRST if loops else 0)
        stubs = {side: [box for (_, at), box in self.stubs.items() if at == side] for side in (LEFT, RIGHT)}
        left = int(stubs[LEFT][0].x) if stubs[LEFT] else left
        return left, int(stubs[RIGHT][0].x) if stubs[RIGHT] else right


def _even(value: float) -> int:
    return 2 * math.ceil(value / 2)


def _merged(lines: Iterable[list[Point]]) -> list[list[Point]]:
    """Returns lines without joints: lines that meet end to end become one, and points within a straight line go."""
    found: list[list[Point]] = []
    for line in sorted(lines):
        before = next((each for each in found if each[-1] == line[0]), None)
        if before is None:
            found.append(line)
        else:
            before += line[1:]
    return [_straight(line) for line in found]


def _straight(line: list[Point]) -> list[Point]:
    kept = [line[0]]
    for here, after in pairwise(line[1:]):
        if not (kept[-1][0] == here[0] == after[0] or kept[-1][1] == here[1] == after[1]):
            kept.append(here)
    return [*kept, line[-1]]
