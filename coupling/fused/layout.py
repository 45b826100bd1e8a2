"""Where everything is in the one workspace of a fused system: regions, then constants, then what goes between operations."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from coupling.fused.expressions import Op
from coupling.fused.lowered import Lowered
from coupling.fused.roots import Region, Roots, Stage

_LEAVES = {
    Op.STATE: Region.STATES,
    Op.TIME: Region.TIME,
    Op.DRIVE: Region.DRIVES,
    Op.PARAMETER: Region.PARAMETERS,
    Op.DISCRETE: Region.DISCRETE,
    Op.UNKNOWN: Region.UNKNOWNS,
}


@dataclass(frozen=True)
class Layout:
    """Slots of regions and of nodes."""

    first: Mapping[Region, int]
    counts: Mapping[Region, int]
    size: int
    slot: Mapping[int, int]
    """Of all leaves, constants and results of operations, by node. Operations of one stage, one level and one kind follow one another."""
    constants: Mapping[int, float]
    """The values of constants by slot."""

    def copies(self, stage: Stage) -> Iterator[tuple[int, int]]:
        """From where to where results have to be copied at the end of a stage."""
        for each in stage.wanted:
            yield self.slot[each.node], self.first[each.region] + each.place


def layout(lowered: Lowered, roots: Roots) -> Layout:
    """The workspace for some roots."""
    graph = roots.graph
    counts = dict.fromkeys(Region, 0) | {
        Region.STATES: lowered.built.states,
        Region.TIME: 1,
        Region.DRIVES: len(lowered.built.drives),
        Region.PARAMETERS: len(lowered.parameters),
        Region.DISCRETE: len(lowered.discrete),
    }
    for stage in roots.stages:
        for wanted in stage.wanted:
            counts[wanted.region] = max(counts[wanted.region], wanted.place + 1)
    first, size = {}, 0
    for region in Region:
        first[region] = size
        size += counts[region]
    operations = [node for stage in roots.stages for node in stage.nodes]
    used = {a for node in operations for a in graph.args[node]} | {each.node for stage in roots.stages for each in stage.wanted}
    slot: dict[int, int] = {}
    constants: dict[int, float] = {}
    for node in sorted(used):
        op = graph.op[node]
        if op is Op.CONSTANT:
            slot[node], size = size, size + 1
            constants[slot[node]] = float(graph.value[node])
        elif op in _LEAVES:
            slot[node] = first[_LEAVES[op]] + int(graph.value[node])
    for stage in roots.stages:
        for node in _by_level(roots, stage):
            slot[node], size = size, size + 1
    return Layout(first, counts, size, slot, constants)


def _by_level(roots: Roots, stage: Stage) -> list[int]:
    """The operations of a stage such that equal ones that do not wait for each other are neighbours."""
    graph = roots.graph
    level: dict[int, int] = {}
    for node in stage.nodes:
        level[node] = 1 + max((level.get(a, 0) for a in graph.args[node]), default=0)
    return sorted(stage.nodes, key=lambda node: (level[node], graph.op[node], node))
