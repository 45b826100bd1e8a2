"""Values and derivatives of tables, as ``lookup.h`` computes them in C, whose comments hold here too."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Sequence
from itertools import pairwise
from math import perm, prod
from typing import Any

from .arithmetic import divide, floor

Series = list[Any]
"""Coefficients of a series in a second variable."""
_FACTORIALS = (1, 1, 2, 6)


def least_step(nodes: Sequence[Any]) -> Any:
    return min(after - before for before, after in pairwise(nodes))


def next_node(x: Any, nodes: Sequence[Any]) -> Any:
    return next((node for node in nodes if node > x), x)


def curve(order: int, kind: int, x: Any, nodes: Sequence[Any], values: Sequence[Any]) -> Any:
    """Returns y or its derivative of an order by x; ``kind`` is 0 for linear pieces, 1 for monotone cubics, greater by 2 for periodic ones, 4 for smooth ones."""
    if kind > 1:
        period = nodes[-1] - nodes[0]
        x = min(max(x - period * floor(divide(x - nodes[0], period)), nodes[0]), nodes[-1])
    if x < nodes[0] or x > nodes[-1]:
        return (values[0] if x < nodes[0] else values[-1]) if order == 0 else 0.0
    return _in_piece(order, kind, x, _piece(x, nodes), nodes, values)


def surface(
    order_x: int, order_y: int, kind: int, x: Any, y: Any, x_nodes: Sequence[Any], y_nodes: Sequence[Any], values: Sequence[Any]
) -> Any:
    """Returns z or its derivative of two orders; the values stand row by row."""
    count = len(y_nodes)
    rows = [values[start : start + count] for start in range(0, len(values), count)]
    if x < x_nodes[0] or x > x_nodes[-1]:
        return 0.0 if order_x else curve(order_y, kind, y, y_nodes, rows[0 if x < x_nodes[0] else -1])
    i = _piece(x, x_nodes)
    first, last = (i, i + 1) if kind == 0 else (max(i - 1, 0), min(i + 2, len(rows) - 1))
    series = [[curve(order, kind, y, y_nodes, row) / _FACTORIALS[order] for order in range(order_y + 1)] for row in rows[first : last + 1]]
    nodes = x_nodes[first : last + 1]
    if kind == 0:
        return _in_piece(order_x, 0, x, 0, nodes, [each[-1] * _FACTORIALS[order_y] for each in series])
    return _FACTORIALS[order_y] * _cubic(order_x, x, i - first, nodes, series)


def _piece(x: Any, nodes: Sequence[Any]) -> int:
    return min(max(bisect_right(nodes, x) - 1, 0), len(nodes) - 2)


def _in_piece(order: int, kind: int, x: Any, i: int, nodes: Sequence[Any], values: Sequence[Any]) -> Any:
    if kind == 4:
        return _smooth(order, x, i, nodes, values)
    if kind % 2 == 0:
        slope = divide(values[i + 1] - values[i], nodes[i + 1] - nodes[i])
        return (values[i] + (x - nodes[i]) * slope, slope, 0.0, 0.0)[order]
    if kind > 1:
        period = nodes[-1] - nodes[0]
        around = [
            nodes[i - 1] if i > 0 else nodes[-2] - period,
            *nodes[i : i + 2],
            nodes[i + 2] if i + 2 < len(nodes) else nodes[1] + period,
        ]
        heights = [values[i - 1] if i > 0 else values[-2], *values[i : i + 2], values[i + 2] if i + 2 < len(nodes) else values[1]]
        return _cubic(order, x, 1, around, [[height] for height in heights])
    first, end = max(i - 1, 0), min(i + 3, len(nodes))
    return _cubic(order, x, i - first, nodes[first:end], [[value] for value in values[first:end]])


def _smooth(order: int, x: Any, i: int, nodes: Sequence[Any], values: Sequence[Any]) -> Any:
    count, period = len(nodes) - 1, nodes[-1] - nodes[0]
    around = [(nodes[k % count] + k // count * period, values[k % count]) for k in range(i - 2, i + 4)]
    (slope, bend), (next_slope, next_bend) = _bend(around[:5]), _bend(around[1:])
    (start, y), (end, z) = around[2:4]
    h, t = end - start, x - start
    a = divide(z - y - h * (slope + h * bend / 2), h * h * h)
    b, d = divide(next_slope - slope - h * bend, h * h), divide(next_bend - bend, h)
    tail = (10 * a - 4 * b + d / 2, divide(7 * b - 15 * a - d, h), divide(6 * a - 3 * b + d / 2, h * h))
    total = 0.0
    for k, coefficient in reversed(list(enumerate((y, slope, bend / 2, *tail)))[order:]):
        total = total * t + perm(k, order) * coefficient
    return total


def _bend(points: Sequence[tuple[Any, Any]]) -> tuple[Any, Any]:
    """Returns slope and second derivative, at the middle one of five points, of the polynomial through them."""
    (x, y), others = points[2], [*points[:2], *points[3:]]
    weight = {p: prod(p - q for q, _ in points if q != p) for p, _ in points}
    row = [(divide(divide(weight[x], weight[p]), x - p), divide(1.0, x - p), q - y) for p, q in others]
    total = sum(each for each, _, _ in row)
    return sum(each * rise for each, _, rise in row), sum(-2 * each * (total + inverse) * rise for each, inverse, rise in row)


def _cubic(order: int, x: Any, i: int, nodes: Sequence[Any], values: Sequence[Series]) -> Any:
    h = [after - before for before, after in pairwise(nodes)]
    m = [[divide(b - a, width) for a, b in zip(*pair, strict=True)] for width, *pair in zip(h, values, values[1:], strict=False)]
    if len(h) == 1:
        begin = end = m[0]
    else:
        begin = _end_slope(h[0], h[1], m[0], m[1]) if i == 0 else _inner_slope(h[i - 1], h[i], m[i - 1], m[i])
        end = _end_slope(h[i], h[i - 1], m[i], m[i - 1]) if i == len(h) - 1 else _inner_slope(h[i], h[i + 1], m[i], m[i + 1])
    t, c1, d1, mean = x - nodes[i], begin[-1], end[-1], m[i][-1]
    c2, c3 = divide(3 * mean - 2 * c1 - d1, h[i]), divide(c1 + d1 - 2 * mean, h[i] * h[i])
    return (values[i][-1] + t * (c1 + t * (c2 + t * c3)), c1 + t * (2 * c2 + 3 * t * c3), 2 * c2 + 6 * t * c3, 6 * c3)[order]


def _sign(x: Any) -> int:
    return (x > 0) - (x < 0)


def _inner_slope(h0: Any, h1: Any, m0: Series, m1: Series) -> Series:
    if _sign(m0[0]) * _sign(m1[0]) <= 0:
        return [0.0] * len(m0)
    w0, w1 = 2 * h1 + h0, h1 + 2 * h0
    total = [divide(w0 * b + w1 * a, w0 + w1) for a, b in zip(m0, m1, strict=True)]
    slope: Series = []
    for k in range(len(m0)):
        product = sum(m0[j] * m1[k - j] for j in range(k + 1))
        slope.append(divide(product - sum(slope[j] * total[k - j] for j in range(k)), total[0]))
    return slope


def _end_slope(h0: Any, h1: Any, m0: Series, m1: Series) -> Series:
    a, b = divide(2 * h0 + h1, h0 + h1), divide(h0, h0 + h1)
    free = a * m0[0] - b * m1[0]
    if _sign(free) != _sign(m0[0]):
        return [0.0] * len(m0)
    if _sign(m0[0]) != _sign(m1[0]) and abs(free) > 3 * abs(m0[0]):
        return [3 * each for each in m0]
    return [a * p - b * q for p, q in zip(m0, m1, strict=True)]
