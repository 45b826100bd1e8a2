"""The joints of constraints, and the cycles of joints: rows outside of cycles never depend on each other."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Mapping

from coupling.kernel.rows.rows import NONE
from coupling.plan.graph import Graph
from coupling.plan.loops import Loop


def joints_and_cycles(graph: Graph, loop: Loop) -> tuple[list[int], list[int]]:
    """Returns the number of the joint and that of the cycle of each unknown of a loop. It is NONE for torn inputs, and outside of
    cycles."""
    multipliers = loop.unknowns[: len(loop.unknowns) - loop.torn]
    joints: list[tuple[int, str]] = []
    for address in multipliers:
        variable = graph.parts[address.part].fmu.by_reference[address.reference]
        joints.append((address.part, variable.name.rpartition(".")[0]))
    number = {joint: i for i, joint in enumerate(dict.fromkeys(joints))}
    bodies = _bodies(graph, {address.part for address in multipliers})
    edges: list[tuple[Hashable, Hashable]] = []
    for joint in number:
        edges += [(joint, body) for body in bodies[joint[0]]]
    cycle = cycles(edges)
    torn = [NONE] * loop.torn
    return [*(number[j] for j in joints), *torn], [*(cycle.get(j, NONE) for j in joints), *torn]


_GROUND = "ground"


def _bodies(graph: Graph, joints: set[int]) -> Mapping[int, set[Hashable]]:
    """Returns the bodies with which each joint is connected. Instances without states are the ground; an instance with joints inside is
    itself a body of them."""
    found: dict[int, set[Hashable]] = defaultdict(set)
    for target, sources in graph.wires.items():
        for source in sources:
            for joint, other in ((target.part, source.part), (source.part, target.part)):
                if joint in joints:
                    found[joint].add(other if graph.parts[other].states or other in joints else _GROUND)
    for joint in joints:
        if graph.parts[joint].states:
            found[joint].add(joint)
    return found


def cycles(edges: Iterable[tuple[Hashable, Hashable]]) -> dict[Hashable, int]:
    """Returns the numbers of the biconnected components with more than one edge, by the first ends of their edges. A first end in several
    components joins them. See Hopcroft and Tarjan, Algorithm 447: efficient algorithms for graph manipulation, 1973."""
    beside: dict[Hashable, list[tuple[int, Hashable]]] = defaultdict(list)
    pairs = list(dict.fromkeys(edges))
    for i, (a, b) in enumerate(pairs):
        beside[a].append((i, b))
        beside[b].append((i, a))
    depth: dict[Hashable, int] = {}
    lowest: dict[Hashable, int] = {}
    joined: dict[int, int] = {}
    found: dict[Hashable, int] = {}

    def root(number: int) -> int:
        while joined[number] != number:
            number = joined[number]
        return number

    def close(component: list[int]) -> None:
        if len(component) == 1:
            return
        new = len(joined)
        joined[new] = new
        for edge in component:
            known = found.setdefault(pairs[edge][0], new)
            joined[root(known)] = root(new)

    for start in beside:
        if start in depth:
            continue
        depth[start] = lowest[start] = 0
        path: list[int] = []
        stack = [(start, -1, iter(beside[start]))]
        while stack:
            vertex, entered, rest = stack[-1]
            edge, other = next(rest, (-1, vertex))
            if edge < 0:
                stack.pop()
                if stack:
                    above = stack[-1][0]
                    lowest[above] = min(lowest[above], lowest[vertex])
                    if lowest[vertex] >= depth[above]:
                        at = path.index(entered)
                        close(path[at:])
                        del path[at:]
            elif edge != entered and other not in depth:
                depth[other] = lowest[other] = depth[vertex] + 1
                path.append(edge)
                stack.append((other, edge, iter(beside[other])))
            elif edge != entered and depth[other] < depth[vertex]:
                path.append(edge)
                lowest[vertex] = min(lowest[vertex], depth[other])
    numbers: dict[int, int] = {}
    return {end: numbers.setdefault(root(number), len(numbers)) for end, number in found.items()}
