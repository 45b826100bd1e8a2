"""Tables in graphs: values and slopes of SciPy's interpolations, on tapes, as instructions and in compiled C."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.interpolate import PchipInterpolator, RegularGridInterpolator

from coupling.fused.c_code import Section, c_source
from coupling.fused.c_loops import loops_source
from coupling.fused.expressions import Graph, Op
from coupling.fused.gradients import _LARGEST, _LAST_ALONG_Y, gradients
from coupling.fused.not_fused import NotFused
from coupling.fused.tape import Writer
from coupling.kernel.tapes import machine, tape
from fmu_components.declare import tables
from tests.support.fused.graphs import Staged, in_c

X = np.array([-1.0, -0.4, 0.1, 0.3, 1.2, 1.9])
Y = np.array([-2.0, -1.1, 0.4, 0.9, 0.7, 3.0])
U = np.array([0.0, 0.5, 1.5])
Z = np.array([[1.0, 2.0, 2.5], [0.5, 1.0, 3.0], [0.0, 1.5, 2.0], [2.0, 2.2, 2.1], [1.0, -1.0, 0.0], [4.0, 5.0, 7.0]])


def curves(count: int) -> tuple[Staged, np.ndarray]:
    """Returns the value, the slope and the bend of a curve of each of some owners, and the values of all leaves: places, then tables."""
    graph, roots, size = Graph(), list[int](), len(X)
    x = [graph.leaf(Op.STATE, i) for i in range(count)]
    tables = [[graph.leaf(Op.PARAMETER, 2 * size * i + k * size) for k in range(2)] for i in range(count)]
    for i in range(count):
        graph.owner_now = i
        value = graph.apply(Op.CURVE, graph.zero, graph.one, graph.mul(x[i], x[i]), graph.constant(size), *tables[i])
        (slope,) = gradients(graph, [value], Op.STATE)
        (bend,) = gradients(graph, [slope[i]], Op.STATE)
        roots += [value, slope[i], bend[i]]
    slots = {leaf: i for i, leaf in enumerate(x)}
    slots |= {leaf: count + 2 * size * i + k * size for i, table in enumerate(tables) for k, leaf in enumerate(table)}
    values = np.concatenate([np.linspace(-1.3, 1.3, count), *(np.concatenate([X, (i + 1) * Y]) for i in range(count))])
    nodes = [node for node in graph.order(roots) if graph.args[node]]
    owner = list(graph.owner)
    for i, (place, table) in enumerate(zip(x, tables, strict=True)):
        for leaf in (place, *table):
            owner[leaf] = i
    return Staged(graph, {"before": Section(nodes)}, roots, slots, len(values), owner), values


def by_tape(run: Callable[..., object]) -> Callable[[Staged, np.ndarray], dict[int, float]]:
    def found(staged: Staged, values: np.ndarray) -> dict[int, float]:
        writer = Writer(staged.graph, dict(staged.slot_of_leaf), staged.first_free)
        code = writer.tape(staged.stages["before"].nodes, staged.kept)
        workspace = writer.initial()
        workspace[: len(values)] = values
        assert run(code, workspace) is not False
        return {node: float(workspace[writer.place_of(node)]) for node in staged.kept}

    return found


def straight(staged: Staged, values: np.ndarray) -> dict[int, float]:
    return in_c(staged, c_source(staged.graph, staged.stages, staged.kept, staged.slot_of_leaf, staged.first_free), values)


def loops(staged: Staged, values: np.ndarray) -> dict[int, float]:
    told = staged.graph, staged.stages, staged.kept, staged.slot_of_leaf, staged.first_free
    return in_c(staged, loops_source(*told, staged.owner.__getitem__), values)


WAYS = {"tape": by_tape(tape.run), "instructions": by_tape(machine.run), "straight C": straight, "loops in C": loops}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("count", [1, 3, 40])
def test_values_and_slopes_of_a_curve_are_those_of_scipy(way, count):
    """Several owners are computed at once where there are 40; the second derivative is taken within the pieces."""
    staged, values = curves(count)
    found = WAYS[way](staged, values)
    numbers = np.array([found[node] for node in staged.kept]).reshape(count, 3)
    for i, x in enumerate(values[:count]):
        spline, inside = PchipInterpolator(X, (i + 1) * Y), X[0] <= x * x <= X[-1]
        at = np.clip(x * x, X[0], X[-1])
        slope, bend = (float(spline(at, order)) * inside for order in (1, 2))
        np.testing.assert_allclose(numbers[i], [float(spline(at)), 2 * x * slope, 2 * slope + 4 * x * x * bend], rtol=1e-12, atol=1e-12)


def test_all_ways_give_the_same_bits():
    staged, values = curves(40)
    expected, *others = ([each[node] for node in staged.kept] for each in (way(staged, values) for way in WAYS.values()))
    assert all(each == expected for each in others)


@pytest.mark.parametrize("kind", [0, 1])
def test_a_surface_and_its_slopes(kind):
    """The values are those of SciPy's interpolation of rows and then along x, the slopes those of complex steps."""
    graph, size = Graph(), (len(X), len(U))
    x, u = graph.leaf(Op.STATE, 0), graph.leaf(Op.STATE, 1)
    tables = [graph.leaf(Op.PARAMETER, first) for first in (0, len(X), len(X) + len(U))]
    told = graph.zero, graph.zero, graph.constant(kind), x, u, *map(graph.constant, size), *tables
    node = graph.apply(Op.SURFACE, *told)
    (slopes,) = gradients(graph, [node], Op.STATE)
    numbers = np.concatenate([X, U, Z.ravel()])
    for at in np.random.default_rng(2).uniform([-0.9, 0.1], [1.8, 1.4], (20, 2)):

        def leaf(op, number, at=at):
            return at[number] if op is Op.STATE else numbers[number]

        value, *found = graph.evaluate([node, slopes[0], slopes[1]], leaf)
        if kind:
            expected = PchipInterpolator(X, [PchipInterpolator(U, row)(at[1]) for row in Z])(at[0])
        else:
            expected = RegularGridInterpolator((X, U), Z)(at)[0]
        assert float(value) == pytest.approx(float(expected), rel=1e-13)
        for place in range(2):
            along = np.arange(2) == place
            moved = at + 1e-6j * along
            (beside,) = graph.evaluate([node], lambda op, number, moved=moved: leaf(op, number, moved))
            ends = [graph.evaluate([node], lambda op, number, to=at + side * along: leaf(op, number, to))[0] for side in (-1e-6, 1e-6)]
            assert float(found[place]) == pytest.approx((ends[1] - ends[0]) / 2e-6, rel=1e-7, abs=1e-7)
            assert float(np.imag(beside)) == pytest.approx(1e-6 * float(found[place]), rel=1e-12)


def test_derivatives_that_vanish_are_zero_and_others_have_an_end():
    graph = Graph()
    x, first = graph.leaf(Op.STATE, 0), graph.leaf(Op.PARAMETER, 0)
    for kind, largest in ((0, 1), (1, 3)):
        node = graph.apply(Op.CURVE, graph.constant(largest), graph.constant(kind), x, graph.constant(3), first, first)
        assert gradients(graph, [node], Op.STATE) == [{}]
    sizes = graph.constant(3), graph.constant(3)
    orders = graph.zero, graph.constant(3), graph.one
    surface = graph.apply(Op.SURFACE, *orders, graph.one, x, *sizes, first, first, first)
    with pytest.raises(NotFused, match="a surface has no derivative of order 4 by its second argument"):
        gradients(graph, [surface], Op.STATE)


def test_derivatives_end_where_those_of_declarations_do() -> None:
    """Graphs know no declarations, and therefore have these orders themselves."""
    assert (_LARGEST, _LAST_ALONG_Y) == (tables.LARGEST, tables._LAST_ALONG_Y)
