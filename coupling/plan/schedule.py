"""The order in which the values of a system are passed on, as operations of the kernel.

Variables of one FMU that stand next to each other in the order are moved by one call. The operations of every evaluation have two orders.
In one, each loop is solved by passing values around in it. The other is a shortcut for loops that are affine in these values.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from itertools import groupby, pairwise
from typing import Any

from coupling.plan.graph import Address, Change, Graph, follows_held
from coupling.plan.loops import Loop, find_loops, keeps


class Kind(IntEnum):
    """Operations, numbered as in the kernel."""

    SET_TIME = 0
    SET_STATES = 1
    SET = 2
    GET = 3
    DRIVE = 4
    LOOP = 5
    SHORTCUT = 6
    ARRIVE = 7
    AFFINE = 8


@dataclass(slots=True)
class Operation:
    kind: Kind
    index: int
    change: Change
    type: int = 0
    references: tuple[int, ...] = ()
    first: int = 0
    places: tuple[int, ...] = ()
    """The slot of each value, where these are not neighbours from ``first`` on."""
    sources: tuple[tuple[int, ...], ...] = ()
    """Slots by input, for SET."""


@dataclass(frozen=True)
class OutputDerivatives:
    """Derivatives of outputs of a Co-Simulation instance by one of its inputs, for the slots from ``first`` on."""

    part: int
    outputs: tuple[Address, ...]
    input: Address
    first: int
    constant: bool


@dataclass
class ScheduledLoop(Loop):
    """A loop with its places: its unknowns are kept from the slot ``first`` on, the rows of its shortcut from ``first_row`` on."""

    first: int = 0
    first_row: int = 0
    operations: list[Operation] = field(default_factory=list)
    sums: list[list[tuple[int, float]]] = field(default_factory=list)
    """Residuals, each as weighted slots."""


@dataclass
class Schedule:
    """All operations of the kernel, and the slot of each value."""

    graph: Graph
    slots: int
    """Number of slots; the states come first."""
    loops: list[ScheduledLoop] = field(default_factory=list)
    operations: list[Operation] = field(default_factory=list)
    shortcut: list[Operation] = field(default_factory=list)
    """The sequence for loops that are affine in the values passed on inside them. Every output is got once, with the inputs as they were
    last set. Its value with other inputs follows from its derivatives."""
    slot: dict[Address, int] = field(default_factory=dict)
    set_slot: dict[Address, int] = field(default_factory=dict)
    """Slots of the values that inputs were last set to."""
    drive_slot: dict[Address, int] = field(default_factory=dict)
    derivatives: list[int] = field(default_factory=list)
    """The slots of the states' derivatives."""
    end_slot: dict[Address, int] = field(default_factory=dict)
    """Slots of the values of ``arriving`` at the end of a step."""
    arriving: list[Address] = field(default_factory=list)
    """The inputs of Co-Simulation instances that move, instance by instance; ``set_slot`` says where each arrives."""
    fed: list[Address] = field(default_factory=list)
    """The inputs of instances that are integrated between the points to which something comes from outside; see ``interval.py``."""
    fed_slot: dict[Address, int] = field(default_factory=dict)
    """Slots in which these inputs are summed up."""
    feeding: list[Operation] = field(default_factory=list)
    """Operations that sum them up."""
    first_end: int = 0
    """First slot of the values of all these inputs at the end of the last step."""
    outputs: list[Operation] = field(default_factory=list)
    """Operations that get the outputs of Co-Simulation instances at the end of a step."""
    ended: dict[Address, int] = field(default_factory=dict)
    """Slots of these outputs as they were got."""
    calls: list[OutputDerivatives] = field(default_factory=list)
    """Calls for the derivatives of such outputs by such inputs."""

    @cached_property
    def plans(self) -> dict[tuple[tuple[Address, ...], ...], Any]:
        """Plans of Jacobians that were made for this schedule, by the choices that they were made for."""
        return {}

    @cached_property
    def arrives(self) -> frozenset[Address]:
        return frozenset(self.arriving)

    def new_slots(self, count: int) -> int:
        """Returns the first of some new slots."""
        self.slots += count
        return self.slots - count

    def sources(self, address: Address) -> tuple[int, ...]:
        """Returns the slots whose values an input adds up."""
        wired = [self.slot_of(source) for source in self.graph.wires.get(address, ())]
        return (*wired, *([self.drive_slot[address]] if address in self.drive_slot else []))

    def slot_of(self, source: Address) -> int:
        """Returns the slot of a value; a value that changes at events only may be read in an order that does not get it."""
        if source not in self.slot:
            self.slot[source] = self.new_slots(1)
        return self.slot[source]


def build_schedule(graph: Graph, states: int, fed: Mapping[Address, Sequence[Address]] | None = None) -> Schedule:
    """Returns the order of all operations. ``fed`` are inputs with those of their sources that lie outside of the part integrated between
    points."""
    schedule = Schedule(graph, states, fed=list(fed or ()))
    for loop in find_loops(graph):
        placed = ScheduledLoop(**vars(loop), first=schedule.new_slots(len(loop.unknowns)))
        schedule.slot |= {address: placed.first + i for i, address in enumerate(loop.unknowns)}
        if loop.followers is not None:
            placed.first_row = schedule.new_slots(len(loop.members) + len(loop.followers) + len(loop.residuals))
        schedule.loops.append(placed)
    drives = []
    for address, number in graph.drives.items():
        schedule.drive_slot[address] = schedule.new_slots(1)
        drives.append(Operation(Kind.DRIVE, number, graph.change[graph.node[address]], first=schedule.drive_slot[address]))
    _place_stepped(schedule)
    everything = range(len(graph.addresses))
    always = [n for n in everything if graph.change[n] is Change.ALWAYS]
    # What runs most is placed first, so that its values are neighbours.
    short = _Order(schedule, always, shortcut=True).operations()
    schedule.shortcut = [*(o for o in drives if o.change is Change.ALWAYS), *short]
    schedule.operations = [*drives, *_Order(schedule, everything).operations()]
    if fed:
        sources = tuple(
            (*map(schedule.slot_of, given), *([schedule.drive_slot[a]] if a in schedule.drive_slot else [])) for a, given in fed.items()
        )
        first = schedule.fed_slot[schedule.fed[0]]
        references = tuple(a.reference for a in fed)
        schedule.feeding = [Operation(Kind.ARRIVE, 0, Change.ALWAYS, 0, references, first, (), sources)]
        schedule.operations += schedule.feeding
    for placed in schedule.loops:
        torn = set(placed.unknowns[len(placed.unknowns) - placed.torn :])
        placed.operations = _Order(schedule, sorted(placed.members), inside=placed).operations()
        for address in placed.residuals:
            misfit = [(slot, 1.0) for slot in schedule.sources(address)] if address in torn else []
            placed.sums.append([*misfit, (schedule.slot[address], -1.0 if address in torn else 1.0)])
    schedule.derivatives = [schedule.slot[graph.addresses[n]] for n in graph.derivatives]
    return schedule


def _place_stepped(schedule: Schedule) -> None:
    """Makes slots for the inputs and outputs of Co-Simulation instances."""
    graph = schedule.graph
    inputs: dict[int, list[int]] = defaultdict(list)
    outputs: dict[tuple[int, int], list[int]] = defaultdict(list)
    for node, address in enumerate(graph.addresses):
        if graph.parts[address.part].stepped:
            if graph.is_output[node]:
                outputs[address.part, address.type].append(node)
            elif not graph.held[node] and address.type == 0:
                inputs[address.part].append(node)
    schedule.arriving = [graph.addresses[n] for part in sorted(inputs) for n in inputs[part]]
    first = schedule.new_slots(len(schedule.arriving))
    schedule.set_slot |= {address: first + i for i, address in enumerate(schedule.arriving)}
    first = schedule.new_slots(len(schedule.fed))
    schedule.fed_slot = {address: first + i for i, address in enumerate(schedule.fed)}
    schedule.first_end = schedule.new_slots(len(schedule.arriving) + len(schedule.fed))
    schedule.end_slot = {address: schedule.first_end + i for i, address in enumerate(schedule.arriving)}
    for (part, type_), nodes in sorted(outputs.items()):
        first = schedule.new_slots(len(nodes))
        addresses = [graph.addresses[n] for n in nodes]
        schedule.ended |= {address: first + i for i, address in enumerate(addresses)}
        schedule.slot |= {graph.addresses[n]: first + i for i, n in enumerate(nodes) if not graph.before[n]}
        references = tuple(a.reference for a in addresses)
        schedule.outputs.append(Operation(Kind.GET, part, Change.ALWAYS, type_, references, first))
    for part, nodes in inputs.items():
        for known in nodes:
            for constant in (True, False):
                followers = [n for n in graph.after[known] if known in graph.kinds[n] and (graph.kinds[n][known] in _FIXED) == constant]
                if followers:
                    first = schedule.new_slots(len(followers))
                    graph.local |= {(n, known): first + i for i, n in enumerate(followers)}
                    schedule.calls.append(
                        OutputDerivatives(part, tuple(graph.addresses[n] for n in followers), graph.addresses[known], first, constant)
                    )


_FIXED = ("constant", "fixed")


@dataclass
class Turn:
    """The turn of a Co-Simulation instance where these step one after another: the values passed on for it, and its outputs."""

    part: int
    """Number of the instance; -1 for the part integrated between the points, whose turn is the last."""
    sequence: list[Operation]
    outputs: list[Operation]


def turns(schedule: Schedule) -> tuple[list[int], list[Turn]]:
    """Returns the slots of all values that are predicted before the first steps, and the turns of the instances."""
    graph = schedule.graph
    solved = {n for loop in schedule.loops for n in loop.members}

    multipliers = set(graph.algebraic)

    def predicted(node: int) -> bool:
        address = graph.addresses[node]
        part = graph.parts[address.part]
        given = part.stepped or bool(part.states) or node in solved
        return node in multipliers or (graph.is_output[node] and not graph.held[node] and given)

    stepped = sorted({a.part for a in schedule.arriving} | {o.index for o in schedule.outputs})
    found = []
    for part in [*stepped, *([-1] if schedule.fed else [])]:
        arriving = [a for a in schedule.arriving if a.part == part] if part >= 0 else schedule.fed
        needed: set[int] = set()
        open_now = [known for a in arriving for known in graph.before[graph.node[a]]]
        while open_now:
            node = open_now.pop()
            passed_on = graph.change[node] is not Change.AT_EVENTS or follows_held(graph, node)
            if node not in needed and not predicted(node) and passed_on and not (graph.is_output[node] and graph.held[node]):
                needed.add(node)
                open_now += graph.before[node]
        sequence = _Order(schedule, sorted(needed), loops=False).operations() if needed else []
        drives = [
            Operation(Kind.DRIVE, number, Change.ALWAYS, first=schedule.drive_slot[a])
            for a, number in graph.drives.items()
            if a in arriving or graph.node[a] in needed
        ]
        asked = sorted({graph.addresses[node].part for node in needed if graph.is_output[node]})
        timed = [Operation(Kind.SET_TIME, i, Change.ALWAYS) for i in asked if graph.parts[i].needs_time]
        if part < 0:
            sequence.append(schedule.feeding[0])
        elif arriving:
            sources = tuple(schedule.sources(a) for a in arriving)
            references = tuple(a.reference for a in arriving)
            first = schedule.set_slot[arriving[0]]
            sequence.append(Operation(Kind.ARRIVE, part, Change.ALWAYS, 0, references, first, (), sources))
        outputs = [
            replace(o, places=tuple(schedule.slot[Address(part, o.type, r)] for r in o.references))
            for o in schedule.outputs
            if o.index == part
        ]
        found.append(Turn(part, [*drives, *timed, *sequence], outputs))
    slots = [schedule.slot[a] for n, a in enumerate(graph.addresses) if predicted(n) and a in schedule.slot]
    return slots, found


def passing_on(schedule: Schedule, nodes: Iterable[int]) -> list[Operation]:
    """Returns the operations of variables outside of loops in an order of their own."""
    return _Order(schedule, sorted(nodes), loops=False).operations()


def _merged(operations: Iterable[Operation]) -> list[Operation]:
    """Merges neighbours that only note the values which arrive at Co-Simulation instances, across instances."""
    result: list[Operation] = []
    for (kind, change), group in groupby(operations, key=lambda o: (o.kind, o.change)):
        if kind is not Kind.ARRIVE:
            result += group
            continue
        items = sorted(
            (place, reference, source)
            for o in group
            for place, reference, source in zip(
                o.places or range(o.first, o.first + len(o.references)), o.references, o.sources, strict=True
            )
        )
        places, references, sources = zip(*items, strict=True)
        together = all(b == a + 1 for a, b in pairwise(places))
        result.append(Operation(Kind.ARRIVE, 0, change, 0, references, places[0] if together else 0, () if together else places, sources))
    return result


class _Order:
    """An order: of everything, of what is always needed with loops by their shortcuts, or of the inside of a loop.

    Its units are variables and whole loops, the latter numbered after the variables.
    """

    def __init__(
        self, schedule: Schedule, nodes: Iterable[int], *, inside: ScheduledLoop | None = None, shortcut: bool = False, loops: bool = True
    ) -> None:
        self.schedule, self.graph = schedule, schedule.graph
        self.unknown = {self.graph.node[a] for a in inside.unknowns} if inside else set()
        self.loop_of: dict[int, int] = {}
        self.short: set[int] = set()
        for number, loop in enumerate([] if inside or not loops else schedule.loops):
            self.loop_of |= dict.fromkeys(loop.members, number)
            if shortcut and loop.followers is not None:
                self.short.add(number)
                self.loop_of |= dict.fromkeys(loop.followers, number)
        self.within = set(nodes)
        self.waits_for = self._prerequisites()
        self.readers: dict[int, list[int]] = defaultdict(list)
        for unit, others in self.waits_for.items():
            for other in others:
                self.readers[other].append(unit)

    def _provider(self, node: int) -> int:
        """Returns the unit after which a variable's value is known."""
        return len(self.graph.addresses) + self.loop_of[node] if node in self.loop_of else node

    def _prerequisites(self) -> dict[int, set[int]]:
        graph, loops = self.graph, self.schedule.loops
        result: dict[int, set[int]] = {}
        for loop in sorted(set(self.loop_of.values())):
            result[len(graph.addresses) + loop] = set()
        for node in sorted(self.within):
            number = self.loop_of.get(node)
            members = loops[number].members if number is not None else set()
            waits = {self._provider(b) for b in graph.before[node] if b in self.within and b not in members}
            if node in self.unknown or (graph.held[node] and graph.is_output[node]):
                waits = set()
            if number is None:
                result[node] = waits
            elif number not in self.short or not graph.is_output[node]:
                result[len(graph.addresses) + number] |= waits
            elif node not in members or not keeps(graph, node, loops[number]):
                result[node] = waits
                result[len(graph.addresses) + number].add(node)
        return result

    def operations(self) -> list[Operation]:
        """Returns the operations. Inputs come as soon as their sources are known, but are set together before the next value of that
        instance is got."""
        graph = self.graph
        result: list[Operation] = []
        left = {unit: len(others) for unit, others in self.waits_for.items()}
        inputs: list[int] = []
        outputs: dict[int, list[int]] = {}
        loops: list[int] = []
        pending: dict[int, list[int]] = defaultdict(list)

        def ready(unit: int) -> None:
            if unit >= len(graph.addresses):
                loops.append(unit - len(graph.addresses))
            elif graph.is_output[unit]:
                outputs.setdefault(graph.addresses[unit].part, []).append(unit)
            else:
                inputs.append(unit)

        def done(unit: int) -> None:
            for reader in self.readers[unit]:
                left[reader] -= 1
                if left[reader] == 0:
                    ready(reader)

        for unit, count in left.items():
            if count == 0:
                ready(unit)
        while inputs or outputs or loops:
            while inputs:
                node = inputs.pop()
                pending[graph.addresses[node].part].append(node)
                done(node)
            if outputs:
                batch, outputs = outputs, {}
                for part, nodes in batch.items():
                    result += self._sets(pending.pop(part, []))
                    result += self._gets(nodes)
                for nodes in batch.values():
                    for node in nodes:
                        done(node)
            elif loops:
                number = loops.pop()
                for part in sorted({graph.addresses[n].part for n in self.schedule.loops[number].members}):
                    result += self._sets(pending.pop(part, []))
                result.append(Operation(Kind.SHORTCUT if number in self.short else Kind.LOOP, number, Change.ALWAYS))
                done(len(graph.addresses) + number)
        for nodes in pending.values():
            result += self._sets(nodes)
        return _merged(result)

    def _grouped(self, nodes: Iterable[int]) -> Iterable[tuple[tuple[int, int, Change], list[Address]]]:
        groups: dict[tuple[int, int, Change], list[Address]] = defaultdict(list)
        for node in sorted(nodes, key=lambda n: self.graph.addresses[n].reference):
            address = self.graph.addresses[node]
            groups[address.part, address.type, self.graph.change[node]].append(address)
        return groups.items()

    def _gets(self, nodes: Iterable[int]) -> list[Operation]:
        result = []
        for (part, type_, change), addresses in self._grouped(nodes):
            if self.graph.parts[part].stepped:
                result += self._follow(part, change, addresses)
                continue
            first, places = self._place(addresses, self.schedule.slot)
            result.append(Operation(Kind.GET, part, change, type_, tuple(a.reference for a in addresses), first, places))
        return result

    def _follow(self, part: int, change: Change, addresses: Sequence[Address]) -> list[Operation]:
        """Corrects outputs of a Co-Simulation instance, which have been got, where they depend on its inputs at once."""
        graph, schedule = self.graph, self.schedule
        moving = [a for a in addresses if graph.before[graph.node[a]]]
        if not moving:
            return []
        first, places = self._place(moving, schedule.slot)
        rows = []
        for address in moving:
            node = graph.node[address]
            row = [schedule.ended[address]]
            for known in graph.before[node]:
                source = graph.addresses[known]
                row += [graph.local[node, known], schedule.set_slot[source], schedule.end_slot[source]]
            rows.append(tuple(row))
        references = tuple(a.reference for a in moving)
        return [Operation(Kind.AFFINE, part, change, 0, references, first, places, tuple(rows))]

    def _sets(self, nodes: Iterable[int]) -> list[Operation]:
        schedule, result = self.schedule, []
        for (part, type_, change), addresses in self._grouped(nodes):
            first, places = self._place(addresses, schedule.set_slot)
            sources: list[tuple[int, ...]] = []
            for address in addresses:
                if self.graph.node[address] in self.unknown:
                    sources.append((schedule.slot[address],))
                else:
                    schedule.slot[address] = schedule.set_slot[address]
                    sources.append(schedule.sources(address))
            references = tuple(a.reference for a in addresses)
            kept = schedule.graph.parts[part].stepped and addresses[0] in schedule.arrives
            result.append(Operation(Kind.ARRIVE if kept else Kind.SET, part, change, type_, references, first, places, tuple(sources)))
        return result

    def _place(self, addresses: Sequence[Address], slot: dict[Address, int]) -> tuple[int, tuple[int, ...]]:
        """Returns slots for values that are moved together: where they begin or, where an earlier order has placed them apart, each."""
        for address in addresses:
            if address not in slot:
                slot[address] = self.schedule.new_slots(1)
        places = tuple(slot[a] for a in addresses)
        together = all(b == a + 1 for a, b in pairwise(places))
        return (places[0], ()) if together else (0, places)
