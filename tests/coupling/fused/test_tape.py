"""Graphs as tapes: the numbers of the graph, from a workspace in which nothing else is a number."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest

from coupling.fused.expressions import Graph, Op
from coupling.fused.tape import Writer
from coupling.kernel.tapes.tape import END, OPERATIONS, run


def batches(tape: np.ndarray) -> list[tuple[str, int]]:
    """Operation and count of each."""
    names = {number: (name, operands) for name, (number, operands) in OPERATIONS.items()}
    found, at = [], 0
    while tape[at] != END:
        name, operands = names[int(tape[at])]
        found.append((name, int(tape[at + 1])))
        at += 3 + operands * int(tape[at + 1])
    return found


def written(graph: Graph, roots: list[int], leaves: dict[int, float]) -> tuple[Writer, np.ndarray, np.ndarray]:
    writer = Writer(graph, {leaf: i for i, leaf in enumerate(leaves)}, len(leaves))
    tape = writer.tape([n for n in graph.order(roots) if graph.args[n]], roots)
    workspace = writer.initial()
    workspace[: len(leaves)] = list(leaves.values())
    run(tape, workspace)
    return writer, tape, workspace


def test_a_tape_gives_what_the_graph_gives():
    """Bit by bit, since products that are joined with sums round as before."""
    g, random = Graph(), np.random.default_rng(3)
    x = [g.leaf(Op.STATE, i) for i in range(6)]
    nodes = list(x)
    for _ in range(200):
        a, b = (nodes[i] for i in random.integers(0, len(nodes), 2))
        nodes.append([g.add, g.sub, g.mul][random.integers(0, 3)](a, b))
    roots = [n for n in nodes[-20:] if g.args[n]]
    values = random.uniform(-1, 1, 6)
    writer, _, workspace = written(g, roots, dict(zip(x, values, strict=True)))
    expected = g.evaluate(roots, lambda _, i: values[i])
    assert [workspace[writer.slot[n]] for n in roots] == [float(value) for value in expected]


def test_equal_operations_that_do_not_wait_are_one_batch():
    """Sines of all angles, then all products; none is joined, since nobody adds them."""
    g = Graph()
    x = [g.leaf(Op.STATE, i) for i in range(8)]
    sines = [g.apply(Op.SIN, each) for each in x]
    roots = [g.mul(a, b) for a, b in zip(sines, x, strict=True)]
    _, tape, _ = written(g, roots, dict.fromkeys(x, 0.5))
    assert batches(tape) == [("SIN", 8), ("MULTIPLY", 8)]


def test_products_are_joined_with_the_only_sum_that_reads_them():
    g = Graph()
    a, b, c = (g.leaf(Op.STATE, i) for i in range(3))
    product, shared = g.mul(a, b), g.mul(b, c)
    roots = [g.sub(c, product), g.add(a, shared), g.add(b, shared)]
    writer, tape, workspace = written(g, roots, {a: 2.0, b: 3.0, c: 5.0})
    assert Counter(dict(batches(tape))) == {"MULTIPLY_SUBTRACT": 1, "MULTIPLY": 1, "ADD": 2}
    assert [workspace[writer.slot[n]] for n in roots] == [-1, 17, 18]


def test_what_nothing_gives_is_no_number():
    """A leaf without a slot is refused; one that nobody has filled spoils what reads it."""
    g = Graph()
    a, b = (g.leaf(Op.STATE, i) for i in range(2))
    total = g.add(a, b)
    with pytest.raises(KeyError):
        Writer(g, {a: 0}, 1).tape([total], [total])
    writer = Writer(g, {a: 0, b: 1}, 2)
    tape, workspace = writer.tape([total], [total]), writer.initial()
    workspace[0] = 1
    run(tape, workspace)
    assert np.isnan(workspace[writer.slot[total]])


def test_constants_and_copies():
    """A slot that is written from elsewhere too gets a value of its own, and leaves that of a constant as it is."""
    g = Graph()
    two, a = g.constant(2.0), g.leaf(Op.STATE, 0)
    double = g.mul(a, two)
    writer = Writer(g, {a: 0}, 3)
    tape = writer.tape([double], [double], {1: two, 2: double})
    workspace = writer.initial()
    workspace[0] = 4
    run(tape, workspace)
    assert list(workspace[:3]) == [4, 2, 8]
