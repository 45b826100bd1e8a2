"""The workspace of a fused system and the cut of its graph into stages: when each node is computed, and where leaves are."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from enum import StrEnum
from itertools import chain

from coupling.fused.expressions import Graph, Op
from coupling.fused.lowered import Lowered
from coupling.fused.roots import Roots
from coupling.kernel.equations.fused import Stage


class Region(StrEnum):
    """A part of the workspace that is filled from outside, or the unknowns; in this order."""

    STATES = "x"
    TIME = "t"
    DRIVES = "u"
    PARAMETERS = "p"
    DISCRETE = "d"
    UNKNOWNS = "unknowns"


_REGIONS = dict(zip((Op.STATE, Op.TIME, Op.DRIVE, Op.PARAMETER, Op.DISCRETE, Op.UNKNOWN), Region, strict=True))
_UNKNOWN, _VARIABLE = Op.UNKNOWN, Op.VARIABLE
_SETTLED = (Op.CONSTANT, Op.PARAMETER, Op.DISCRETE)


def regions(lowered: Lowered) -> tuple[dict[Region, int], int]:
    """Returns where each region begins, and where all of them end."""
    drives, parameters = len(lowered.built.drives) + len(lowered.arriving), len(lowered.parameters)
    counts = (lowered.built.states, 1, drives, parameters, len(lowered.discrete), lowered.unknowns)
    first, size = {}, 0
    for region, count in zip(Region, counts, strict=True):
        first[region], size = size, size + count
    return first, size


def leaf_slots(graph: Graph, nodes: Iterable[int], first: Mapping[Region, int]) -> dict[int, int]:
    """Returns the slots of the leaves among some nodes, by where their regions begin."""
    return {n: first[_REGIONS[graph.op[n]]] + int(graph.value[n]) for n in sorted(nodes) if graph.op[n] in _REGIONS}


def signed_node(graph: Graph, node: int) -> tuple[int, bool]:
    """Returns the node that is kept for a node, and True if its value is the opposite."""
    return (graph.args[node][0], True) if graph.op[node] is Op.NEGATE else (node, False)


def settled_nodes(graph: Graph, nodes: Iterable[int]) -> set[int]:
    """Returns the operations on values that change at events only."""
    found: set[int] = set()
    for node in nodes:
        if graph.args[node] and all(a in found or graph.op[a] in _SETTLED for a in graph.args[node]):
            found.add(node)
    return found


def divided(graph: Graph, roots: Roots, kept: Iterable[int]) -> dict[Stage, list[int]]:
    """Returns the nodes of the stages of an evaluation. The stages hold what follows from leaves that change at events only, what the
    equations follow from, the solution, and what follows from the unknowns. Batches are longer than if all nodes needed last were computed
    last."""

    def is_leaf(node: int) -> bool:
        return graph.op[node] <= _VARIABLE

    given = {*graph.order((*roots.entries, *roots.right), is_leaf)}
    solved = (*roots.unknowns.values(), *roots.pivots, *roots.diagonals, *roots.misfits)
    solving = graph.order(solved, lambda node: is_leaf(node) or node in given)
    settled = settled_nodes(graph, sorted(given.union(solving)))
    solve = {node: None for node in solving if node not in settled}
    wanted = graph.order((*kept, *chain.from_iterable(map(graph.args.__getitem__, solve))), lambda node: is_leaf(node) or node in solve)
    later, unsettled = set(solve), set[int]()
    prepare, before, after = list[int](), list[int](), list[int]()
    for node in wanted:
        changes = False
        for a in graph.args[node]:
            if a in later or graph.op[a] is _UNKNOWN:
                later.add(node)
                after.append(node)
                break
            changes = changes or a in unsettled or (graph.op[a] <= _VARIABLE and graph.op[a] not in _SETTLED)
        else:
            if changes:
                unsettled.add(node)
            (before if changes else prepare).append(node)
    return {Stage.PREPARE: prepare, Stage.BEFORE: before, Stage.SOLVE: list(solve), Stage.AFTER: after}


def read_elsewhere(graph: Graph, stages: Collection[Sequence[int]]) -> set[int]:
    """Returns the nodes that one stage computes and another one reads."""
    stage_of = {node: stage for stage, nodes in enumerate(stages) for node in nodes}
    return {a for node, stage in stage_of.items() for a in graph.args[node] if stage_of.get(a, stage) != stage}
