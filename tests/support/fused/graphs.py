"""Graphs to be written as code, their evaluation in NumPy, and that of the code."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from random import Random

import numpy as np

from coupling.fused.c_code import CSource, Section
from coupling.fused.compiled import functions
from coupling.fused.expressions import CALCULATED, Graph, Op

UNARY = (Op.NEGATE, Op.SIN, Op.COS, Op.TAN, Op.ASIN, Op.ACOS, Op.ATAN, Op.SINH, Op.COSH, Op.TANH, Op.EXP, Op.LOG, Op.SQRT)
UNARY += (Op.ABS, Op.SIGN, Op.FLOOR, Op.CEILING, Op.NOT)
BINARY = (
    Op.ADD,
    Op.SUBTRACT,
    Op.MULTIPLY,
    Op.DIVIDE,
    Op.ATAN2,
    Op.POWER,
    Op.MAX,
    Op.MIN,
    Op.GREATER,
    Op.GREATER_EQUAL,
    Op.EQUAL,
    Op.AND,
    Op.OR,
)


@dataclass
class Staged:
    """A graph cut into stages."""

    graph: Graph
    stages: Mapping[str, Section]
    kept: list[int]
    slot_of_leaf: Mapping[int, int]
    first_free: int
    owner: list[int]


def every_operation(leaves: int = 6, rounds: int = 3, seed: int = 3) -> Staged:
    """Each operation on what other ones have given, in two stages, the second of which reads what the first has copied to the slot of a leaf."""
    graph, random = Graph(), Random(seed)
    first = [graph.leaf(Op.STATE, i) for i in range(leaves)]
    unknown, half = graph.leaf(Op.UNKNOWN), graph.constant(0.5)
    stages, found = {}, list(first)
    for stage, more in (("before", []), ("after", [unknown, half])):
        found += more
        begun = len(graph)
        for number in range(rounds):
            graph.owner_now = number
            for op in UNARY:
                found.append(graph.apply(op, random.choice(found)))
            for op in BINARY:
                found.append(graph.apply(op, random.choice(found), random.choice(found)))
            found.append(graph.select(random.choice(found), random.choice(found), random.choice(found)))
        new = [node for node in range(begun, len(graph)) if graph.args[node]]
        stages[stage] = Section(new, {leaves: found[-1]} if stage == "before" else {})
        found = sorted(set(found))
    slots = {node: i for i, node in enumerate([*first, unknown])}
    return Staged(graph, stages, [*stages["before"].nodes, *stages["after"].nodes, half, graph.one], slots, leaves + 1, graph.owner)


def rows_of_owners(count: int, leaves: int = 4) -> Staged:
    """Each operation as often as there are owners, on the same operands of each; a second stage reads what the owner before has, one for all has, and one
    in two have."""
    graph = Graph()
    leaf = [[graph.leaf(Op.STATE, leaves * i + k) for k in range(leaves)] for i in range(count)]
    half, before, after = graph.constant(0.5), list[list[int]](), list[int]()
    for owner in range(count):
        graph.owner_now, random, found = owner, Random(5), [*leaf[owner], half]
        for op in UNARY:
            found.append(graph.apply(op, random.choice(found)))
        for op in BINARY:
            found.append(graph.apply(op, random.choice(found), random.choice(found)))
        found.append(graph.select(random.choice(found), random.choice(found), random.choice(found)))
        before.append([node for node in found if graph.args[node]])
    begun = len(graph)
    for owner in range(1, count):
        graph.owner_now, random = owner, Random(6)
        every = [*before[owner], *before[owner - 1], *before[0], *before[owner // 2], *leaf[owner // 2]]
        after += [graph.apply(op, random.choice(every)) for op in UNARY]
        after += [graph.apply(op, random.choice(every), random.choice(every)) for op in BINARY]
    owners = list(graph.owner)
    for owner, own in enumerate(leaf):
        for node in own:
            owners[node] = owner
    stages = {
        "before": Section([node for node in range(begun) if graph.args[node]]),
        "after": Section([node for node in range(begun, len(graph)) if graph.args[node]]),
    }
    slots = {node: i for i, node in enumerate(node for own in leaf for node in own)}
    constants = [node for node in range(len(graph)) if graph.is_constant(node)]
    return Staged(graph, stages, [*stages["before"].nodes, *stages["after"].nodes, *constants], slots, len(slots), owners)


def links(count: int) -> Staged:
    """Builds a chain of owners: each adds a value of its own leaves to the value of the owner before it."""
    graph, total = Graph(), None
    leaves = [graph.leaf(op, i) for i in range(count) for op in (Op.STATE, Op.PARAMETER)]
    for i in range(count):
        graph.owner_now = i
        own = graph.mul(graph.apply(Op.SIN, leaves[2 * i]), leaves[2 * i + 1])
        total = own if total is None else graph.add(graph.mul(graph.constant(0.5), total), own)
    assert total is not None
    nodes = [node for node in range(len(graph)) if graph.args[node]]
    owner = list(graph.owner)
    for i, leaf in enumerate(leaves):
        owner[leaf] = i // 2
    return Staged(graph, {"before": Section(nodes)}, [total], {leaf: i for i, leaf in enumerate(leaves)}, 2 * count, owner)


def misfit(staged: Staged, found: Mapping[int, float]) -> float:
    """The greatest relative difference between a value and what NumPy makes of those of its operands."""
    graph, worst = staged.graph, 0.0
    for node in (node for node in found if graph.args[node]):
        with np.errstate(all="ignore"):
            value = float(CALCULATED[graph.op[node]](*(np.float64(found[each]) for each in graph.args[node])))
        if graph.op[node] is Op.SIGN and np.isnan(value):
            value = 0.0  # as components have it
        same = found[node] == value or (np.isnan(found[node]) and np.isnan(value))
        worst = max(worst, 0.0 if same else abs(found[node] - value) / abs(value))
    return worst


def in_c(staged: Staged, source: CSource, values: np.ndarray) -> dict[int, float]:
    """Returns the values of leaves and of kept nodes, by node, computed in a workspace that is full of NaN at first."""
    w = np.full(source.size, np.nan)
    w[list(source.constants)] = list(source.constants.values())
    w[: len(values)] = values
    found = functions(source.text, staged.stages)
    for stage in staged.stages:
        code = source.data[stage].ctypes.data if source.data else None
        ctypes.CFUNCTYPE(None, ctypes.c_void_p, ctypes.c_void_p)(found[stage])(code, w.ctypes.data)
    return {node: float(w[source.slot[node]]) for node in (*staged.slot_of_leaf, *staged.kept)}


def turning(count: int) -> Staged:
    """Sines and cosines of leaves, with other operations between them, and the sine of what follows."""
    graph = Graph()
    leaves = [graph.leaf(Op.STATE, i) for i in range(count)]
    total = graph.apply(Op.COS, leaves[0])
    for leaf in leaves:
        total = graph.add(graph.mul(graph.apply(Op.SIN, leaf), total), graph.apply(Op.COS, leaf))
    graph.apply(Op.SIN, total)
    nodes = [node for node in range(len(graph)) if graph.args[node]]
    return Staged(graph, {"before": Section(nodes)}, nodes, {leaf: i for i, leaf in enumerate(leaves)}, count, graph.owner)
