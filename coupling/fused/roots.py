"""What is wanted of a graph, cut into stages: which nodes are computed when, and where results go."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import NamedTuple

from coupling.fused.elimination import Elimination, Order, eliminations
from coupling.fused.expressions import Graph, Op
from coupling.fused.lowered import Lowered, LoweredLoop
from coupling.fused.recursion import Pivots
from coupling.memory import without_collection


class Region(StrEnum):
    """A part of the workspace, in this order."""

    STATES = "x"
    TIME = "t"
    DRIVES = "u"
    PARAMETERS = "p"
    DISCRETE = "d"
    ENTRIES = "entries"
    """Of the Jacobians of all loops, one after the other, as the kernel has them."""
    RIGHT_SIDES = "b"
    UNKNOWNS = "unknowns"
    PIVOTS = "pivots"
    """In the order of elimination."""
    DIAGONALS = "diagonals"
    """What each pivot was before anything was eliminated; of equations that are not definite, the sum of the sizes of all that it is made of."""
    MISFITS = "misfits"
    """By loop, how far its equations are from being solved where the pivots were chosen beforehand, relative to their terms; 0 of definite ones."""
    DERIVATIVES = "dx"
    INDICATORS = "z"
    POSITIONS = "positions"
    """Of constraints, by their places in the plan's reading."""
    VELOCITIES = "velocities"


@dataclass(frozen=True)
class Wanted:
    """A node whose value has to be in a place of a region at the end of a stage."""

    region: Region
    place: int
    node: int


@dataclass(frozen=True)
class Stage:
    """What is computed together."""

    nodes: tuple[int, ...]
    """Operands first; what earlier stages have is not among them, nor are leaves and constants."""
    wanted: tuple[Wanted, ...]


@dataclass(frozen=True)
class Roots:
    """A graph cut into stages."""

    graph: Graph
    prepare: Stage
    """What follows from parameters and from what changes at events only."""
    before: Stage
    """Leads to the entries and right sides of the loops."""
    solve: Stage
    """The unknowns; another solver may give them instead, from entries and right sides."""
    after: Stage
    """Leads from the unknowns to the derivatives."""
    eliminations: tuple[Elimination, ...]

    @property
    def stages(self) -> tuple[Stage, ...]:
        return self.prepare, self.before, self.solve, self.after


def derivatives(lowered: Lowered) -> Roots:
    """Derivatives of states, and the unknowns even where they do not enter."""
    return _roots(lowered, _placed(Region.DERIVATIVES, lowered.derivatives, 0), solved=True)


def recursive_derivatives(lowered: Lowered, pivots: Sequence[Pivots], others: Collection[int]) -> Roots:
    """The same of loops whose order of elimination is given, without the entries of their equations: nobody else is to solve these.

    Besides the unknowns that derivatives and indicators follow from there are ``others``."""
    with without_collection():
        graph = lowered.graph
        after = _placed(Region.DERIVATIVES, lowered.derivatives, 0)
        nodes = graph.order((*lowered.derivatives, *lowered.indicators))
        read = {int(graph.value[node]) for node in nodes if graph.op[node] is Op.UNKNOWN}
        solve: list[Wanted] = []
        orders = tuple(Elimination(False, Order.ALONE, tuple(each)) for each in pivots)
        for loop, order in zip(lowered.loops, orders, strict=True):
            found = _solved(lowered, loop, order, loop.rows(), [graph.neg(node) for node in loop.residuals])
            solve += _placed(Region.PIVOTS, found.pivots, loop.first)
            solve += _placed(Region.DIAGONALS, _undiminished(lowered, loop, found), loop.first)
            solve += [each for each in _placed(Region.UNKNOWNS, found.unknowns, loop.first) if each.place in read or each.place in others]
        return _staged(graph, [], solve, after, orders)


def corrections(lowered: Lowered, roots: Roots, mobility: Mapping[tuple[int, int], int]) -> dict[tuple[int, int], int]:
    """By loop and state, what moves the state where the right sides of the equations are leaves of their own, in place of which violations come.

    ``mobility`` is by state and unknown. None where states are not moved, or answer to unknowns in a way that depends on these."""
    graph, reading = lowered.graph, lowered.built.reading
    if not reading or any(graph.op[node] is Op.UNKNOWN for node in graph.order(mobility.values())):
        return {}
    held, moved = {(each.loop, each.unknown) for each in reading.constraints}, dict[tuple[int, int], int]()
    for number, (loop, order) in enumerate(zip(lowered.loops, roots.eliminations, strict=True)):
        rows = _kept(lowered, loop, _rows(loop, order))
        right = [graph.leaf(Op.VARIABLE, loop.first + i) if (number, i) in held and row else graph.zero for i, row in enumerate(rows)]
        unknowns = _solved(lowered, loop, order, rows, right).unknowns
        for (state, unknown), slope in mobility.items():
            if loop.first <= unknown < loop.first + len(rows):
                term = graph.mul(slope, unknowns[unknown - loop.first])
                moved[number, state] = graph.add(moved.get((number, state), graph.zero), term)
    return moved


def indicators(lowered: Lowered) -> Roots:
    """Event indicators; unknowns are solved for only where they enter."""
    return _roots(lowered, _placed(Region.INDICATORS, lowered.indicators, 0))


def readings(lowered: Lowered) -> Roots:
    """Positions and velocities of constraints, in this order; nothing is solved for."""
    positions = [lowered.graph.zero if position is None else position for position, _ in lowered.readings]
    velocities = [lowered.graph.zero if velocity is None else velocity for _, velocity in lowered.readings]
    return _roots(lowered, [*_placed(Region.POSITIONS, positions, 0), *_placed(Region.VELOCITIES, velocities, 0)])


def _roots(lowered: Lowered, after: list[Wanted], solved: bool = False) -> Roots:
    with without_collection():
        return _solved_and_staged(lowered, after, solved)


def _solved_and_staged(lowered: Lowered, after: list[Wanted], solved: bool) -> Roots:
    graph = lowered.graph
    before: list[Wanted] = []
    solve: list[Wanted] = []
    enters = solved or any(graph.op[node] is Op.UNKNOWN for node in graph.order([each.node for each in after]))
    orders = eliminations(lowered) if enters else ()
    for number, (loop, order) in enumerate(zip(lowered.loops if enters else (), orders, strict=True)):
        rows = _rows(loop, order)
        entries = [node for row in rows for node in row.values()]
        right = [graph.neg(node) for node in loop.residuals]
        before += _placed(Region.ENTRIES, entries, sum(w.region is Region.ENTRIES for w in before))
        before += _placed(Region.RIGHT_SIDES, right, loop.first)
        rows, right = _kept(lowered, loop, rows), [graph.zero if loop.first + i in lowered.left_out else b for i, b in enumerate(right)]
        found = _solved(lowered, loop, order, rows, right)
        definite = order.order is Order.DEFINITE
        if definite:
            diagonals = [rows[i].get(j, graph.zero) if rows[i] else graph.one for i, j in order.pivots]
            before += _placed(Region.DIAGONALS, diagonals, loop.first)
        else:
            solve += _placed(Region.DIAGONALS, found.sizes, loop.first)
        solve += _placed(Region.PIVOTS, found.pivots, loop.first)
        solve += _placed(Region.UNKNOWNS, found.unknowns, loop.first)
        misfit = graph.zero if definite else _misfit(lowered, loop, order, rows, right, found.unknowns)
        solve += _placed(Region.MISFITS, [misfit], number)
    return _staged(graph, before, solve, after, orders)


def _rows(loop: LoweredLoop, order: Elimination) -> list[dict[int, int]]:
    rows = loop.rows()
    return [{j: rows[max(i, j)][min(i, j)] for j in row} for i, row in enumerate(rows)] if order.symmetric else rows


def _kept(lowered: Lowered, loop: LoweredLoop, rows: list[dict[int, int]]) -> list[dict[int, int]]:
    """Returns the rows without those, and without the columns, of unknowns that are left out: these are 0, and empty rows say so."""
    out = {number - loop.first for number in lowered.left_out}
    return [{j: node for j, node in row.items() if j not in out} if i not in out else {} for i, row in enumerate(rows)] if out else rows


def _placed(region: Region, nodes: Iterable[int], first: int) -> list[Wanted]:
    return [Wanted(region, first + i, node) for i, node in enumerate(nodes)]


class _Solved(NamedTuple):
    pivots: list[int]
    """In their order."""
    sizes: list[int]
    """The sums of the sizes of their terms, where the equations are not definite."""
    upper: list[tuple[int, dict[int, int], int]]
    """Equation, what is right of the pivot, and unknown."""
    unknowns: list[int]


def _solved(lowered: Lowered, loop: LoweredLoop, order: Elimination, rows: list[dict[int, int]], right: list[int]) -> _Solved:
    """L D L^T where the equations are symmetric, else L U."""
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
    """Pivots as they would be, had the elimination of other unknowns taken nothing from them by way of those that are substituted."""
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
    """The greatest residual of an equation beside the sum of its terms: what elimination without a search for pivots has left."""
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
"""So that an equation without any terms is solved."""


def _staged(graph: Graph, before: list[Wanted], solve: list[Wanted], after: list[Wanted], orders: tuple[Elimination, ...]) -> Roots:
    """Each node in the first stage that needs it; what follows from parameters alone, in one before all."""
    done, op = set[int](), graph.op

    def outside(node: int) -> bool:
        return op[node] <= _LEAVES or node in done

    lists = []
    for wanted in (before, solve, after):
        nodes = graph.order([each.node for each in wanted], outside)
        lists.append(nodes)
        done.update(nodes)
    settled: dict[int, bool] = {}
    for node in sorted(done):
        args = graph.args[node]
        settled[node] = True
        for a in args:
            if not settled[a] if a in settled else op[a] not in _SETTLED:
                settled[node] = False
                break
    prepare = tuple(node for node in sorted(done) if settled[node])
    first, second, third = (
        Stage(tuple(node for node in nodes if not settled[node]), tuple(wanted))
        for nodes, wanted in zip(lists, (before, solve, after), strict=True)
    )
    return Roots(graph, Stage(prepare, ()), first, second, third, orders)


_LEAVES = Op.VARIABLE
_SETTLED = (Op.CONSTANT, Op.PARAMETER, Op.DISCRETE)
