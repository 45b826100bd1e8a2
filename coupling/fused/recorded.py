"""The recorded variables as stages of their own, given states and unknowns. They are kept apart from the stages of an evaluation, which do
not depend on them."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from coupling.fused.c_code import Section
from coupling.fused.compiled import functions
from coupling.fused.kept import kept
from coupling.fused.stages import Region, leaf_slots, regions, settled_nodes, signed_node
from coupling.fused.stored import storable
from coupling.fused.written import STRAIGHT, Write, as_c, as_tapes
from coupling.kernel.equations.fused import Stage
from coupling.memory import without_collection
from coupling.plan.build import Built
from coupling.plan.graph import Address


@storable
@dataclass(frozen=True, kw_only=True)
class Recorded:
    """Two stages in a workspace of their own, as those of :class:`coupling.fused.taped.Taped`: values that change at events only, and all
    others."""

    parameters: Sequence[tuple[int, str]]
    discrete: Sequence[tuple[int, str]]
    code: Mapping[Stage, np.ndarray]
    text: str
    initial: np.ndarray
    first: Mapping[Region, int]
    columns: Sequence[int]
    """Slots by variable: -1 of a zero, -2 less the slot of an opposite."""
    operations: int


@without_collection()
def recorded(built: Built, wanted: Sequence[Address], write: Write) -> Recorded:
    """Returns the stages of variables; raises NotFused where a variable follows from values that no graph holds."""
    from coupling.fused.lowering import lower_variables  # SymPy with it, which runs of structures that are kept do without

    lowered = lower_variables(built, wanted)
    graph = lowered.graph
    first, size = regions(lowered)
    columns = [signed_node(graph, node) for node in lowered.recorded]
    nodes = [node for node in graph.order(node for node, _ in columns) if graph.args[node]]
    settled = settled_nodes(graph, nodes)
    later = [node for node in nodes if node not in settled]
    passed_on = {a for node in later for a in graph.args[node]} & settled
    leaves = leaf_slots(graph, {*(n for n, _ in columns), *(a for node in nodes for a in graph.args[node])}, first)
    sections = {Stage.PREPARE: Section([node for node in nodes if node in settled]), Stage.AFTER: Section(later)}
    written = write(graph, leaves, size, sections, sorted({*(n for n, _ in columns), *passed_on}), graph.owner.__getitem__)
    return Recorded(
        parameters=lowered.parameters,
        discrete=lowered.discrete,
        code=written.code,
        text=written.text,
        initial=written.initial,
        first=first,
        columns=[-1 if n == graph.zero else -2 - written.slot[n] if negative else written.slot[n] for n, negative in columns],
        operations=len(nodes),
    )


def recorded_kept(built: Built, wanted: Sequence[Address], compile_: bool) -> tuple[Recorded, Mapping[Stage, int]]:
    """Returns the stages, kept by structure, with the addresses of functions if the stages are short enough to be compiled at once. Others
    run tapes.

    Raises NotFused, and NotCompiled.
    """
    told = hashlib.sha256(repr([tuple(each) for each in wanted]).encode()).hexdigest()
    tapes = kept(built, f"record by tapes: {told}", partial(recorded, wanted=wanted, write=as_tapes))
    if not compile_ or tapes.operations > STRAIGHT:
        return tapes, {}
    code = kept(built, f"record by C: {told}", partial(recorded, wanted=wanted, write=as_c))
    names = {stage: stage.name.lower() for stage in (Stage.PREPARE, Stage.AFTER)}
    found = functions(code.text, names.values())
    return code, {stage: found[name] for stage, name in names.items()}
