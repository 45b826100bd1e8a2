"""Operations interleaved, by a processor that is simulated here."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coupling.fused.c_code import Section, c_source
from coupling.fused.c_order import interleaved
from coupling.fused.expressions import Graph, Op
from tests.support.fused.graphs import Staged, in_c

LATENCY, WIDTH, WINDOW = {Op.DIVIDE: 13}, 4, 60


def cycles(graph: Graph, order: Sequence[int]) -> int:
    """Returns the cycles of a processor that begins ready operations among the next ones, in the order of the text."""
    there = dict.fromkeys(order, 10**9)
    left, now = list(order), 0
    while left:
        begun = [node for node in left[:WINDOW] if all(there.get(a, 0) <= now for a in graph.args[node])][:WIDTH]
        there |= {node: now + LATENCY.get(graph.op[node], 3) for node in begun}
        left = [node for node in left if node not in begun]
        now += 1
    return max(there.values())


def chains(count: int, length: int) -> tuple[Graph, list[int], list[int]]:
    """Builds chains, one after the other; returns nodes, and the last of each."""
    graph, ends = Graph(), []
    for i in range(count):
        node = graph.leaf(Op.STATE, i)
        for k in range(length):
            node = (
                graph.div(graph.one, node) if k % 5 == 0 else graph.mul(graph.add(node, graph.constant(0.25 + i)), graph.constant(0.5 + k))
            )
        ends.append(node)
    return graph, [node for node in range(len(graph)) if graph.args[node]], ends


def test_chains_are_interleaved():
    """Six of them take little longer than one, where they took three times as long one after the other; operands come before what is made of them."""
    graph, nodes, _ = chains(6, 60)
    order = interleaved(graph, nodes)
    assert order is not None and sorted(order) == nodes
    place = {node: i for i, node in enumerate(order)}
    assert all(place[a] < place[node] for node in nodes for a in graph.args[node] if a in place)
    alone = cycles(graph, chains(1, 60)[1])
    assert cycles(graph, order) < 1.2 * alone and 3 * alone < cycles(graph, nodes)


def test_a_processor_that_is_busy_anyway_gets_the_given_order():
    graph, nodes, _ = chains(200, 2)
    assert interleaved(graph, nodes) is None


def test_where_functions_are_called_the_given_order_stays():
    graph, nodes, ends = chains(6, 60)
    assert interleaved(graph, [*nodes, graph.apply(Op.SIN, ends[0])]) is None


def test_what_may_wait_fills_the_gaps_of_the_next_stage():
    """It moves into the function of that stage, and all has the values that NumPy gives."""
    graph, nodes, ends = chains(3, 40)
    sums = [graph.add(graph.mul(ends[0], graph.leaf(Op.STATE, i)), graph.leaf(Op.STATE, 2 - i)) for i in range(3)]
    before = [node for node in nodes if node < ends[1]]
    after = [node for node in range(len(graph)) if graph.args[node] and node not in before]
    waiting = frozenset(node for node in before if node > ends[0])
    slots = {node: int(graph.value[node]) for node in range(len(graph)) if graph.op[node] is Op.STATE}
    texts = {}
    for may_wait in (frozenset[int](), waiting):
        staged = Staged(
            graph, {"before": Section(before, may_wait=may_wait), "after": Section(after)}, [*ends, *sums], slots, 3, graph.owner
        )
        source = c_source(graph, staged.stages, staged.kept, slots, 3)
        texts[may_wait] = source.text[: source.text.index("jourdain_before")].count("/")
        found = in_c(staged, source, np.array([0.4, 0.7, 1.1]))
        expected = graph.evaluate([*ends, *sums], lambda op, number: (0.4, 0.7, 1.1)[number])
        assert [found[node] for node in (*ends, *sums)] == [float(each) for each in expected]
    assert texts[waiting] < texts[frozenset()]
