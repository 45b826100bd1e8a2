"""The order in which the equations of a loop are eliminated, and their symmetry: decided once, at random points.

Where the kernel's own order serves, a chain is eliminated from both ends. Each end then waits only for its own half.
"""

from __future__ import annotations

from collections.abc import Iterator, Set
from dataclasses import dataclass
from enum import IntEnum
from functools import reduce
from random import Random

import numpy as np

from coupling.fused.expressions import Op
from coupling.fused.lowered import Lowered, LoweredLoop
from coupling.kernel.linear.linear import elimination_order

_POINTS = 3
_FEW = 100
"""Number of unknowns up to which pivots are sought one by one; among more, those that the pattern alone suggests are kept."""
_SAME = 1e-12
_SMALL, _SINGULAR = 1e-3, 1e-9
"""Share of its row below which an entry is no pivot at random points. The second one is for symmetric equations, which may be nearly
singular there."""


class Order(IntEnum):
    """The kind of an order of elimination, numbered as in the kernel. DEFINITE and DIAGONAL are the order that the general equations
    prefer, on the diagonal, of definite equations and of others. OTHER is another order. ALONE is one of equations from which the general
    ones follow, and which the general ones do not contain."""

    DEFINITE = 0
    DIAGONAL = 1
    OTHER = 2
    ALONE = 3


@dataclass(frozen=True)
class Elimination:
    """Equation and unknown of each pivot, both counted within the loop."""

    symmetric: bool
    order: Order
    pivots: tuple[tuple[int, int], ...]


def eliminations(lowered: Lowered) -> tuple[Elimination, ...]:
    """Returns the elimination of each loop."""
    nodes = sorted({entry for loop in lowered.loops for entry in loop.entries})
    values = dict(zip(nodes, _at_random_points(lowered, nodes), strict=True))
    laws = {(each.loop, each.unknown) for each in lowered.built.switched if each.given.kind == "friction"}
    return tuple(
        _elimination(loop, [{c: values[n] for c, n in row.items()} for row in loop.rows()], {i for number, i in laws if number == place})
        for place, loop in enumerate(lowered.loops)
    )


def _at_random_points(lowered: Lowered, nodes: list[int]) -> list[np.ndarray]:
    """Returns the values of nodes at random points. Each Boolean has both values, each number another one at each point. Points at which
    something has no value are left out."""
    random, points = Random(1), 2 * _POINTS
    known: dict[tuple[Op, int], np.ndarray] = {}

    def leaf(op: Op, number: int) -> np.ndarray:
        if (op, number) not in known:
            known[op, number] = np.array(list(lowered.random_values(op, number, random, points)))
        return known[op, number]

    found = [np.broadcast_to(value, (points,)) for value in lowered.graph.evaluate(nodes, leaf)]
    finite = np.ones(points, dtype=bool)
    for value in found:
        finite &= np.isfinite(value)
    return [value[finite] if finite.any() else np.nan_to_num(value) for value in found]


def _elimination(loop: LoweredLoop, rows: list[dict[int, np.ndarray]], laws: Set[int] = frozenset()) -> Elimination:
    """Chooses pivots. Friction that slips has a law in place of its constraint; with such ``laws``, equations are not symmetric in all modes, even
    if they are so at all points."""
    pivots = [(int(k), int(k)) for k in elimination_order(loop.row_start, loop.columns)] if rows else []
    shares = list(_eliminated([dict(row) for row in rows], pivots))
    regular = reduce(np.logical_and, (np.abs(share) >= _SINGULAR for share in shares), np.array(True))
    if regular.any() and not regular.all():  # there are modes that cannot be together, as of both stops of one slider
        rows = [{column: value[regular] for column, value in row.items()} for row in rows]
        shares = list(_eliminated([dict(row) for row in rows], pivots))
    sizes = np.array([np.abs(share).min() for share in shares])
    laws_are_alone = all(set(rows[i]) == {i} for i in laws)
    if laws_are_alone and _is_symmetric(rows) and (sizes >= _SINGULAR).all():
        return Elimination(True, Order.DEFINITE if _is_definite(rows, pivots) else Order.DIAGONAL, tuple(pivots))
    if len(rows) > _FEW or (sizes >= _SMALL).all():
        return Elimination(False, Order.DIAGONAL, tuple(pivots))
    return Elimination(False, Order.OTHER, tuple(_sparse_pivots(rows)))


def _is_definite(rows: list[dict[int, np.ndarray]], pivots: list[tuple[int, int]]) -> bool:
    """Says whether equations are definite. The diagonal is raised a little; rounding then makes no pivot of nearly singular equations
    negative."""
    raised = [{j: value * (1 + _RAISED * (i == j)) for j, value in row.items()} for i, row in enumerate(rows)]
    return all((share > 0).all() for share in _eliminated(raised, pivots))


_RAISED = 1e-6


def _is_symmetric(rows: list[dict[int, np.ndarray]]) -> bool:
    diagonal = [np.abs(row[i]) if i in row else 0.0 for i, row in enumerate(rows)]
    return all(
        i in rows[j] and bool((np.abs(rows[j][i] - value) <= _SAME * (diagonal[i] + diagonal[j])).all())
        for i, row in enumerate(rows)
        for j, value in row.items()
    )


def _eliminated(rows: list[dict[int, np.ndarray]], pivots: list[tuple[int, int]]) -> Iterator[np.ndarray]:
    """Yields the size of each pivot relative to its row, by points."""
    left = set(range(len(rows)))
    holders: dict[int, set[int]] = {}
    for i, row in enumerate(rows):
        for j in row:
            holders.setdefault(j, set()).add(i)
    for i, j in pivots:
        left.discard(i)
        below = holders.get(j, set()) & left
        yield _eliminate(rows, below, i, j)
        for column in rows[i]:
            holders[column] |= below


def _eliminate(rows: list[dict[int, np.ndarray]], left: set[int], i: int, j: int) -> np.ndarray:
    """Takes an unknown out of the rows that are left, by a row; returns the size of its pivot, by points."""
    with np.errstate(all="ignore"):
        row = rows[i]
        if j not in row:
            return np.zeros(1)
        share = np.nan_to_num(_share(row, j))
        for k in sorted(left):
            if j in rows[k]:
                factor = rows[k].pop(j) / row[j]
                for column, value in row.items():
                    if column != j:
                        rows[k][column] = rows[k].get(column, 0) - factor * value
    return share


def _share(row: dict[int, np.ndarray], column: int) -> np.ndarray:
    """Returns the size of an entry relative to the greatest of its row, with its sign."""
    if column not in row:
        return np.zeros(1)
    with np.errstate(all="ignore"):
        return row[column] / np.max(np.abs(list(row.values())), axis=0)


def _sparse_pivots(given: list[dict[int, np.ndarray]]) -> list[tuple[int, int]]:
    """Returns Markowitz's pivots: of entries that are not small, one whose row and column are short. Where none is, the diagonal entry that
    is left."""
    rows, left, columns = [dict(row) for row in given], set(range(len(given))), set(range(len(given)))
    pivots = []
    while left:
        count = {j: sum(j in rows[i] for i in left) for j in columns}
        ways = [
            ((len(rows[i].keys() & columns) - 1) * (count[j] - 1), i != j, i, j)
            for i in sorted(left)
            for j in sorted(rows[i].keys() & columns)
            if np.min(np.nan_to_num(np.abs(_share({c: v for c, v in rows[i].items() if c in columns}, j)))) >= _LEAST
        ]
        _, _, i, j = min(ways) if ways else (0, False, min(left), min(columns))
        left.discard(i)
        if j in rows[i]:
            _eliminate(rows, left, i, j)
        columns.discard(j)
        pivots.append((i, j))
    return pivots


_LEAST = 0.1
