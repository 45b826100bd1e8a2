"""The exact derivatives of a system with its loops open, as code of its own. Inputs lie in the same slots as in an evaluation's workspace.

The unknowns z of loops are numbers there. The results are the derivatives f of states, the residuals r of the loops and the levels c of
constraints that states are projected onto. With J = dr/dz, the derivatives through the unknowns are df/dx - df/dz J^-1 dr/dx.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np

from coupling.fused.bent import at_unknowns
from coupling.fused.c_code import Section
from coupling.fused.expressions import Graph, Op
from coupling.fused.gradients import gradients
from coupling.fused.kept import kept
from coupling.fused.lowered import Lowered
from coupling.fused.stages import leaf_slots, regions, signed_node
from coupling.fused.stored import storable
from coupling.fused.written import Write, as_tapes
from coupling.kernel.equations.fused import Stage
from coupling.memory import without_collection
from coupling.plan.build import Built

Entries = dict[tuple[int, int], int]
"""Nodes by row and column."""


@storable
@dataclass(frozen=True, kw_only=True)
class Slopes:
    """Code that computes entries of [f, r, positions, velocities] by [x, z]. A slot is -2 less its number for the opposite of its value."""

    code: np.ndarray
    text: str
    """C with its function; empty where the code is a tape."""
    initial: np.ndarray
    given: int
    """Number of the first slots that are filled from outside."""
    states: int
    unknowns: int
    rows: Sequence[int]
    columns: Sequence[int]
    slots: Sequence[int]


def slopes_of(built: Built) -> Slopes:
    """Returns the kept slopes of a system's structure; raises NotFused."""
    return kept(built, "slopes", slopes)


def slopes(built: Built, write: Write = as_tapes) -> Slopes:
    """Returns the slopes as a tape, or as another writer writes them; raises NotFused."""
    from coupling.fused.lowering import lower  # SymPy with it, which runs of structures that are kept do without

    with without_collection():
        lowered = lower(built)
        at_unknowns(lowered)
        found, graph = entries(lowered), lowered.graph
        first, given = regions(lowered)
        kept_nodes = {signed_node(graph, node)[0] for node in found.values()}
        nodes = [node for node in graph.order(kept_nodes) if graph.args[node]]
        leaves = leaf_slots(graph, {a for node in nodes for a in graph.args[node]} | kept_nodes, first)
        section = {Stage.SLOPES: Section(nodes)}
        written = write(graph, leaves, given, section, sorted(kept_nodes), partial(_owner, graph))
    places = [(written.slot[node], negative) for node, negative in (signed_node(graph, each) for each in found.values())]
    return Slopes(
        code=written.code.get(Stage.SLOPES, np.zeros(0, dtype=np.int32)),
        text=written.text,
        initial=written.initial,
        given=given,
        states=built.states,
        unknowns=lowered.unknowns,
        rows=[row for row, _ in found],
        columns=[column for _, column in found],
        slots=[-2 - slot if negative else slot for slot, negative in places],
    )


def _owner(graph: Graph, node: int) -> int:
    return graph.owner[node]


def entries(lowered: Lowered) -> Entries:
    """Returns the entries that may differ from zero, row by row: derivatives, residuals, then positions and velocities of the plan's
    reading. For residuals by unknowns, these are all entries of the loops' patterns."""
    graph, states = lowered.graph, lowered.built.states
    roots = [*lowered.derivatives, *residuals(lowered), *levels(lowered)]
    by_state = gradients(graph, roots, Op.STATE)
    by_unknown = [*gradients(graph, lowered.derivatives, Op.UNKNOWN), *_equations(lowered)]
    found = {(row, column): node for row, each in enumerate(by_state) for column, node in each.items()}
    found |= {(row, states + column): node for row, each in enumerate(by_unknown) for column, node in each.items()}
    return {place: found[place] for place in sorted(found)}


def levels(lowered: Lowered) -> list[int]:
    """Returns positions, then velocities, of the plan's reading; zero where a constraint has no such level."""
    return [lowered.graph.zero if node is None else node for level in zip(*lowered.readings, strict=True) for node in level]


def residuals(lowered: Lowered) -> Iterator[int]:
    """Yields the residuals, with unknowns as leaves."""
    graph = lowered.graph
    for loop in lowered.loops:
        graph.owner_now = loop.unknowns[0].part
        for row, total in zip(loop.rows(), loop.residuals, strict=True):
            for column, entry in row.items():
                total = graph.add(total, graph.mul(entry, graph.leaf(Op.UNKNOWN, loop.first + column)))
            yield total


def _equations(lowered: Lowered) -> Iterator[dict[int, int]]:
    for loop in lowered.loops:
        yield from ({loop.first + column: node for column, node in row.items()} for row in loop.rows())
