"""Exact derivatives of expressions as expressions of the same graph."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence

from coupling.fused.expressions import Graph, Op
from coupling.fused.not_fused import NotFused

Gradient = Mapping[int, int]
"""A gradient: by the number of a leaf, the derivative by it; missing ones are 0."""


def is_piecewise_affine(op: Op) -> bool:
    return op in _FLAT or op in (Op.MAX, Op.MIN, Op.ABS, Op.SELECT)


def gradients(graph: Graph, roots: Iterable[int], leaf: Op) -> list[Gradient]:
    """Returns the derivatives of nodes by all leaves of a sort, the others held. Where a function jumps, its slope is that beside the
    jump."""
    roots = list(roots)
    found: dict[int, dict[int, int]] = {}
    for node in graph.order(roots):
        op, args = graph.op[node], graph.args[node]
        if op is leaf:
            found[node] = {int(graph.value[node]): graph.one}
        elif any(a in found for a in args):
            graph.owner_now = graph.owner[node]
            slopes = tangent(graph, node, op, args, [found.get(a, {}) for a in args])
            if slopes:
                found[node] = slopes
    return [found.get(root, {}) for root in roots]


_LARGEST, _LAST_ALONG_Y = (1, 3, 1, 3, 5), 3
"""Order of the last derivative of a table that is not 0, by its kind; last order of a surface by its second argument."""
_FLAT = frozenset(
    {Op.SIGN, Op.FLOOR, Op.CEILING, Op.GREATER, Op.GREATER_EQUAL, Op.EQUAL, Op.AND, Op.OR, Op.NOT},
)


def tangent(g: Graph, node: int, op: Op, args: Sequence[int], given: Sequence[Gradient]) -> dict[int, int]:
    """Returns the derivatives of a node, an operation on others, given those of its operands."""
    if op in _FLAT:
        return {}
    if op in (Op.ADD, Op.SUBTRACT):
        return _joined(g, given[0], given[1], lambda a, b: g.apply(op, a, b))
    if op is Op.NEGATE:
        return {leaf: g.neg(slope) for leaf, slope in given[0].items()}
    if op is Op.SELECT:
        return _joined(g, given[1], given[2], lambda a, b: g.select(args[0], a, b))
    if op in (Op.MAX, Op.MIN):
        first = g.apply(Op.GREATER_EQUAL, *(args if op is Op.MAX else args[::-1]))
        return _joined(g, given[0], given[1], lambda a, b: g.select(first, a, b))
    total: dict[int, int] = {}
    for place, slopes in enumerate(given):
        if slopes:
            factor = _partial(g, node, op, args, place)
            total = _joined(g, total, {leaf: g.mul(factor, slope) for leaf, slope in slopes.items()}, g.add)
    return total


def _joined(g: Graph, a: Mapping[int, int], b: Mapping[int, int], operation: Callable[[int, int], int]) -> dict[int, int]:
    """Applies an operation to the derivatives by each leaf; those that vanish are left out."""
    joined = {leaf: operation(a.get(leaf, g.zero), b.get(leaf, g.zero)) for leaf in (*a, *(each for each in b if each not in a))}
    return {leaf: slope for leaf, slope in joined.items() if slope != g.zero}


def _partial(g: Graph, node: int, op: Op, args: Sequence[int], place: int) -> int:
    """Returns the derivative of an operation by one operand."""
    a, b = args[0], args[-1]
    if op is Op.MULTIPLY:
        return args[1 - place]
    if op is Op.DIVIDE:
        return g.neg(g.div(node, b)) if place else g.div(g.one, b)
    if op is Op.POWER:
        if place:
            return g.mul(node, g.apply(Op.LOG, a))
        return g.mul(b, g.apply(Op.POWER, a, g.sub(b, g.one)))
    if op is Op.ATAN2:
        square = g.add(g.mul(a, a), g.mul(b, b))
        return g.neg(g.div(a, square)) if place else g.div(b, square)
    if op in (Op.CURVE, Op.SURFACE):
        return _of_table(g, op, args, place - (2 if op is Op.CURVE else 3))
    return _OF_ONE[op](g, a, node)


def _of_table(g: Graph, op: Op, args: Sequence[int], place: int) -> int:
    """Returns the derivative of a table by one of its arguments: the table with that order raised."""
    order, kind = int(g.value[args[place]]), int(g.value[args[1 if op is Op.CURVE else 2]])
    if order >= _LARGEST[kind] and (place == 0 or kind == 0):
        return g.zero
    if order >= _LAST_ALONG_Y:
        raise NotFused(f"a surface has no derivative of order {order + 1} by its second argument")
    return g.apply(op, *args[:place], g.constant(order + 1), *args[place + 1 :])


def _of_root(g: Graph, a: int, node: int) -> int:
    """Returns the derivative of a root; that of a length which vanishes is 0."""
    return g.select(g.apply(Op.GREATER, node, g.zero), g.div(g.constant(0.5), node), g.zero)


def _complement(g: Graph, a: int) -> int:
    return g.sub(g.one, g.mul(a, a))


_OF_ONE: Mapping[Op, Callable[[Graph, int, int], int]] = {
    Op.SQRT: _of_root,
    Op.SIN: lambda g, a, node: g.apply(Op.COS, a),
    Op.COS: lambda g, a, node: g.neg(g.apply(Op.SIN, a)),
    Op.TAN: lambda g, a, node: g.add(g.one, g.mul(node, node)),
    Op.ASIN: lambda g, a, node: g.div(g.one, g.apply(Op.SQRT, _complement(g, a))),
    Op.ACOS: lambda g, a, node: g.neg(g.div(g.one, g.apply(Op.SQRT, _complement(g, a)))),
    Op.ATAN: lambda g, a, node: g.div(g.one, g.add(g.one, g.mul(a, a))),
    Op.SINH: lambda g, a, node: g.apply(Op.COSH, a),
    Op.COSH: lambda g, a, node: g.apply(Op.SINH, a),
    Op.TANH: lambda g, a, node: _complement(g, node),
    Op.EXP: lambda g, a, node: node,
    Op.LOG: lambda g, a, node: g.div(g.one, a),
    Op.ABS: lambda g, a, node: g.apply(Op.SIGN, a),
}
