"""The stages of a system as tapes, in one workspace: regions of values from outside, the unknowns, constants, then results."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coupling.fused.bent import settle
from coupling.fused.c_code import Section, c_source
from coupling.fused.elimination import Order
from coupling.fused.expressions import Op
from coupling.fused.left_out import may_be_left_out
from coupling.fused.lowered import Lowered
from coupling.fused.mobility import slopes
from coupling.fused.recursion import cut_between_blocks
from coupling.fused.roots import Roots, corrections, derivatives, recursive_derivatives
from coupling.fused.stages import Region, divided, leaf_slots, read_elsewhere, regions, settled_nodes, signed_node
from coupling.fused.stored import storable
from coupling.fused.tape import Writer
from coupling.fused.written import STRAIGHT, Write, as_tapes
from coupling.kernel.equations.fused import Stage
from coupling.memory import without_collection
from coupling.plan.build import Built
from coupling.plan.graph import Address

EVALUATION = (Stage.PREPARE, Stage.BEFORE, Stage.SOLVE, Stage.AFTER)
"""The stages that a writer writes, besides corrections; event indicators are read by tapes in any case, and constraints where they are many."""


@storable
class Pattern(NamedTuple):
    """The pattern of a loop's Jacobian, and the number of its first unknown."""

    first: int
    row_start: tuple[int, ...]
    columns: tuple[int, ...]


@storable
@dataclass(frozen=True, kw_only=True)
class Taped:
    """Tapes, and the slots of their values. Slots are -1 for a value that is always 0, and -2 less the slot for the opposite of its
    value."""

    loops: Sequence[Pattern]
    """Patterns of loops; empty where only the fused code can solve for the unknowns."""
    parameters: Sequence[tuple[int, str]]
    """Part and name, as of ``discrete``, which change at events only."""
    discrete: Sequence[tuple[int, str]]
    code: Mapping[Stage, np.ndarray]
    """Integers for the function of each stage."""
    text: str
    """C with functions; empty where all stages run tapes."""
    functions: Sequence[Stage]
    """Stages with functions in the text."""
    initial: np.ndarray
    """The workspace before anything has run."""
    first: Mapping[Region, int]
    """First slots of the regions that are filled from outside, and of the unknowns."""
    slots: Mapping[str, Sequence[int]]
    """Slots by the names that the kernel's rows of fused code have for them."""
    mobility: Mapping[tuple[int, int], int]
    """Slots of the mobility by state and unknown."""
    switched: Sequence[int]
    """Unknowns whose equations follow modes."""
    left_out: Collection[int]
    """Unknowns that the solution takes for 0, since their constraints repeat others."""
    orders: Sequence[Order]
    """Orders of pivots, by loop."""
    x_read: int
    """The states at which constraints are read, with slots of their own for all that follows from them."""
    violation: int
    """The slot of the first right side of corrections, which are by unknown."""
    corrections: Mapping[tuple[int, int], int]
    """Slots of the correction by loop and state; empty where corrections are not written."""
    foreign: Sequence[int]
    """Parts that are called."""
    arriving: Sequence[Address]
    """Outputs of these parts, as drives after those of the system."""
    leaving: Mapping[Address, int]
    """The slots of what these are fed from, after its stage."""


class Stages:
    """The stages of a system's derivatives before they are written: lowered once for any number of writers."""

    @without_collection()
    def __init__(self, built: Built, repeated: Collection[int] = ()) -> None:
        """Lowers a system; raises NotFused where no graph of its stages exists. ``repeated``: unknowns whose constraints repeat others."""
        from coupling.fused.lowering import lower  # SymPy with it, which runs of structures that are kept do without

        cut = cut_between_blocks(built)
        lowered = lower(cut.built) if cut else lower(built, calls=True)
        settle(lowered)
        lowered.left_out = may_be_left_out(lowered, repeated) if repeated and not cut else lowered.left_out
        roots = recursive_derivatives(lowered, cut.pivots, cut.original) if cut else derivatives(lowered)
        graph = lowered.graph
        first, size = regions(lowered)
        mobile = {} if cut else slopes(graph, lowered.derivatives)
        mobility = {
            (state, unknown): node for state, root in enumerate(lowered.derivatives) for unknown, node in mobile.get(root, {}).items()
        }
        kept = {signed_node(graph, node)[0] for node in (*roots.entries, *roots.right, *mobility.values())}
        kept |= {*roots.unknowns.values(), *roots.pivots, *roots.diagonals, *roots.misfits, *roots.derivatives}
        outputs = (node for nodes in (*_levels(lowered), lowered.indicators) for node in nodes)
        whole = [signed_node(graph, node)[0] for node in outputs]
        settled = settled_nodes(graph, graph.order((*whole, *(node for _, node in lowered.leaving))))
        stages = divided(graph, roots, kept | settled)
        prepare, before = stages[Stage.PREPARE], stages[Stage.BEFORE]
        at_hand = kept.intersection((*prepare, *before)) | settled
        correcting = {} if cut else corrections(lowered, roots, mobility)
        if correcting:
            computed, wholes = {*prepare, *before, *stages[Stage.SOLVE]}, [signed_node(graph, node)[0] for node in correcting.values()]
            stages[Stage.CORRECTING] = graph.order(wholes, lambda node: graph.op[node] <= Op.VARIABLE or node in computed)
            kept |= {*wholes}
        violation, size = size, size + (lowered.unknowns if correcting else 0)
        everything = {n for nodes in stages.values() for node in nodes for n in graph.args[node]} | kept
        leaves = leaf_slots(graph, everything, first)
        leaves |= {n: violation + int(graph.value[n]) for n in sorted(everything) if graph.op[n] is Op.VARIABLE}
        kept |= read_elsewhere(graph, stages.values())
        unknowns = {first[Region.UNKNOWNS] + number: node for number, node in roots.unknowns.items()}
        kept |= {*unknowns.values()} | settled
        sections = {stage: Section(nodes, unknowns if stage is Stage.SOLVE else {}) for stage, nodes in stages.items()}
        if not cut:
            entries = {*graph.order((*roots.entries, *roots.diagonals, *mobility.values()))}
            sections[Stage.BEFORE] = Section(before, may_wait=frozenset(before) - entries)
        self.lowered, self.cut, self.roots, self.mobility = lowered, cut, roots, mobility
        self.first, self.size, self.violation = first, size, violation
        self.sections, self.leaves, self.kept, self.corrections = sections, leaves, kept, correcting
        self.settled, self.at_hand = settled, at_hand

    @without_collection()
    def written(self, write: Write = as_tapes) -> Taped:
        """Returns the stages as tapes, or as another writer writes them."""
        lowered, first, graph = self.lowered, self.first, self.lowered.graph
        written = write(graph, self.leaves, self.size, self.sections, sorted(self.kept), _owners(lowered, self.roots))

        def slots(nodes: Iterable[int]) -> list[int]:
            signed = (signed_node(graph, node) for node in nodes)
            return [-1 if node == graph.zero else -2 - written.slot[node] if negative else written.slot[node] for node, negative in signed]

        order = np.zeros(lowered.unknowns, dtype=int)
        for loop, elimination in zip(lowered.loops, self.roots.eliminations, strict=True):
            for place, (_, unknown) in enumerate(elimination.pivots):
                order[loop.first + unknown] = loop.first + place
        original = self.cut.original if self.cut else range(lowered.unknowns)
        order = order[list(original)]
        x_read = len(written.initial)
        levels = [[signed_node(graph, node) for node in level] for level in _levels(lowered)]
        reading = graph.order(node for level in levels for node, _ in level)
        own = leaf_slots(graph, reading, first)
        own |= {n: x_read + int(graph.value[n]) for n in reading if graph.op[n] is Op.STATE}
        own |= {n: written.slot[n] for n in self.settled}
        reader = Writer(graph, own, x_read + lowered.built.states)
        read = [n for n in reading if graph.args[n] and n not in self.settled]
        code, text, functions = dict(written.code), written.text, list(self.sections) if written.text else []
        if text and 0 < len(read) <= STRAIGHT:
            text += _read_by_c(reader, Section(read), sorted({n for level in levels for n, _ in level}))
            functions.append(Stage.READING)
        else:
            code[Stage.READING] = reader.tape(read, {n for level in levels for n, _ in level})
        positions, velocities = ([reader.signed(*each) for each in level] for level in levels or [[], []])
        indicated = [signed_node(graph, node) for node in lowered.indicators]
        indicating = graph.order((node for node, _ in indicated), self.at_hand.__contains__)
        indicator = Writer(graph, leaf_slots(graph, indicating, first) | {n: written.slot[n] for n in self.at_hand}, reader.size)
        indicates = indicator.tape([n for n in indicating if graph.args[n]], {node for node, _ in indicated})
        leaving = graph.order(node for _, node in lowered.leaving)
        giver = Writer(graph, leaf_slots(graph, leaving, first) | {n: written.slot[n] for n in self.settled}, indicator.size)
        gives = giver.tape([n for n in leaving if graph.args[n] and n not in self.settled], {node for _, node in lowered.leaving})
        left = {address: giver.place_of(node) for address, node in lowered.leaving}
        initial = giver.initial()
        initial[: indicator.size] = indicator.initial()
        initial[: reader.size] = reader.initial()
        initial[:x_read] = written.initial
        return Taped(
            loops=[] if self.cut else [Pattern(loop.first, loop.row_start, loop.columns) for loop in lowered.loops],
            parameters=lowered.parameters,
            discrete=lowered.discrete,
            code={**code, Stage.INDICATING: indicates, Stage.GIVING: gives},
            text=text,
            functions=functions,
            initial=initial,
            x_read=x_read,
            slots={
                "unknown": [first[Region.UNKNOWNS] + unknown for unknown in original],
                "entry": slots(self.roots.entries),
                "right": slots(self.roots.right),
                "pivot": [written.slot[self.roots.pivots[place]] for place in order],
                "diagonal": [written.slot[self.roots.diagonals[place]] for place in order],
                "derivative": [written.slot[node] for node in self.roots.derivatives],
                "misfit": slots(self.roots.misfits),
                "position": positions,
                "velocity": velocities,
                "indicator": [indicator.signed(*each) for each in indicated],
            },
            violation=self.violation,
            corrections=dict(zip(self.corrections, slots(self.corrections.values()), strict=True)),
            foreign=lowered.foreign,
            arriving=lowered.arriving,
            leaving=left,
            first=first,
            mobility=dict(zip(self.mobility, slots(self.mobility.values()), strict=True)),
            switched=lowered.switched,
            left_out=lowered.left_out,
            orders=[elimination.order for elimination in self.roots.eliminations],
        )


def _levels(lowered: Lowered) -> list[list[int]]:
    """Returns the nodes of positions and velocities of constraints."""
    return [[lowered.graph.zero if each is None else each for each in level] for level in zip(*lowered.readings, strict=True)]


def _read_by_c(reader: Writer, section: Section, wanted: Sequence[int]) -> str:
    source = c_source(reader.graph, {Stage.READING.name.lower(): section}, wanted, reader.slot, reader.size)
    reader.slot |= source.slot
    reader.constants |= source.constants
    reader.size = source.size
    return source.text


def _owners(lowered: Lowered, roots: Roots) -> Callable[[int], int]:
    """Returns a function that gives the part for which a node is computed. For the elimination of a part's unknowns it gives the number
    before the opposite of the part."""
    op, args, owners, negate, parts = lowered.graph.op, lowered.graph.args, lowered.graph.owner, Op.NEGATE, len(lowered.built.parts)
    part = [address.part for loop in lowered.loops for address in loop.unknowns]
    eliminated = [
        part[loop.first + unknown]
        for loop, elimination in zip(lowered.loops, roots.eliminations, strict=True)
        for _, unknown in elimination.pivots
    ]

    def owner(node: int) -> int:
        while op[node] is negate:
            node = args[node][0]
        found = owners[node]
        return found if found < parts else -1 - eliminated[found - parts]

    return owner
