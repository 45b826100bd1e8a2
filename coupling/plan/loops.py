"""The strongly connected parts of a system's graph, and at which of their variables they are cut."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from coupling.plan.graph import Address, Change, Graph
from coupling.plan.strong import strong_parts


@dataclass
class Loop:
    """A part of the graph that is solved as a whole: unknowns, and as many residuals that they make vanish."""

    members: set[int]
    unknowns: list[Address]
    torn: int
    """Number of torn inputs, at which the loop was cut; they are the last unknowns."""
    residuals: list[Address]
    """Variables that have to vanish; for a torn input, the input itself, which has to agree with the value that arrives at it."""
    followers: list[int] | None = None
    """Outputs outside that depend on inputs inside; None where the loop's outputs cannot be got without setting these inputs."""


def find_loops(graph: Graph) -> list[Loop]:
    """Returns all loops. On the way, sets how often all variables change, in which the loops have a part."""
    loops = [_loop(graph, members) for members in _components(graph, range(len(graph.addresses)), paired=True) if len(members) > 1]
    _spread_changes(graph, loops)
    for loop in loops:
        loop.followers = _followers(graph, loop)
    return loops


def _loop(graph: Graph, members: list[int]) -> Loop:
    inside = set(members)
    algebraic = [n for n in graph.algebraic if n in inside]
    torn: list[int] = []
    known = set(algebraic)
    open_parts = [[n for n in members if n not in known]]
    while open_parts:
        for component in _components(graph, open_parts.pop()):
            if len(component) > 1:
                cut = _best_cut(graph, component)
                torn.append(cut)
                open_parts.append([n for n in component if n != cut])
    torn += _far_reaching(graph, inside, [*algebraic, *torn])
    torn.sort()
    residuals = [n for n in graph.residuals if n in inside]
    return Loop(inside, [graph.addresses[n] for n in algebraic + torn], len(torn), [graph.addresses[n] for n in residuals + torn])


_FARTHEST = 4
"""Number of connections across which a value may follow from an unknown. Multipliers of joints reach two: to a body, and on to its other
joints.

With 3, 4, 5 and 6 a chain of 100 blocks takes 46, 48, 47 and 55 thousand instructions for each block. A balanced tree takes 47, 48, 47 and
50.
"""


def _far_reaching(graph: Graph, inside: set[int], unknown: Iterable[int]) -> list[int]:
    """Returns inputs so far from all unknowns that each would follow from many, as along a tree of blocks. These inputs are cut as well, so
    that equations stay short."""
    found: list[int] = []
    depth = dict.fromkeys(unknown, 0)
    waiting = {n: sum(b in inside and b not in depth for b in set(graph.before[n])) for n in inside if n not in depth}
    ready = [n for n, count in waiting.items() if not count]
    while ready:
        node = ready.pop()
        far = max((depth[b] for b in graph.before[node] if b in inside), default=-1)
        if not graph.is_output[node] and far >= 0:
            far += 1
        if far > _FARTHEST:
            found.append(node)
            far = 0
        depth[node] = far
        for after in set(graph.after[node]) & waiting.keys():
            waiting[after] -= 1
            if not waiting[after]:
                ready.append(after)
    return found


def _components(graph: Graph, nodes: Iterable[int], paired: bool = False) -> list[list[int]]:
    """Returns strongly connected parts. If ``paired``, an algebraic variable and its residual belong together, independent of their
    dependencies."""
    nodes = list(nodes)
    local = {node: i for i, node in enumerate(nodes)}
    after = [{local[b] for b in graph.after[a] if b in local} for a in nodes]
    if paired:
        for unknown, residual in zip(graph.algebraic, graph.residuals, strict=True):
            after[local[unknown]].add(local[residual])
            after[local[residual]].add(local[unknown])
    return [[nodes[i] for i in part] for part in strong_parts([sorted(each) for each in after])]


def _best_cut(graph: Graph, component: list[int]) -> int:
    """Returns the input through which most ways pass."""
    inside = set(component)
    inputs = [n for n in component if not graph.is_output[n]]
    return max(inputs, key=lambda n: (sum(b in inside for b in graph.before[n]) * sum(a in inside for a in graph.after[n]), -n))


def _spread_changes(graph: Graph, loops: list[Loop]) -> None:
    for loop in loops:
        for node in loop.members:
            graph.change[node] = Change.ALWAYS
    changed = [n for n in range(len(graph.addresses)) if graph.change[n] is Change.ALWAYS]
    while changed:
        for node in graph.after[changed.pop()]:
            if graph.change[node] is not Change.ALWAYS and not graph.held[node]:
                graph.change[node] = Change.ALWAYS
                changed.append(node)
    needed = _needed(graph, loops)
    for node in range(len(graph.addresses)):
        if graph.change[node] is Change.ALWAYS and node not in needed:
            graph.change[node] = Change.FOR_OUTPUT


def _needed(graph: Graph, loops: list[Loop]) -> set[int]:
    """Returns the variables on which derivatives, residuals and event indicators depend."""
    inputs: dict[int, list[int]] = defaultdict(list)
    for node, address in enumerate(graph.addresses):
        if not graph.is_output[node]:
            inputs[address.part].append(node)
    open_now = [*graph.derivatives, *graph.residuals, *graph.algebraic, *(n for loop in loops for n in loop.members)]
    for index, part in enumerate(graph.parts):
        everything = part.stepped or part.interface.needs_completed_step
        for indicator in part.structure.indicators:
            everything = everything or indicator.dependencies is None
            references = {r for r, _ in indicator.dependencies or ()}
            open_now += [n for n in inputs[index] if part.fmu.own(graph.addresses[n].reference) in references]
        if everything:
            open_now += inputs[index]
    needed = set(open_now)
    while open_now:
        for known in graph.before[open_now.pop()]:
            if known not in needed:
                needed.add(known)
                open_now.append(known)
    return needed


def _followers(graph: Graph, loop: Loop) -> list[int] | None:
    if any(part.stepped for part in graph.parts):
        return None
    if not all(graph.parts[graph.addresses[n].part].interface.directional_derivatives for n in loop.members):
        return None
    after = {a for n in loop.members if not graph.is_output[n] for a in graph.after[n]} - loop.members
    followers = {n for n in after if graph.is_output[n]}  # an input that an unknown is passed on to receives what was solved for
    behind, open_now = set(loop.members), [n for n in loop.members if graph.is_output[n]] + sorted(after - followers)
    behind |= after - followers
    open_now += [n for n in followers if graph.change[n] is Change.ALWAYS]
    while open_now:
        for node in graph.after[open_now.pop()]:
            if node not in behind and node not in followers:
                behind.add(node)
                open_now.append(node)
    behind -= loop.members
    if any(known in behind for node in followers for known in graph.before[node]):
        return None
    return sorted(n for n in followers if graph.change[n] is Change.ALWAYS)


def keeps(graph: Graph, node: int, loop: Loop) -> bool:
    """Says whether an output depends only on inputs inside a loop, and is read inside alone. A value that was got then stays valid until
    these are set."""
    inside = all(known in loop.members for known in graph.before[node]) and all(n in loop.members for n in graph.readers[node])
    return graph.is_output[node] and graph.itself[node] is Change.AT_EVENTS and inside
