"""Wires between two columns: each goes along rows to a separate track, and tracks are ordered for few crossings."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from coupling.pictures.diagram.heights import NEAR
from coupling.pictures.diagram.layers import LEFT, RIGHT, Box, Link

_FORBIDDEN = 1000
Point = tuple[int, int]


@dataclass(frozen=True)
class _End:
    box: Box
    side: str
    y: int


@dataclass(eq=False)
class _Net:
    net: Any
    ends: list[_End]
    track: int = 0

    @property
    def low(self) -> int:
        return min(end.y for end in self.ends)

    @property
    def high(self) -> int:
        return max(end.y for end in self.ends)

    def rows(self, side: str) -> list[int]:
        return [end.y for end in self.ends if end.side == side]

    def meets(self, other: _Net) -> bool:
        """Says whether two nets cannot share one track."""
        return self.low < other.high + NEAR and other.low < self.high + NEAR


@dataclass(frozen=True)
class Piece:
    """The part of all wires between two columns."""

    nets: Sequence[_Net]
    tracks: int

    def drawn(
        self, edge: Callable[[Box, str], int], first: int, pitch: int, down: float
    ) -> Iterator[tuple[Any, list[list[Point]], list[Point]]]:
        """Yields the lines of each net, and the points where they meet; tracks begin at ``first``, rows are moved ``down``."""
        for each in self.nets:
            x = first + pitch * each.track
            ends = sorted({(edge(end.box, end.side), end.y + int(down), end.side) for end in each.ends}, key=lambda end: (end[1], end[2]))
            (xa, ya, _), (xb, yb, _) = ends[0], ends[-1]
            if len(ends) == 2 and ya == yb:
                yield each.net, [[(min(xa, xb), ya), (max(xa, xb), ya)]], []
                continue
            trunk = [(xa, ya), (x, ya), (x, yb), (xb, yb)]
            lines = [trunk if ends[0][2] == RIGHT else trunk[::-1]]
            for u, y, side in ends[1:-1]:
                lines.append([(u, y), (x, y)] if side == RIGHT else [(x, y), (u, y)])
            yield each.net, lines, [(x, y) for _, y, _ in ends[1:-1]]


def routes(links: Sequence[Link], loops: Sequence[Link]) -> Piece:
    """Returns the routes of links from one column to the next, and of links within a box, on its right."""
    ends: dict[Any, dict[_End, None]] = {}
    for link in links:
        found = ends.setdefault(link.net, {})
        found[_End(link.a, RIGHT, _row(link.a, RIGHT, link.port_a))] = None
        found[_End(link.b, LEFT, _row(link.b, LEFT, link.port_b))] = None
    for loop in loops:
        found = ends.setdefault(loop.net, {})
        for port in (loop.port_a, loop.port_b):
            found[_End(loop.a, RIGHT, _row(loop.a, RIGHT, port))] = None
    nets = [_Net(net, list(each)) for net, each in ends.items()]
    bent = [net for net in nets if net.high > net.low]
    order = _in_order(bent)
    for i, net in enumerate(order):
        net.track = max((before.track + 1 for before in order[:i] if before.meets(net)), default=0)
    return Piece(nets, 1 + max((net.track for net in bent), default=-1))


def _row(box: Box, side: str, port: Any) -> int:
    return int(box.y + box.offsets[side, port])


def _in_order(nets: Sequence[_Net]) -> list[_Net]:
    """Returns the nets from left to right. Each is put at the cheapest place, again and again until nothing changes."""
    order: list[_Net] = []
    for net in sorted(nets, key=lambda each: (each.low, each.high)):
        _insert(order, net)
    for _ in range(4):
        before = list(order)
        for net in before:
            order.remove(net)
            _insert(order, net)
        if order == before:
            break
    return order


def _insert(order: list[_Net], net: _Net) -> None:
    cost = sum(_crossings(net, other) for other in order)
    best = (cost, 0)
    for i, other in enumerate(order, start=1):
        cost += _crossings(other, net) - _crossings(net, other)
        best = min(best, (cost, i))
    order.insert(best[1], net)


def _crossings(left: _Net, right: _Net) -> int:
    """Returns the crossings of two wires, the track of the first being left of that of the second."""
    found = sum(right.low < y < right.high for y in left.rows(LEFT)) + sum(left.low < y < left.high for y in right.rows(RIGHT))
    shared = sum(abs(y - z) < NEAR for y in left.rows(LEFT) for z in right.rows(RIGHT))
    return found + _FORBIDDEN * shared
