"""The solution of a system's equations as nodes of its graph: elimination in an order that is known beforehand."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

from coupling.fused.elimination import Elimination, Order, eliminations
from coupling.fused.expressions import Op
from coupling.fused.guesses import at
from coupling.fused.lowered import Lowered, LoweredLoop
from coupling.fused.recursion import Pivots
from coupling.memory import without_collection


@dataclass(frozen=True, kw_only=True)
class Roots:
    """The nodes from which derivatives and the unknowns of their equations follow; those of loops one loop after the other."""

    entries: Sequence[int] = ()
    """Jacobians of all loops as the kernel has them; empty where the kernel is never to solve for the unknowns itself."""
    right: Sequence[int] = ()
    """Right sides."""
    unknowns: Mapping[int, int]
    """Nodes by the numbers of unknowns."""
    pivots: Sequence[int]
    """Pivots in the order of elimination."""
    diagonals: Sequence[int]
    """Pivots before any elimination; for equations that are not definite, the sums of the sizes of all terms."""
    misfits: Sequence[int] = ()
    """Residuals by loop of equations whose pivots were chosen beforehand, relative to their terms; 0 for definite ones."""
    derivatives: Sequence[int]
    eliminations: Sequence[Elimination]


def derivatives(lowered: Lowered) -> Roots:
    """Returns the roots of the derivatives of states, with all unknowns."""
    with without_collection():
        graph, orders = lowered.graph, eliminations(lowered)
        entries, rights, pivots, diagonals, misfits = (list[int]() for _ in range(5))
        unknowns = dict[int, int]()
        for loop, order in zip(lowered.loops, orders, strict=True):
            rows = _rows(loop, order)
            entries += [node for row in rows for node in row.values()]
            right = [graph.neg(node) for node in loop.residuals]
            rights += right
            rows, right = _kept(lowered, loop, rows), [graph.zero if loop.first + i in lowered.left_out else b for i, b in enumerate(right)]
            found = _solved(lowered, loop, order, rows, right)
            definite = order.order is Order.DEFINITE
            diagonals += [rows[i].get(j, graph.zero) if rows[i] else graph.one for i, j in order.pivots] if definite else found.sizes
            pivots += found.pivots
            unknowns |= enumerate(found.unknowns, loop.first)
            misfits.append(graph.zero if definite else _misfit(lowered, loop, order, rows, right, found.unknowns))
        return Roots(
            entries=entries,
            right=rights,
            unknowns=unknowns,
            pivots=pivots,
            diagonals=diagonals,
            misfits=_bent_misfits(lowered, orders, unknowns) if lowered.bent else misfits,
            derivatives=lowered.derivatives,
            eliminations=orders,
        )


def recursive_derivatives(lowered: Lowered, pivots: Sequence[Pivots], others: Collection[int]) -> Roots:
    """Returns the roots of loops whose order of elimination is given, without the entries of their equations.

    Solves only for the unknowns from which derivatives and indicators follow, and for ``others``.
    """
    with without_collection():
        graph = lowered.graph
        nodes = graph.order((*lowered.derivatives, *lowered.indicators))
        read = {int(graph.value[node]) for node in nodes if graph.op[node] is Op.UNKNOWN}.union(others)
        unknowns, found_pivots, diagonals = dict[int, int](), list[int](), list[int]()
        orders = tuple(Elimination(False, Order.ALONE, tuple(each)) for each in pivots)
        for loop, order in zip(lowered.loops, orders, strict=True):
            found = _solved(lowered, loop, order, loop.rows(), [graph.neg(node) for node in loop.residuals])
            found_pivots += found.pivots
            diagonals += _undiminished(lowered, loop, found)
            unknowns |= {number: node for number, node in enumerate(found.unknowns, loop.first) if number in read}
        return Roots(unknowns=unknowns, pivots=found_pivots, diagonals=diagonals, derivatives=lowered.derivatives, eliminations=orders)


def corrections(lowered: Lowered, roots: Roots, mobility: Mapping[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """Returns by loop and state the correction of the state. The right sides of the equations are leaves of their own there, in place of
    which violations come.

    ``mobility`` is by state and unknown. The result is empty where states are not moved, or where their derivatives by unknowns depend on
    unknowns.
    """
    graph, reading = lowered.graph, lowered.built.reading
    if not reading or any(graph.op[node] is Op.UNKNOWN for node in graph.order(mobility.values())):
        return {}
    held, found = {(each.loop, each.unknown) for each in reading.constraints}, dict[tuple[int, int], int]()
    for number, (loop, order) in enumerate(zip(lowered.loops, roots.eliminations, strict=True)):
        rows = _kept(lowered, loop, _rows(loop, order))
        right = [graph.leaf(Op.VARIABLE, loop.first + i) if (number, i) in held and row else graph.zero for i, row in enumerate(rows)]
        unknowns = _solved(lowered, loop, order, rows, right).unknowns
        for (state, unknown), slope in mobility.items():
            if loop.first <= unknown < loop.first + len(rows):
                term = graph.mul(slope, unknowns[unknown - loop.first])
                found[number, state] = graph.add(found.get((number, state), graph.zero), term)
    return found


def solved_loops(lowered: Lowered, orders: Sequence[Elimination]) -> list[int]:
    """Returns the unknowns of all loops."""
    found = []
    for loop, order in zip(lowered.loops, orders, strict=True):
        right = [lowered.graph.neg(node) for node in loop.residuals]
        found += _solved(lowered, loop, order, _rows(loop, order), right).unknowns
    return found


def misfits(lowered: Lowered, loops: Sequence[LoweredLoop], orders: Sequence[Elimination], unknowns: Sequence[int]) -> list[int]:
    """Returns by loop the greatest residual of an equation at given unknowns, relative to its terms."""
    return [
        _misfit(
            lowered,
            loop,
            order,
            _rows(loop, order),
            [lowered.graph.neg(node) for node in loop.residuals],
            list(unknowns[loop.first : loop.first + len(loop.unknowns)]),
        )
        for loop, order in zip(loops, orders, strict=True)
    ]


def _bent_misfits(lowered: Lowered, orders: Sequence[Elimination], unknowns: Mapping[int, int]) -> list[int]:
    """Returns the misfits of equations that are not affine, at their solution."""
    values = [unknowns[number] for number in range(lowered.unknowns)]
    return misfits(lowered, at(lowered.graph, lowered.bent, values), orders, values)


def _rows(loop: LoweredLoop, order: Elimination) -> list[dict[int, int]]:
    rows = loop.rows()
    return [{j: rows[max(i, j)][min(i, j)] for j in row} for i, row in enumerate(rows)] if order.symmetric else rows


def _kept(lowered: Lowered, loop: LoweredLoop, rows: list[dict[int, int]]) -> list[dict[int, int]]:
    """Returns the rows without those, and without the columns, of unknowns that are left out: these are 0, and empty rows say so."""
    out = {number - loop.first for number in lowered.left_out}
    return [{j: node for j, node in row.items() if j not in out} if i not in out else {} for i, row in enumerate(rows)] if out else rows


class _Solved(NamedTuple):
    pivots: list[int]
    """Pivots in their order."""
    sizes: list[int]
    """The sums of the sizes of their terms, where the equations are not definite."""
    upper: list[tuple[int, dict[int, int], int]]
    """Equation, what is right of the pivot, and unknown."""
    unknowns: list[int]


def _solved(lowered: Lowered, loop: LoweredLoop, order: Elimination, rows: list[dict[int, int]], right: list[int]) -> _Solved:
    """Returns the factors L D L^T where the equations are symmetric, else L U."""
    g, parts = lowered.graph, len(lowered.built.parts)
    a, b = [dict(row) for row in rows], list(right)
    columns: list[set[int]] = [set() for _ in rows]
    for i, row in enumerate(a):
        for j in row:
            columns[j].add(i)
    left, inverse, pivots = set(range(len(rows))), {}, []
    size = {} if order.order is Order.DEFINITE else {(p, q): g.apply(Op.ABS, rows[p].get(q, g.zero)) for p, q in order.pivots}
    upper: list[tuple[int, dict[int, int], int]] = []
    for k, (p, q) in enumerate(order.pivots):
        g.owner_now = parts + loop.first + k
        left.discard(p)
        pivot = a[p].pop(q, g.zero)
        if not a[p] and not columns[q] and b[p] == g.zero:
            pivot = size[p, q] = g.one  # nothing depends on this unknown, of which 0 is the least
        pivots.append(pivot)
        inverse[q] = g.div(g.one, pivot)
        row = {j: node for j, node in sorted(a[p].items()) if node != g.zero}
        below = sorted(i for i in columns[q] if i in left and a[i].get(q, g.zero) != g.zero)
        factor = {i: g.mul(a[i].pop(q), inverse[q]) for i in below}
        for place, i in enumerate(below):
            for j, node in row.items():
                if order.symmetric and j in left and j in below[:place]:
                    a[i][j] = a[j][i]
                else:
                    term = g.mul(factor[i], node)
                    a[i][j] = g.sub(a[i].get(j, g.zero), term)
                    if (i, j) in size:
                        size[i, j] = g.add(size[i, j], g.apply(Op.ABS, term))
                columns[j].add(i)
            b[i] = g.sub(b[i], g.mul(factor[i], b[p]))
        upper.append((p, {j: factor[j] for j in row if j in factor} if order.symmetric else row, q))
    unknowns: dict[int, int] = {}
    turn = {q: k for k, (_, _, q) in enumerate(upper)}
    for k, (p, row, q) in reversed(list(enumerate(upper))):
        g.owner_now = parts + loop.first + k
        value = g.mul(b[p], inverse[q]) if order.symmetric else b[p]
        for j in sorted(row, key=turn.__getitem__, reverse=True):  # what has been known longest comes first
            value = g.sub(value, g.mul(row[j], unknowns[j]))
        unknowns[q] = value if order.symmetric else g.mul(value, inverse[q])
    return _Solved(pivots, [size.get(each, g.one) for each in order.pivots], upper, [unknowns[i] for i in range(len(rows))])


def _undiminished(lowered: Lowered, loop: LoweredLoop, solved: _Solved) -> list[int]:
    """Returns pivot sizes before cancellation by the elimination of other unknowns, by way of those that are substituted."""
    g, parts = lowered.graph, len(lowered.built.parts)
    place = {unknown: k for k, (_, _, unknown) in enumerate(solved.upper)}
    found = []
    for k, pivot in enumerate(solved.pivots):
        g.owner_now = parts + loop.first + k
        found.append(g.apply(Op.ABS, pivot))
    for k, (pivot, (_, row, _)) in enumerate(zip(solved.pivots, solved.upper, strict=True)):
        g.owner_now = parts + loop.first + k
        through: dict[int, int] = {}
        for between, node in () if g.is_constant(pivot) else row.items():
            for on, factor in solved.upper[place[between]][1].items():
                if not g.is_constant(solved.pivots[place[on]]):
                    through[on] = g.add(through.get(on, g.zero), g.mul(node, factor))
        for on, node in through.items():
            g.owner_now = parts + loop.first + place[on]
            taken = g.div(g.mul(node, node), pivot)
            found[place[on]] = g.add(found[place[on]], g.apply(Op.ABS, taken))
    return found


def _misfit(
    lowered: Lowered, loop: LoweredLoop, order: Elimination, rows: list[dict[int, int]], right: list[int], unknowns: list[int]
) -> int:
    """Returns the greatest residual of an equation relative to the sum of its terms: the error of elimination without a search for
    pivots."""
    g, parts = lowered.graph, len(lowered.built.parts)
    g.merging = False  # but for rounding it is nothing
    worst = g.zero
    for k, (p, _) in enumerate(order.pivots):
        g.owner_now = parts + loop.first + k
        row, b = rows[p], right[p]
        residual, size = g.neg(b), g.apply(Op.ABS, b)
        for column, entry in row.items():
            term = g.mul(entry, unknowns[column])
            residual, size = g.add(residual, term), g.add(size, g.apply(Op.ABS, term))
        share = g.div(g.apply(Op.ABS, residual), g.add(size, g.constant(_NOTHING)))
        worst = g.apply(Op.MAX, share, worst)
    g.merging = True
    return worst


_NOTHING = 1e-300
"""Size that is added to the terms: an equation without any terms then counts as solved."""
