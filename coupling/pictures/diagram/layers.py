"""Layers of a diagram: the column, the order and the sides of ports of each box.

The method is that of Sugiyama, Tagawa and Toda (1981): ranks, bends where a wire passes a column, and orders by medians with few crossings.
Mechanisms have no direction; therefore ranks grow with the distance from components that only give: the ground, sources, tanks.
"""

from __future__ import annotations

import random
from bisect import bisect_right, insort
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

LEFT, RIGHT = "L", "R"
_SWEEPS, _PATIENCE = 24, 6
_ACROSS = 3
"""Least number of boxes without any wire that stand side by side."""
Net = Hashable


@dataclass(eq=False)
class Box:
    """Box in a column: an instance, a group, the end of a wire at the frame of a group, or the bend of a wire that passes."""

    name: str
    source: bool = False
    pinned: str = ""
    """Side of the diagram to which the box is bound."""
    bend: bool = False
    ports: dict[str, list[Hashable]] = field(default_factory=lambda: {LEFT: [], RIGHT: []})
    """Ports by side, from the top down."""
    fixed: bool = False
    """True if the order of its ports is given."""
    part: int = 0
    """Number of the part; boxes of one part are connected with each other."""
    rank: int = 0
    index: int = 0
    half: float = 0.0
    """Half the width of the box itself."""
    above: float = 0.0
    below: float = 0.0
    left: float = 0.0
    right: float = 0.0
    """Extent to the right of its middle, with its texts."""
    offsets: dict[tuple[str, Hashable], float] = field(default_factory=dict)
    """Distances of ports below the middle."""
    x: float = 0.0
    y: float = 0.0


@dataclass(frozen=True)
class Link:
    """Link from a box to one in a later column, or between two ports of one box."""

    a: Box
    port_a: Hashable
    b: Box
    port_b: Hashable
    net: Net


def ranked(boxes: Sequence[Box], links: Iterable[Link]) -> list[Link]:
    """Gives each box its rank, and returns the links from lower to higher ranks; those within one box are left out."""
    order = {box: i for i, box in enumerate(boxes)}
    between = [link for link in links if link.a is not link.b]
    free = [box for box in boxes if not box.pinned]
    inner = [link for link in between if not link.a.pinned and not link.b.pinned]
    near: dict[Box, dict[Box, None]] = {box: {} for box in free}
    for link in inner:
        near[link.a][link.b] = near[link.b][link.a] = None
    first = {link.b if link.a.pinned == LEFT else link.a for link in between if LEFT in (link.a.pinned, link.b.pinned)}
    distance = _distances(free, near, [box for box in free if box.source or box in first])

    def key(box: Box) -> tuple[int, int]:
        return distance[box], order[box]

    before: dict[Box, list[Box]] = {box: [] for box in free}
    after: dict[Box, list[Box]] = {box: [] for box in free}
    for link in inner:
        a, b = sorted((link.a, link.b), key=key)
        before[b].append(a)
        after[a].append(b)
    upwards = sorted(free, key=key)
    for box in upwards:
        box.rank = max((each.rank + 1 for each in before[box]), default=0)
    for _ in range(20):  # pulled to the medians of their neighbours
        for box in reversed(upwards):
            wanted = sorted([each.rank + 1 for each in before[box]] + [each.rank - 1 for each in after[box]])
            low = max((each.rank + 1 for each in before[box]), default=0)
            high = min((each.rank - 1 for each in after[box]), default=box.rank)
            box.rank = min(max(wanted[len(wanted) // 2] if wanted else box.rank, low), max(high, low))
    alone = [box for box in free if not near[box]]
    for i, box in enumerate(alone):  # in rows
        box.rank = i % max(_ACROSS, *(1 + each.rank for each in free))
    _pin(boxes, free)
    return [link if link.a.rank < link.b.rank else Link(link.b, link.port_b, link.a, link.port_a, link.net) for link in between]


def _distances(boxes: Sequence[Box], near: Mapping[Box, Mapping[Box, None]], roots: list[Box]) -> dict[Box, int]:
    """Returns the distance from the nearest root. Boxes that no root reaches count from the one with the most neighbours; marks
    connected parts."""
    distance = dict.fromkeys(roots, 0)
    queue = list(roots)
    while True:
        for box in queue:  # grows
            for other in near[box]:
                if other not in distance:
                    distance[other] = distance[box] + 1
                    queue.append(other)
        missing = [box for box in boxes if box not in distance]
        if not missing:
            break
        queue = [max(missing, key=lambda box: len(near[box]))]
        distance[queue[0]] = 0
    part = 0
    seen: set[Box] = set()
    for start in sorted(boxes, key=lambda box: not near[box]):  # what has no wire comes last
        if start not in seen:
            part += 1
            queue = [start]
            seen.add(start)
            for box in queue:
                box.part = part
                queue += [other for other in near[box] if other not in seen]
                seen.update(near[box])
    return distance


def _pin(boxes: Sequence[Box], free: Sequence[Box]) -> None:
    """Moves ends at the frame to its sides."""
    lowest, highest = min((box.rank for box in free), default=0), max((box.rank for box in free), default=0)
    at_left = any(box.pinned == LEFT for box in boxes)
    for box in boxes:
        rank = {LEFT: lowest - 1, RIGHT: highest + 1}.get(box.pinned, box.rank)
        box.rank = rank - lowest + at_left


@dataclass
class Layers:
    """Columns of boxes, from left to right and from above, and the links between neighbouring ones."""

    columns: list[list[Box]]
    links: list[Link]

    def __post_init__(self) -> None:
        self.gaps: list[list[Link]] = [[] for _ in self.columns]
        """Links by the column where they begin."""
        self.before: dict[Box, list[Link]] = {box: [] for column in self.columns for box in column}
        self.after: dict[Box, list[Link]] = {box: [] for column in self.columns for box in column}
        for link in self.links:
            self.gaps[link.a.rank].append(link)
            self.after[link.a].append(link)
            self.before[link.b].append(link)
        self.count()

    def count(self) -> None:
        for column in self.columns:
            for i, box in enumerate(column):
                box.index = i

    def crossings(self, gaps: Iterable[int] | None = None) -> int:
        """Returns the number of crossings of links between neighbouring columns."""
        total = 0
        for gap in range(len(self.columns)) if gaps is None else gaps:
            seen: list[float] = []
            for _, end in sorted((place(link.a, RIGHT, link.port_a), place(link.b, LEFT, link.port_b)) for link in self.gaps[gap]):
                total += len(seen) - bisect_right(seen, end)
                insort(seen, end)
        return total


def place(box: Box, side: str, port: Hashable) -> float:
    """Returns the place of an end in its column, in boxes."""
    ports = box.ports[side]
    return box.index if len(ports) < 2 else box.index + 0.8 * ((ports.index(port) + 1) / (len(ports) + 1) - 0.5)


def layered(boxes: Sequence[Box], links: Sequence[Link]) -> Layers:
    """Returns the layers, with bends in all columns that a link passes; links of one net share them. Ports get their sides."""
    columns: list[list[Box]] = [[] for _ in range(1 + max((box.rank for box in boxes), default=0))]
    for box in boxes:
        columns[box.rank].append(box)
    bends: dict[tuple[Net, int], Box] = {}
    pieces: dict[tuple[Box, Hashable, Box, Hashable], Link] = {}
    for link in links:
        last, port = link.a, link.port_a
        for rank in range(link.a.rank + 1, link.b.rank):
            if (link.net, rank) not in bends:
                bends[link.net, rank] = bend = Box("", bend=True, rank=rank, part=link.a.part)
                columns[rank].append(bend)
            bend = bends[link.net, rank]
            pieces[last, port, bend, ""] = Link(last, port, bend, "", link.net)
            last, port = bend, ""
        pieces[last, port, link.b, link.port_b] = Link(last, port, link.b, link.port_b, link.net)
    for piece in pieces.values():
        for box, side, end in ((piece.a, RIGHT, piece.port_a), (piece.b, LEFT, piece.port_b)):
            if end not in box.ports[side]:
                box.ports[side].append(end)
    return Layers(columns, list(pieces.values()))


def ordered(layers: Layers) -> None:
    """Sorts boxes and ports into an order with few crossings: medians from many starts, then swaps of neighbours. The result is always
    the same."""
    chance = random.Random(1)
    best: tuple[int, list[list[Box]], list[tuple[Box, dict[str, list[Hashable]]]]] | None = None
    for start in range(min(24, max(4, 2400 // (len(layers.links) + 1)))):
        if start:
            for column in layers.columns:
                chance.shuffle(column)
        for column in layers.columns:
            column.sort(key=lambda box: box.part)
        layers.count()
        waited = 0
        for sweep in range(_SWEEPS):
            _sweep(layers, sweep % 2 == 0)
            _sort_ports(layers)
            crossings = layers.crossings()
            waited += 1
            if best is None or crossings < best[0]:
                kept = [(box, {side: list(ports) for side, ports in box.ports.items()}) for column in layers.columns for box in column]
                best, waited = (crossings, [list(column) for column in layers.columns], kept), 0
            if waited == _PATIENCE:
                break
        if best is not None and best[0] == 0:
            break
    assert best
    layers.columns[:] = best[1]
    for box, ports in best[2]:
        box.ports = ports
    layers.count()
    _swap(layers)
    _sort_ports(layers)


def _sweep(layers: Layers, forward: bool) -> None:
    columns = layers.columns if forward else layers.columns[::-1]
    for column in columns[1:]:
        keys = {}
        for box in column:
            found = (
                [place(link.a, RIGHT, link.port_a) for link in layers.before[box]]
                if forward
                else [place(link.b, LEFT, link.port_b) for link in layers.after[box]]
            )
            found.sort()
            keys[box] = (box.part, (found[len(found) // 2] + found[(len(found) - 1) // 2]) / 2 if found else float(box.index))
        column.sort(key=keys.__getitem__)
        for i, box in enumerate(column):
            box.index = i


def _sort_ports(layers: Layers) -> None:
    """Sorts ports by the mean place of their partners; ports without partners stay below."""
    for column in layers.columns:
        for box in column:
            for side, links in ((RIGHT, layers.after[box]), (LEFT, layers.before[box])):
                if len(box.ports[side]) > 1 and not box.fixed:
                    ends: dict[Hashable, list[float]] = {}
                    for link in links:
                        port, end = (
                            (link.port_a, place(link.b, LEFT, link.port_b))
                            if side == RIGHT
                            else (link.port_b, place(link.a, RIGHT, link.port_a))
                        )
                        ends.setdefault(port, []).append(end)
                    means = {port: sum(each) / len(each) for port, each in ends.items()}
                    box.ports[side].sort(key=lambda port, means=means: means.get(port, float("inf")))  # type: ignore[misc]


def _swap(layers: Layers) -> None:
    """Swaps neighbours in a column if this removes crossings."""
    for _ in range(4):
        better = False
        for rank, column in enumerate(layers.columns):
            gaps = [gap for gap in (rank - 1, rank) if gap >= 0]
            now = layers.crossings(gaps)
            for i in range(len(column) - 1):
                if now and column[i].part == column[i + 1].part:
                    _exchange(column, i)
                    then = layers.crossings(gaps)
                    if then < now:
                        now, better = then, True
                    else:
                        _exchange(column, i)
        if not better:
            return


def _exchange(column: list[Box], i: int) -> None:
    column[i], column[i + 1] = column[i + 1], column[i]
    column[i].index, column[i + 1].index = i, i + 1
