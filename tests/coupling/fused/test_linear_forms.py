"""Sums of names become sums of unknowns: the same values, by few products."""

from __future__ import annotations

from random import Random

import numpy as np
import pytest

from coupling.fused.expressions import Graph, Op
from coupling.fused.linear_forms import Names

UNKNOWNS = 4


def weighted(graph: Graph, slopes: dict[int, int], weight: int) -> dict[int, int]:
    return {key: graph.mul(weight, node) for key, node in slopes.items()}


def added(graph: Graph, *sums: dict[int, int]) -> dict[int, int]:
    return {key: total for key in sorted({key for each in sums for key in each}) if (total := summed(graph, sums, key)) != graph.zero}


def summed(graph: Graph, sums: tuple[dict[int, int], ...], key: int) -> int:
    total = graph.zero
    for each in sums:
        total = graph.add(total, each.get(key, graph.zero))
    return total


@pytest.mark.parametrize("seed", range(5))
def test_values_are_those_of_following_each_unknown(seed):
    """Random sums of random sums give the same values."""
    random, graph = Random(seed), Graph()
    names = Names(graph, UNKNOWNS)
    leaves = [graph.leaf(Op.PARAMETER, i) for i in range(6)]
    named, followed = ([{i: graph.one} for i in range(UNKNOWNS)] for _ in range(2))
    for _ in range(20):
        terms = [(random.randrange(len(named)), random.choice([*leaves, graph.one, graph.neg(graph.one)])) for _ in range(3)]
        named.append(added(graph, *(weighted(graph, names.of(named[i]), weight) for i, weight in terms)))
        followed.append(added(graph, *(weighted(graph, followed[i], weight) for i, weight in terms)))
    values = np.random.default_rng(seed).normal(size=6)
    for row, expected in zip(names.put_away(named[-8:]), followed[-8:], strict=True):
        assert set(row) <= set(range(UNKNOWNS))
        for unknown in range(UNKNOWNS):
            pair = [row.get(unknown, graph.zero), expected.get(unknown, graph.zero)]
            found, wanted = graph.evaluate(pair, lambda op, number: values[number])
            assert found == pytest.approx(wanted, rel=1e-12, abs=1e-9)


def test_what_is_the_same_for_all_unknowns_is_multiplied_once():
    """Ten unknowns, then two matrices of three by three, one after the other: their product takes 27 products, and each unknown 9 more."""
    graph, count = Graph(), 10
    names = Names(graph, count)
    matrices = [[[graph.leaf(Op.PARAMETER, 100 * m + 10 * i + j) for j in range(3)] for i in range(3)] for m in range(3)]
    first = [[graph.leaf(Op.STATE, 10 * i + j) for j in range(count)] for i in range(3)]
    sums = [added(graph, *(weighted(graph, names.of({j: graph.one}), row[j]) for j in range(count))) for row in first]
    for matrix in matrices:
        sums = [added(graph, *(weighted(graph, names.of(sums[j]), row[j]) for j in range(3))) for row in matrix]
    nodes = graph.order([node for row in names.put_away(sums) for node in row.values()])
    assert sum(graph.op[node] is Op.MULTIPLY for node in nodes) == 2 * 27 + 9 * count


def test_what_cancels_is_left_out():
    graph = Graph()
    names = Names(graph, 1)
    two = names.of({0: graph.leaf(Op.PARAMETER, 0)})
    assert names.put_away([added(graph, two, {0: graph.neg(graph.leaf(Op.PARAMETER, 0))})]) == [{}]
