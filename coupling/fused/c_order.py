"""The order of operations that wait for each other. A processor looks one or two hundred operations ahead; it finds others to do meanwhile
only if they stand near."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from heapq import heappop, heappush

from coupling.fused.expressions import Graph, Op

_CYCLES = {Op.DIVIDE: 13, Op.SQRT: 20}
_OTHERS = 3
_AT_ONCE = 4
"""Operations that begin in one cycle."""
_CALLS = frozenset({*range(Op.SIN, Op.POWER + 1), Op.FLOOR, Op.CEILING, Op.CURVE, Op.SURFACE})
"""Functions at whose call all registers go to memory."""


def interleaved(graph: Graph, nodes: Sequence[int]) -> Sequence[int] | None:
    """Returns nodes by the length of the longest way from them to the end, each when its operands are there. Returns None where the
    processor is busy in any order, or other things decide: a value far from its use takes a place in memory."""
    users: dict[int, list[int]] = {node: [] for node in nodes}
    for node in nodes:
        for a in {*graph.args[node]} & users.keys():
            users[a].append(node)
    left: dict[int, int] = {}
    for node in reversed(nodes):
        left[node] = _cycles(graph, node) + max((left[user] for user in users[node]), default=0)
    if _AT_ONCE * max(left.values(), default=0) < len(nodes) or any(graph.op[node] in _CALLS for node in nodes):
        return None
    return _scheduled(graph, nodes, users, left)


def _scheduled(graph: Graph, nodes: Sequence[int], users: Mapping[int, Sequence[int]], left: Mapping[int, int]) -> Sequence[int]:
    missing = {node: len({*graph.args[node]} & users.keys()) for node in nodes}
    there = dict.fromkeys(nodes, 0)
    waiting = [(0, node) for node in nodes if not missing[node]]
    ready: list[tuple[int, int]] = []
    order: list[int] = []
    now = 0
    while ready or waiting:
        now = now if ready else max(now, waiting[0][0])
        while waiting and waiting[0][0] <= now:
            node = heappop(waiting)[1]
            heappush(ready, (-left[node], node))
        for _ in range(min(_AT_ONCE, len(ready))):
            node = heappop(ready)[1]
            order.append(node)
            for user in users[node]:
                there[user] = max(there[user], now + _cycles(graph, node))
                missing[user] -= 1
                if not missing[user]:
                    heappush(waiting, (there[user], user))
        now += 1
    return order


def _cycles(graph: Graph, node: int) -> int:
    return _CYCLES.get(graph.op[node], _OTHERS)
