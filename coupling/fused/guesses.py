"""Guesses of unknowns in a graph: leaves, in place of which other nodes come."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from coupling.fused.expressions import Graph, Op
from coupling.fused.lowered import LoweredLoop

_FIRST = 1 << 40
"""Number of the first leaf that stands for a guess; other leaves of the same sort have smaller ones."""


def guess(graph: Graph, unknown: int) -> int:
    return graph.leaf(Op.VARIABLE, _FIRST + unknown)


def _is_guess(graph: Graph, node: int) -> bool:
    return graph.op[node] is Op.VARIABLE and graph.value[node] >= _FIRST


def guessed(graph: Graph, nodes: Iterable[int]) -> set[int]:
    """Returns the nodes among some, and among all that these are made of, that contain a guess."""
    found: set[int] = set()
    for node in graph.order(nodes):
        if _is_guess(graph, node) or not found.isdisjoint(graph.args[node]):
            found.add(node)
    return found


def at(graph: Graph, loops: Sequence[LoweredLoop], values: Sequence[int]) -> tuple[LoweredLoop, ...]:
    """Returns loops at given values of the unknowns in place of guesses."""
    every = [node for loop in loops for node in (*loop.entries, *loop.residuals)]
    put = _substituted(graph, every, {_FIRST + number: value for number, value in enumerate(values)})
    return tuple(
        replace(loop, entries=tuple(put[node] for node in loop.entries), residuals=tuple(put[node] for node in loop.residuals))
        for loop in loops
    )


def _substituted(graph: Graph, nodes: Iterable[int], values: Mapping[int, int]) -> dict[int, int]:
    """Returns nodes with other nodes in place of guesses."""
    put: dict[int, int] = {}
    changed = guessed(graph, nodes)
    for node in graph.order(nodes):
        if node not in changed:
            put[node] = node
        elif _is_guess(graph, node):
            put[node] = values[int(graph.value[node])]
        else:
            graph.owner_now = graph.owner[node]
            put[node] = graph.apply(graph.op[node], *(put[each] for each in graph.args[node]))
    return put
