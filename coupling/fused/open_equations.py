"""A system with its loops open as two stages in a workspace of their own. They compute derivatives of states, residuals of loops and levels
of constraints at given unknowns, and the derivatives of all these. Inputs lie in the same slots as in an evaluation's workspace."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from coupling.fused.bent import at_unknowns
from coupling.fused.c_code import Section
from coupling.fused.kept import kept
from coupling.fused.open_loops import entries, levels, residuals
from coupling.fused.stages import leaf_slots, regions, signed_node
from coupling.fused.stored import storable
from coupling.fused.written import as_tapes
from coupling.kernel.equations.fused import Stage
from coupling.memory import without_collection
from coupling.plan.build import Built


@storable
@dataclass(frozen=True, kw_only=True)
class OpenEquations:
    """Tapes, and slots: -1 of a zero, -2 less a slot for the opposite of what it has."""

    values_code: np.ndarray
    slopes_code: np.ndarray
    initial: np.ndarray
    given: int
    """Number of the first slots that are filled from outside."""
    values: Sequence[int]
    """Slots of [f, r, positions, velocities], as in :mod:`coupling.fused.open_loops`."""
    slopes: Mapping[tuple[int, int], int]
    """Slots of the derivatives of these by [x, z], by row and column."""


def open_equations_of(built: Built) -> OpenEquations:
    """Returns the kept equations with open loops of a system's structure; raises NotFused."""
    return kept(built, "open equations", open_equations)


def open_equations(built: Built) -> OpenEquations:
    """Returns the equations of a system with open loops; raises NotFused."""
    from coupling.fused.lowering import lower  # SymPy with it, which runs of structures that are kept do without

    with without_collection():
        lowered = lower(built)
        at_unknowns(lowered)
        graph = lowered.graph
        roots = [*lowered.derivatives, *residuals(lowered), *levels(lowered)]
        found = entries(lowered)
        first, given = regions(lowered)
        valued = {signed_node(graph, node)[0] for node in roots}
        wanted = valued | {signed_node(graph, node)[0] for node in found.values()}
        nodes = [node for node in graph.order(valued) if graph.args[node]]
        known = set(nodes)
        later = [node for node in graph.order(wanted) if graph.args[node] and node not in known]
        passed_on = known.intersection(a for node in later for a in graph.args[node])
        leaves = leaf_slots(graph, {a for node in (*nodes, *later) for a in graph.args[node]} | wanted, first)
        sections = {Stage.BEFORE: Section(nodes), Stage.SLOPES: Section(later)}
        written = as_tapes(graph, leaves, given, sections, sorted(wanted | passed_on), graph.owner.__getitem__)

    def slots(of: Iterable[int]) -> list[int]:
        signed = (signed_node(graph, node) for node in of)
        return [-1 if node == graph.zero else -2 - written.slot[node] if negative else written.slot[node] for node, negative in signed]

    return OpenEquations(
        values_code=written.code[Stage.BEFORE],
        slopes_code=written.code[Stage.SLOPES],
        initial=written.initial,
        given=given,
        values=slots(roots),
        slopes=dict(zip(found, slots(found.values()), strict=True)),
    )
