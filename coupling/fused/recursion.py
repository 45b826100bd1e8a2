"""Trees of blocks without closed loops: all values that pass between blocks are unknowns, and are eliminated from the leaves to the root.

A subtree is reduced to the dependence of the wrench at its root on the motion there. The effort therefore grows with the number of blocks:
the articulated-body algorithm, found by elimination.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace

from coupling.plan.build import Built
from coupling.plan.graph import Graph
from coupling.plan.loops import Loop
from coupling.plan.schedule import ScheduledLoop

Pivots = Sequence[tuple[int, int]]
"""Equation and unknown, both counted within a loop."""


@dataclass(frozen=True)
class Cut:
    """A system with more unknowns than the original one."""

    built: Built
    pivots: tuple[Pivots, ...]
    """Pivots by loop, in the order of elimination."""
    original: Sequence[int]
    """Numbers of the loops' unknowns that are those of the former system, in its order."""


def cut_between_blocks(built: Built) -> Cut | None:
    """Returns the cut system. Returns None where a loop is no tree, or its equations depend on modes or move states onto constraints. It
    also does where no loop is so large that it was cut already."""
    if built.reading is not None or built.switched or built.enforced or not any(loop.torn for loop in built.schedule.loops):
        return None
    found = [_cut(built.schedule.graph, loop) for loop in built.schedule.loops]
    loops = [each[0] for each in found if each]
    if len(loops) < len(found):
        return None
    number = {address: i for i, address in enumerate(address for loop in loops for address in loop.unknowns)}
    original = [number[address] for loop in built.schedule.loops for address in loop.unknowns]
    return Cut(replace(built, schedule=replace(built.schedule, loops=loops)), tuple(each[1] for each in found if each), original)


def _cut(graph: Graph, loop: ScheduledLoop) -> tuple[ScheduledLoop, Pivots] | None:
    """Returns a loop in which all inputs are unknowns, as those are at which the loop is cut already."""
    own = loop.unknowns[: len(loop.unknowns) - loop.torn]
    solved = {graph.node[address] for address in own}
    inputs = sorted(node for node in loop.members if not graph.is_output[node] and node not in solved)
    parents = _parents(graph, loop, inputs)
    depth = None if parents is None else _depths(parents, {graph.addresses[node].part for node in loop.members})
    if parents is None or depth is None or [a.part for a in own] != [a.part for a in loop.residuals[: len(own)]]:
        return None
    cuts = [graph.addresses[node] for node in inputs]
    unknowns = [*own, *cuts]
    from_parent = {node: _giver(graph, node) == parents.get(graph.addresses[node].part) for node in inputs}
    turn: dict[int, tuple[list[int], list[int], list[int]]] = {part: ([], [], []) for part in depth}
    for place, address in enumerate(unknowns):
        turn[address.part][1 if place < len(own) else 2 if from_parent[inputs[place - len(own)]] else 0].append(place)
    order = [place for part in sorted(depth, key=lambda part: (-depth[part], part)) for places in turn[part] for place in places]
    finer = Loop(loop.members, unknowns, len(cuts), [*loop.residuals[: len(own)], *cuts])
    return ScheduledLoop(**vars(finer)), [(place, place) for place in order]


def _giver(graph: Graph, node: int) -> int:
    return graph.addresses[graph.before[node][0]].part


def _parents(graph: Graph, loop: Loop, inputs: Sequence[int]) -> Mapping[int, int] | None:
    """Returns, by part, the part that gives it motion without waiting for its reaction; None where these are no trees."""
    between: dict[tuple[int, int], list[tuple[int, int]]] = {}
    for node in inputs:
        for source in graph.before[node]:
            if source in loop.members:
                between.setdefault((graph.addresses[source].part, graph.addresses[node].part), []).append((source, node))
    found: dict[int, int] = {}
    for (giver, taker), pairs in between.items():
        back = {node for _, node in between.get((taker, giver), ())}
        waits = any(known in back for source, _ in pairs for known in graph.before[source])
        if not back or (not waits and found.setdefault(taker, giver) != giver):
            return None
    return found


def _depths(parents: Mapping[int, int], parts: Set[int]) -> Mapping[int, int] | None:
    """Returns how many parts are above each part; None where one is above itself."""
    found: dict[int, int] = {}
    waiting = [(part, 0) for part in sorted(parts - parents.keys())]
    children: dict[int, list[int]] = {}
    for part, parent in parents.items():
        children.setdefault(parent, []).append(part)
    while waiting:
        part, depth = waiting.pop()
        found[part] = depth
        waiting += [(child, depth + 1) for child in children.get(part, ())]
    return found if len(found) == len(parts) else None
