"""Derivatives of the states' derivatives by unknowns, by which projection moves states; most of them are affine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping

from coupling.fused.expressions import Graph, Op
from coupling.fused.gradients import gradients

Slopes = Mapping[int, int]
"""Slopes by unknown: nodes, which are free of unknowns where the differentiated expression is affine."""


def slopes(graph: Graph, nodes: Iterable[int]) -> dict[int, Slopes]:
    """Returns the slopes of each node that depends on unknowns."""
    nodes = list(nodes)
    found: dict[int, Slopes] = {}
    bent: dict[int, None] = {}
    unknown = Op.UNKNOWN
    for node in graph.order(nodes):
        op, args = graph.op[node], graph.args[node]
        if op is unknown:
            found[node] = {int(graph.value[node]): graph.one}
        elif not (bent.keys().isdisjoint(args) and found.keys().isdisjoint(args)):
            own = None if not bent.keys().isdisjoint(args) else _slopes(graph, op, args, found)
            if own is None:
                bent[node] = None
            else:
                found[node] = own
    curved = [node for node in nodes if node in bent]
    found |= zip(curved, gradients(graph, curved, Op.UNKNOWN), strict=True)
    return {node: found[node] for node in nodes if node in found}


def _slopes(graph: Graph, op: Op, args: tuple[int, ...], found: Mapping[int, Slopes]) -> Slopes | None:
    """Returns the slopes of an operation; None where it is not affine."""
    given = [found.get(a, {}) for a in args]
    zero = graph.zero
    if op is Op.SELECT and args[0] not in found:
        return {n: graph.select(args[0], given[1].get(n, zero), given[2].get(n, zero)) for n in sorted({*given[1], *given[2]})}
    if op in (Op.ADD, Op.SUBTRACT):
        return {n: graph.apply(op, given[0].get(n, zero), given[1].get(n, zero)) for n in sorted({*given[0], *given[1]})}
    if op is Op.NEGATE:
        return {n: graph.neg(slope) for n, slope in given[0].items()}
    if op is Op.MULTIPLY and not (given[0] and given[1]):
        other, own = (args[1], given[0]) if given[0] else (args[0], given[1])
        return {n: graph.mul(other, slope) for n, slope in own.items()}
    if op is not Op.DIVIDE or given[1]:
        return None
    return {n: graph.div(slope, args[1]) for n, slope in given[0].items()}
