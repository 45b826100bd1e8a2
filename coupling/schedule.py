"""The order in which the values of a system are passed on: from the FMUs' declared dependencies to operations of the kernel.

Variables are the nodes of a graph. Its strongly connected parts are loops, cut at the algebraic variables of FMUs that leave these
to the importer, and otherwise at inputs chosen for it. What remains has an order, and variables of one FMU that stand next to each
other in it are moved by one call.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from enum import IntEnum
from functools import cache
from itertools import pairwise
from typing import NamedTuple

import numpy as np
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components

from coupling.fmu import Fmu, Structure, Unknown, Variable


class Level(IntEnum):
    """How often a value can change."""

    AT_EVENTS = 1
    ALWAYS = 2
    FOR_OUTPUT = 3
    """As often, but nothing that is integrated depends on it."""


class Kind(IntEnum):
    """Operations, numbered as in the kernel."""

    SET_TIME = 0
    SET_STATES = 1
    SET = 2
    GET = 3
    DRIVE = 4
    LOOP = 5
    SHORTCUT = 6


TYPES = ("Float64", "Float32", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Boolean")
"""Numbered as in the kernel; FMI 2 has three of them under other names."""
_AS_FMI3 = {"Real": "Float64", "Integer": "Int32"}


def type_code(variable: Variable, version: int) -> int:
    """The kernel's number of a variable's type."""
    if variable.fmi_type == "Enumeration":
        return TYPES.index("Int32" if version == 2 else "Int64")
    return TYPES.index(_AS_FMI3.get(variable.fmi_type, variable.fmi_type))


@dataclass(frozen=True)
class Part:
    """One instance as the schedule sees it."""

    name: str
    fmu: Fmu
    first_state: int

    @property
    def structure(self) -> Structure:
        return self.fmu.dae.structure if self.fmu.dae else self.fmu.structure

    @property
    def lists_everything(self) -> bool:
        """Whether its dependencies can be taken to include time: FMI 3 counts it among the knowns, with the parameters, but tools forget both."""
        return _lists_everything(self.fmu)

    @property
    def needs_time(self) -> bool:
        """Whether anything that it computes between events may depend on time."""
        return _needs_time(self.fmu)


@cache
def _lists_everything(fmu: Fmu) -> bool:
    known = {v.reference for v in fmu.by_reference.values() if v.causality in (*_PARAMETERS, "independent")}
    s = fmu.dae.structure if fmu.dae else fmu.structure
    return fmu.version == 3 and any(r in known for u in (*s.outputs, *s.derivatives, *s.residuals) for r, _ in u.dependencies or ())


@cache
def _needs_time(fmu: Fmu) -> bool:
    s = fmu.dae.structure if fmu.dae else fmu.structure
    unknowns = (*s.outputs, *s.derivatives, *s.residuals, *s.indicators)
    return not _lists_everything(fmu) or any(u.dependencies is None or any(r == fmu.time for r, _ in u.dependencies) for u in unknowns)


class Address(NamedTuple):
    """A variable of an instance."""

    part: int
    type: int
    reference: int


@dataclass(slots=True)
class Operation:
    kind: Kind
    index: int
    level: Level
    type: int = 0
    references: tuple[int, ...] = ()
    first: int = 0
    checks: bool = False
    places: tuple[int, ...] = ()
    """The slot of each value, where these are not neighbours from ``first`` on."""
    sources: tuple[tuple[int, ...], ...] = ()
    """Of SET: slots by input."""


@dataclass
class Loop:
    """Unknowns, in neighbouring slots, and the residuals that they make vanish, each as weighted slots."""

    unknowns: list[Address]
    torn: int
    """How many of the unknowns, the last ones, are inputs at which the loop was cut."""
    first: int
    residual_owners: list[Address]
    residuals: list[list[tuple[int, float]]] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    members: set[int] = field(default_factory=set)
    followers: list[int] | None = None
    """Outputs outside that depend on inputs inside; None where the loop's outputs cannot be had without setting these inputs."""
    first_row: int = 0
    """Where the shortcut keeps its rows."""


@dataclass
class Schedule:
    """Everything that the kernel has to do, and where each value is kept."""

    slots: int
    slot: dict[Address, int]
    operations: list[Operation]
    shortcut: list[Operation]
    """The same for loops that are affine in what is passed on inside them: every output is got once, with the inputs as they were
    last set, and what it would be with others follows from its derivatives."""
    loops: list[Loop]
    set_slot: dict[Address, int]
    """Where the value is kept that an input was last set to."""
    drive_slot: dict[Address, int]
    derivatives: list[int]
    """The slots of the states' derivatives."""
    graph: Graph


@dataclass
class Graph:
    """The variables that take part, and which of them each depends on."""

    parts: Sequence[Part]
    wires: Mapping[Address, Sequence[Address]]
    drives: Mapping[Address, int]
    addresses: list[Address] = field(default_factory=list)
    node: dict[Address, int] = field(default_factory=dict)
    before: list[list[int]] = field(default_factory=list)
    kinds: list[dict[int, str]] = field(default_factory=list)
    """For outputs: by known, how they depend on it, in the words of the standard."""
    level: list[Level] = field(default_factory=list)
    itself: list[Level] = field(default_factory=list)
    """The level that a variable would have, were all its sources constant."""
    held: list[bool] = field(default_factory=list)
    """Changes at events only, whatever it depends on."""
    is_output: list[bool] = field(default_factory=list)
    algebraic: list[int] = field(default_factory=list)
    residuals: list[int] = field(default_factory=list)
    """Paired with the algebraic variables in their order."""
    derivatives: list[int] = field(default_factory=list)
    readers: list[list[int]] = field(default_factory=list)
    """For outputs: the inputs that they are passed on to."""

    def add(self, address: Address, is_output: bool) -> int:
        known = self.node.get(address)
        if known is not None:
            return known
        self.node[address] = len(self.addresses)
        self.addresses.append(address)
        self.before.append([])
        self.kinds.append({})
        self.level.append(Level.AT_EVENTS)
        self.held.append(False)
        self.is_output.append(is_output)
        self.readers.append([])
        return len(self.addresses) - 1


def build_graph(parts: Sequence[Part], wires: Mapping[Address, Sequence[Address]], drives: Mapping[Address, int]) -> Graph:
    """``wires`` are the sources of each connected input, ``drives`` the functions of time by input."""
    graph = Graph(parts, wires, drives)
    inputs: dict[int, list[int]] = defaultdict(list)
    for address in [*wires, *drives]:
        node = graph.add(address, False)
        inputs[address.part].append(node)
        variable = parts[address.part].fmu.by_reference[address.reference]
        graph.held[node] = address.type > 1 or variable.variability != "continuous"
        if address in drives and not graph.held[node]:
            graph.level[node] = Level.ALWAYS
    wanted: dict[int, list[Address]] = defaultdict(list)
    for sources in wires.values():
        for address in sources:
            wanted[address.part].append(address)
    for index, part in enumerate(parts):
        dae = part.fmu.dae
        if dae:
            for reference in dae.algebraic:
                node = graph.add(Address(index, 0, reference), False)
                inputs[index].append(node)
                graph.level[node] = Level.ALWAYS
                graph.algebraic.append(node)
        _add_unknowns(graph, index, inputs[index], wanted[index])
    for address, sources in wires.items():
        node = graph.node[address]
        graph.before[node] = [graph.node[source] for source in sources]
        for known in graph.before[node]:
            graph.readers[known].append(node)
    return graph


def _add_unknowns(graph: Graph, index: int, inputs: list[int], wanted: Iterable[Address]) -> None:
    part = graph.parts[index]
    structure, fmu = part.structure, part.fmu
    by_reference: dict[int, list[int]] = defaultdict(list)
    for node in inputs:
        by_reference[graph.addresses[node].reference].append(node)
    constant = {v.reference for v in fmu.by_reference.values() if v.causality in _PARAMETERS or v.variability in _EVENTS_ONLY}
    declared = {unknown.reference: unknown for unknown in (*structure.outputs, *structure.residuals)}
    states, complete = set(fmu.states), part.lists_everything

    def add(address: Address, unknown: Unknown | None) -> int:
        node = graph.add(address, True)
        variable = fmu.by_reference.get(address.reference)
        graph.held[node] = address.type > 1 or (variable is not None and variable.variability in _EVENTS_ONLY)
        if address.reference in states and variable is not None and variable.type == "real":
            graph.level[node] = Level.ALWAYS
            if unknown is None:
                return node
        if not complete:
            graph.level[node] = Level.ALWAYS
        if unknown is None or unknown.dependencies is None:
            graph.level[node] = Level.ALWAYS
            graph.before[node] = list(inputs)
            graph.kinds[node] = dict.fromkeys(inputs, "dependent")
        else:
            for reference, kind in unknown.dependencies:
                for known in by_reference.get(reference, ()):
                    graph.before[node].append(known)
                    graph.kinds[node][known] = kind
                if reference not in by_reference and reference not in constant and not _is_input(fmu, reference):
                    graph.level[node] = Level.ALWAYS
        if graph.held[node]:
            graph.level[node] = Level.AT_EVENTS
        return node

    for address in wanted:
        if address not in graph.node:
            add(address, declared.get(address.reference))
    for unknown in structure.derivatives:
        graph.derivatives.append(add(Address(index, 0, unknown.reference), unknown))
    for unknown in structure.residuals:
        graph.residuals.append(add(Address(index, 0, unknown.reference), unknown))


_PARAMETERS = ("parameter", "calculatedParameter", "structuralParameter")
_EVENTS_ONLY = ("constant", "fixed", "tunable", "discrete")


def _is_input(fmu: Fmu, reference: int) -> bool:
    variable = fmu.by_reference.get(reference)
    return variable is not None and variable.causality == "input"


def build_schedule(graph: Graph, states: int) -> Schedule:
    """Orders everything; the slots begin with the states."""
    return _Scheduler(graph, states).schedule()


class _Scheduler:
    def __init__(self, graph: Graph, states: int) -> None:
        self.graph, self.slots = graph, states
        self.slot: dict[Address, int] = {}
        self.drive_slot: dict[Address, int] = {}
        self.set_slot: dict[Address, int] = {}
        count = len(graph.addresses)
        self.after: list[list[int]] = [[] for _ in range(count)]
        for node, knowns in enumerate(graph.before):
            if not (graph.held[node] and graph.is_output[node]):
                for known in knowns:
                    self.after[known].append(node)
        self.loops: list[Loop] = []
        self.loop_of: dict[int, int] = {}

    def schedule(self) -> Schedule:
        graph = self.graph
        components = self._components(range(len(graph.addresses)), paired=True)
        for members in components:
            if len(members) > 1:
                self._add_loop(members)
        self._spread_levels()
        drives = [self._drive(address, number) for address, number in graph.drives.items()]
        for loop in self.loops:
            loop.followers = self._followers(loop)
            if loop.followers is not None:
                loop.first_row = self.slots
                self.slots += len(loop.members) + len(loop.followers) + len(loop.residual_owners)
        # What runs most comes first, so that its values are neighbours.
        shortcut = self._order([n for n in range(len(graph.addresses)) if graph.level[n] is Level.ALWAYS], {}, shortcut=True)
        order = self._order(range(len(graph.addresses)), {})
        return Schedule(
            self.slots,
            self.slot,
            [*drives, *order],
            [*(o for o in drives if o.level is Level.ALWAYS), *shortcut],
            self.loops,
            self.set_slot,
            self.drive_slot,
            [self.slot[graph.addresses[n]] for n in graph.derivatives],
            graph,
        )

    def _keeps(self, node: int, loop: Loop) -> bool:
        """Whether an output depends on nothing but inputs inside a loop, and is read inside alone: what was got of it lasts until these are set."""
        graph = self.graph
        inside = all(known in loop.members for known in graph.before[node]) and all(n in loop.members for n in graph.readers[node])
        return graph.is_output[node] and graph.itself[node] is Level.AT_EVENTS and inside

    def _followers(self, loop: Loop) -> list[int] | None:
        graph = self.graph
        if not all(graph.parts[graph.addresses[n].part].fmu.interface("me").directional_derivatives for n in loop.members):
            return None
        followers = {a for n in loop.members if not graph.is_output[n] for a in self.after[n]} - loop.members
        behind, open_now = set(loop.members), [n for n in loop.members if graph.is_output[n]]
        open_now += [n for n in followers if graph.level[n] is Level.ALWAYS]
        while open_now:
            for node in self.after[open_now.pop()]:
                if node not in behind and node not in followers:
                    behind.add(node)
                    open_now.append(node)
        behind -= loop.members
        if any(known in behind for node in followers for known in graph.before[node]):
            return None
        return sorted(n for n in followers if graph.level[n] is Level.ALWAYS)

    def _components(self, nodes: Iterable[int], paired: bool = False) -> list[list[int]]:
        """Strongly connected parts; an algebraic variable and its residual belong together, whatever depends on what."""
        nodes = list(nodes)
        local = {node: i for i, node in enumerate(nodes)}
        pairs = [(a, b) for a in nodes for b in self.after[a] if b in local]
        if paired:
            for unknown, residual in zip(self.graph.algebraic, self.graph.residuals, strict=True):
                pairs += [(unknown, residual), (residual, unknown)]
        if not pairs:
            return [[node] for node in nodes]
        rows, columns = np.array([(local[a], local[b]) for a, b in pairs]).T
        matrix = csr_array((np.ones(len(rows), dtype=np.int8), (rows, columns)), shape=(len(nodes),) * 2)
        count, labels = connected_components(matrix, connection="strong")
        result: list[list[int]] = [[] for _ in range(count)]
        for node, label in zip(nodes, labels, strict=True):
            result[label].append(node)
        return result

    def _add_loop(self, members: list[int]) -> None:
        graph, inside = self.graph, set(members)
        algebraic = [n for n in graph.algebraic if n in inside]
        torn: list[int] = []
        rest = [n for n in members if n not in set(algebraic)]
        open_parts = [rest]
        while open_parts:
            for component in self._components(open_parts.pop()):
                if len(component) > 1:
                    cut = self._best_cut(component)
                    torn.append(cut)
                    open_parts.append([n for n in component if n != cut])
        torn.sort()
        unknowns = algebraic + torn
        residuals = [n for n in graph.residuals if n in inside]
        loop = Loop([graph.addresses[n] for n in unknowns], len(torn), self.slots, [graph.addresses[n] for n in residuals + torn])
        loop.members = inside
        for node in unknowns:
            self.slot[graph.addresses[node]] = self.slots
            self.slots += 1
        for node in members:
            self.loop_of[node] = len(self.loops)
        self.loops.append(loop)

    def _best_cut(self, component: list[int]) -> int:
        """The input through which most ways pass."""
        inside = set(component)
        inputs = [n for n in component if not self.graph.is_output[n]]
        return max(inputs, key=lambda n: (sum(b in inside for b in self.graph.before[n]) * sum(a in inside for a in self.after[n]), -n))

    def _spread_levels(self) -> None:
        graph = self.graph
        graph.itself = list(graph.level)
        for loop in self.loops:
            for node in loop.members:
                graph.level[node] = Level.ALWAYS
        changed = [n for n in range(len(graph.addresses)) if graph.level[n] is Level.ALWAYS]
        while changed:
            for node in self.after[changed.pop()]:
                if graph.level[node] is not Level.ALWAYS and not graph.held[node]:
                    graph.level[node] = Level.ALWAYS
                    changed.append(node)
        needed = self._needed()
        for node in range(len(graph.addresses)):
            if graph.level[node] is Level.ALWAYS and node not in needed:
                graph.level[node] = Level.FOR_OUTPUT

    def _needed(self) -> set[int]:
        """What derivatives, residuals and event indicators depend on."""
        graph = self.graph
        inputs: dict[int, list[int]] = defaultdict(list)
        for node, address in enumerate(graph.addresses):
            if not graph.is_output[node]:
                inputs[address.part].append(node)
        open_now = [*graph.derivatives, *graph.residuals, *graph.algebraic, *(n for loop in self.loops for n in loop.members)]
        for index, part in enumerate(graph.parts):
            everything = part.fmu.interface("me").needs_completed_step
            for indicator in part.structure.indicators:
                everything = everything or indicator.dependencies is None
                known = {r for r, _ in indicator.dependencies or ()}
                open_now += [n for n in inputs[index] if graph.addresses[n].reference in known]
            if everything:
                open_now += inputs[index]
        needed = set(open_now)
        while open_now:
            for known in graph.before[open_now.pop()]:
                if known not in needed:
                    needed.add(known)
                    open_now.append(known)
        return needed

    def _drive(self, address: Address, number: int) -> Operation:
        level = self.graph.level[self.graph.node[address]]
        operation = Operation(Kind.DRIVE, number, level, first=self.slots)
        self.drive_slot[address] = self.slots
        self.slots += 1
        return operation

    def _order(
        self, nodes: Iterable[int], check_only: Mapping[int, bool], inside: Loop | None = None, shortcut: bool = False
    ) -> list[Operation]:
        """Inputs as soon as their sources are known, but set together before the next value of that instance is got.

        By the shortcut, outputs do not wait for inputs inside a loop, but all who read them wait for the loop.
        """
        graph, within = self.graph, set(nodes)
        solved_by: dict[int, int] = {}
        if shortcut:
            for number, each in enumerate(self.loops):
                if each.followers is not None:
                    solved_by |= dict.fromkeys([*each.members, *each.followers], number)
        operations: list[Operation] = []
        unknown = {graph.node[a] for a in inside.unknowns} if inside else set()
        waiting: dict[int, int] = {}
        ready_inputs: list[int] = []
        ready_outputs: dict[int, list[int]] = {}
        pending: dict[int, list[int]] = defaultdict(list)
        loops_waiting: dict[int, int] = defaultdict(int)
        ready_loops: list[int] = []

        def unit(node: int) -> int | None:
            """The loop that a node is solved in, seen from outside of it."""
            return None if inside else self.loop_of.get(node)

        got: dict[int, list[int]] = defaultdict(list)
        """By loop with a shortcut: the outputs that have been got for it, until it is solved."""
        kept = {n for x in self.loops if x.followers is not None for n in x.members if shortcut and self._keeps(n, x)}
        missing = {
            i: sum(graph.is_output[n] and n not in kept for n in (*x.members, *(x.followers or ()))) for i, x in enumerate(self.loops)
        }

        for node in within:
            if node in solved_by:
                loop_number = solved_by[node]
                members = self.loops[loop_number].members
                waiting[node] = sum(b in within and b not in members for b in graph.before[node]) if graph.is_output[node] else 0
                if not graph.is_output[node]:
                    missing[loop_number] += sum(b in within and b not in members for b in graph.before[node])
            elif node in unknown:
                waiting[node] = 0
            elif graph.held[node] and graph.is_output[node]:
                waiting[node] = 0
            else:
                loop = unit(node)
                count = sum(b in within and (loop is None or unit(b) != loop) for b in graph.before[node])
                waiting[node] = count
                if loop is not None:
                    loops_waiting[loop] += count

        def become_ready(node: int) -> None:
            if graph.is_output[node]:
                ready_outputs.setdefault(graph.addresses[node].part, []).append(node)
            else:
                ready_inputs.append(node)

        def one_less(number: int) -> None:
            missing[number] -= 1
            if missing[number] == 0:
                ready_loops.append(number)

        def done(node: int) -> None:
            for following in self.after[node]:
                if following not in within or following in unknown:
                    continue
                if following in solved_by:
                    number = solved_by[following]
                    if node in self.loops[number].members:
                        continue
                    if graph.is_output[following]:
                        waiting[following] -= 1
                        if waiting[following] == 0:
                            become_ready(following)
                    else:
                        one_less(number)
                    continue
                loop = unit(following)
                if loop is not None and unit(node) == loop:
                    continue
                waiting[following] -= 1
                if loop is not None:
                    loops_waiting[loop] -= 1
                    if loops_waiting[loop] == 0:
                        ready_loops.append(loop)
                elif waiting[following] == 0:
                    become_ready(following)

        def flush(part: int) -> None:
            operations.extend(self._sets(pending.pop(part, []), check_only, unknown))

        for node in sorted(within):
            if node in solved_by:
                if graph.is_output[node] and waiting[node] == 0 and node not in kept:
                    become_ready(node)
            elif unit(node) is None and waiting[node] == 0:
                become_ready(node)
        if not inside:
            short = set(solved_by.values())
            ready_loops += [i for i in range(len(self.loops)) if (missing[i] if i in short else loops_waiting[i]) == 0]
        while ready_inputs or ready_outputs or ready_loops:
            while ready_inputs:
                node = ready_inputs.pop()
                pending[graph.addresses[node].part].append(node)
                done(node)
            if ready_outputs:
                batch, ready_outputs = ready_outputs, {}
                for part, outputs in batch.items():
                    flush(part)
                    operations.extend(self._gets(outputs, check_only))
                for outputs in batch.values():
                    for node in outputs:
                        if node in solved_by:
                            got[solved_by[node]].append(node)
                            one_less(solved_by[node])
                        else:
                            done(node)
            elif ready_loops:
                number = ready_loops.pop()
                loop = self.loops[number]
                for part in {graph.addresses[n].part for n in loop.members}:
                    flush(part)
                if number in got:
                    operations.append(Operation(Kind.SHORTCUT, number, Level.ALWAYS))
                    for node in got[number]:
                        if not loop.members.issuperset(self.after[node]):
                            done(node)
                    continue
                if not loop.operations:
                    self._fill_loop(loop)
                operations.append(Operation(Kind.LOOP, number, Level.ALWAYS))
                for node in loop.members:
                    done(node)
        for part in list(pending):
            flush(part)
        return operations

    def _fill_loop(self, loop: Loop) -> None:
        graph = self.graph
        torn = {graph.node[a] for a in loop.unknowns[len(loop.unknowns) - loop.torn :]}
        unknown = {graph.node[a] for a in loop.unknowns}
        derivatives = set(graph.derivatives)
        useful = [n for n in loop.members if n in derivatives or any(a not in loop.members for a in self.after[n])]
        needed = set(useful) | unknown
        while useful:
            node = useful.pop()
            if node in unknown:
                continue
            for known in graph.before[node]:
                if known in loop.members and known not in needed:
                    needed.add(known)
                    useful.append(known)
        check_only = {n: n not in needed for n in loop.members}
        loop.operations = self._order(loop.members, check_only, loop)
        loop.residuals = []
        for owner in loop.residual_owners:
            node = graph.node[owner]
            if node in torn:
                sources = [(self.slot[source], 1.0) for source in graph.wires[owner]]
                if owner in self.drive_slot:
                    sources.append((self.drive_slot[owner], 1.0))
                loop.residuals.append([*sources, (self.slot[owner], -1.0)])
            else:
                loop.residuals.append([(self.slot[owner], 1.0)])

    def _grouped(self, nodes: Iterable[int], check_only: Mapping[int, bool]) -> Iterable[tuple[tuple, list[int]]]:
        groups: dict[tuple, list[int]] = defaultdict(list)
        for node in sorted(nodes, key=lambda n: self.graph.addresses[n].reference):
            address = self.graph.addresses[node]
            groups[address.part, address.type, self.graph.level[node], check_only.get(node, False)].append(node)
        return groups.items()

    def _gets(self, nodes: Iterable[int], check_only: Mapping[int, bool]) -> list[Operation]:
        result = []
        for (part, type_, level, checks), group in self._grouped(nodes, check_only):
            addresses = [self.graph.addresses[n] for n in group]
            first, places = self._place(addresses, self.slot)
            result.append(Operation(Kind.GET, part, level, type_, tuple(a.reference for a in addresses), first, checks, places))
        return result

    def _sets(self, nodes: Iterable[int], check_only: Mapping[int, bool], unknown: set[int]) -> list[Operation]:
        result = []
        for (part, type_, level, checks), group in self._grouped(nodes, check_only):
            addresses = [self.graph.addresses[n] for n in group]
            first, places = self._place(addresses, self.set_slot)
            sources = []
            for node, address in zip(group, addresses, strict=True):
                if node in unknown:
                    sources.append((self.slot[address],))
                else:
                    self.slot[address] = self.set_slot[address]
                    wired = tuple(self._slot_of(source) for source in self.graph.wires.get(address, ()))
                    sources.append((*wired, self.drive_slot[address]) if address in self.drive_slot else wired)
            references = tuple(a.reference for a in addresses)
            result.append(Operation(Kind.SET, part, level, type_, references, first, checks, places, tuple(sources)))
        return result

    def _slot_of(self, source: Address) -> int:
        """Where a value is kept; what changes at events only may be read in an order that does not get it."""
        if source not in self.slot:
            self.slot[source] = self.slots
            self.slots += 1
        return self.slot[source]

    def _place(self, addresses: Sequence[Address], slot: dict[Address, int]) -> tuple[int, tuple[int, ...]]:
        """Slots for values that are moved together: where they begin or, where an earlier order has placed them apart, each."""
        for address in addresses:
            if address not in slot:
                slot[address] = self.slots
                self.slots += 1
        places = tuple(slot[a] for a in addresses)
        together = all(b == a + 1 for a, b in pairwise(places))
        return (places[0], ()) if together else (0, places)
