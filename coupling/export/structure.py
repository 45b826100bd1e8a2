"""What depends on what in an exported mechanism: the model structures of its components, followed through their connections and loops."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from coupling.export.table import MechanismTable
from coupling.fmus import Fmu, Structure
from coupling.fmus import Unknown as Declared
from coupling.plan.graph import Address
from fmu_components.declare.declaration import Role
from fmu_components.export.structure import ListedUnknown
from fmu_components.export.table import Dependency

_WORTH_LISTING = 200
"""What depends on more than this, by the constraints that solve for all multipliers together, is said to depend on everything: the lists of a
chain of a thousand bodies would take a hundred megabytes, and would save nothing."""


class MechanismStructure:
    """The lists of unknowns for one FMI version: as the model description has them or, while the importer solves for the multipliers, as the
    manifest of the layered standard does."""

    def __init__(self, table: MechanismTable, fmi: int, given: bool = False) -> None:
        self.table, self.given = table, given
        roles = {Role.TIME, Role.STATE, Role.INPUT} | ({Role.PARAMETER, Role.DISCRETE} if fmi == 3 else set())
        if given or fmi == 2:
            roles.add(Role.ALGEBRAIC)
        self._knowns = sorted(table.reference(v) for v in table.variables if v.role in roles)
        self._roles = {table.reference(v): v.role for v in table.variables}

    @property
    def outputs(self) -> list[ListedUnknown]:
        return [self._unknown(reference) for reference in sorted(self.table.outputs)]

    @property
    def derivatives(self) -> list[ListedUnknown]:
        return [self._unknown(1 + state) for state in range(self.table.states)]

    @property
    def indicators(self) -> list[ListedUnknown]:
        return [self._unknown(reference) for reference in self.table.references(Role.INDICATOR)]

    @property
    def residuals(self) -> list[ListedUnknown]:
        return [self._unknown(self.table.reference(v.partner or "")) for v in self.table.with_role(Role.ALGEBRAIC)]

    @property
    def initial(self) -> list[ListedUnknown]:
        """Before the start parameters count as well, and all are merely ``dependent``."""
        shown = {r: self._roles[r] for r in sorted(self.table.outputs)}
        calculated = (reference for reference, role in shown.items() if role.calculated or role is Role.RELATION)
        unknowns = map(self._initially.unknown, (*range(1, 1 + self.table.states), *calculated))
        return [
            unknown
            if unknown.dependencies is None
            else ListedUnknown(unknown.reference, tuple(Dependency(each.known, "dependent") for each in unknown.dependencies))
            for unknown in unknowns
        ]

    def _unknown(self, reference: int) -> ListedUnknown:
        return self._influence.unknown(reference)

    @cached_property
    def _influence(self) -> _Influence:
        return _Influence(self.table, self._knowns, self.given)

    @cached_property
    def _initially(self) -> _Influence:
        changed = (reference for reference, role in self._roles.items() if role in (Role.PARAMETER, Role.DISCRETE))
        return _Influence(self.table, sorted({*self._knowns, *changed}), self.given, initial=True)


_AS_SET = -1
"""The type of a state as the importer reads it back, beside the one that the components compute with."""

_ALL_OF = -2
"""The type of what follows from each of several variables, which as many others follow from: the number of the list is in the place of a reference.
Without it a chain of a thousand bodies would have four million edges."""


class _Influence:
    """The variables of all components as a graph, and the knowns that each depends on, as bits in the order of their references."""

    def __init__(self, table: MechanismTable, knowns: list[int], given: bool, initial: bool = False) -> None:
        self.table, self.given, self._knowns = table, given, knowns
        self.everything = (1 << len(knowns)) - 1
        self._bit = {known: 1 << i for i, known in enumerate(knowns)}
        # Parameters of a component count wherever it computes something, since lists of FMI 2 leave them out.
        self._parameters = [self._parameters_of(part) if initial else 0 for part in range(len(table.members))]
        self._lists: dict[Fmu, dict[int, Declared]] = {}
        graph, loops = table.built.schedule.graph, table.built.schedule.loops
        # Here components are told apart by their references alone, whatever the types of their variables.
        self._wires = {_plain(a): [_plain(source) for source in sources] for a, sources in graph.wires.items()}
        self._driven = {_plain(a) for a in graph.drives}
        self._time = self._bit[table.reference("time")]
        self._opened = {_plain(a): table.reference(table.own[place]) for place, a in enumerate(table.opened)}
        self._lists_of: list[Sequence[Address]] = []
        residuals = [(loop, self._all_of(loop.residuals)) for loop in loops]
        self._residuals = {a: every for loop, every in residuals for a in loop.unknowns}
        self._moved_by = self._moving()
        self._node: dict[Address, int] = {}
        self._addresses: list[Address] = []
        self._before: list[list[int]] = []
        self._own: list[int] = []
        self._node_of: dict[int, int] = {}
        """The node of each unknown, by its reference."""
        self._fill()

    def unknown(self, reference: int) -> ListedUnknown:
        """An entry of a list."""
        node = self._node_of.get(reference)
        reached = self.everything if node is None else self.reached[node]
        if reached == self.everything or reached.bit_count() > _WORTH_LISTING:
            return ListedUnknown(reference, None)
        assert node is not None
        kinds = self.kinds(node)
        knowns = [self._knowns[i] for i in _bits(reached)]
        return ListedUnknown(reference, tuple(Dependency(known, kinds.get(known, "dependent")) for known in knowns))

    # -- components ----------------------------------------------------------------------------------------------------

    def _parameters_of(self, part: int) -> int:
        of = self.table.members[part].fmu
        references = (variable.reference for variable in of.variables.values() if variable.causality == "parameter")
        return sum(self._bit.get(each, 0) for each in {self.table.reference_at(part, reference) for reference in references})

    def _structure(self, part: int) -> Structure:
        fmu = self.table.members[part].fmu
        return fmu.dae.structure if fmu.dae else fmu.structure

    def _declared(self, address: Address) -> Declared | None:
        """What a component says of one of its variables."""
        fmu = self.table.members[address.part].fmu
        if fmu not in self._lists:
            lists = self._structure(address.part)
            self._lists[fmu] = {u.reference: u for u in (*lists.outputs, *lists.derivatives, *lists.indicators, *lists.residuals)}
        return self._lists[fmu].get(address.reference)

    def kinds(self, node: int) -> dict[int, str]:
        """How an unknown that its component computes from knowns alone depends on them, in the component's own words."""
        address = self._addresses[node]
        declared = self._declared(address)
        if (
            declared is None
            or declared.dependencies is None
            or any(self._passes_on(b) or self._constraints_of(b) for b in self._before[node])
        ):
            return {}
        return {self.table.reference_at(address.part, reference): kind for reference, kind in declared.dependencies}

    def _passes_on(self, node: int) -> bool:
        """Whether a variable is one that something else gives its value."""
        address = self._addresses[node]
        if address.type == _ALL_OF:
            return True
        fmu = self.table.members[address.part].fmu
        solved = fmu.dae is not None and address.reference in fmu.dae.algebraic
        return solved or fmu.by_reference[address.reference].causality == "input"

    def _constraints_of(self, node: int) -> Sequence[Address]:
        """By which a state is projected before anything is computed of it."""
        part, type_, reference = self._addresses[node]
        if type_ == _ALL_OF:
            return ()
        member = self.table.members[part]
        return self._moved_by.get(member.first_state + member.fmu.states.index(reference), ()) if reference in member.fmu.states else ()

    # -- the graph -----------------------------------------------------------------------------------------------------

    def _fill(self) -> None:
        for part, member in enumerate(self.table.members):
            lists = self._structure(part)
            for declared in (*lists.outputs, *lists.indicators, *lists.residuals):
                self._node_of[self.table.reference_at(part, declared.reference)] = self._add(Address(part, 0, declared.reference))
            for place, declared in enumerate(lists.derivatives):
                self._node_of[1 + member.first_state + place] = self._add(Address(part, 0, declared.reference))
            for reference in member.fmu.states:
                self._node_of[self.table.reference_at(part, reference)] = self._add(Address(part, _AS_SET, reference))
        node = 0
        while node < len(self._addresses):
            self._own[node], sources = self._sources(self._addresses[node])
            sources = [*sources, *(() if self._addresses[node].type == _AS_SET else self._constraints_of(node))]
            self._before[node] = [self._add(source) for source in sources]
            node += 1

    def _all_of(self, addresses: Sequence[Address]) -> Sequence[Address]:
        """One in the place of all."""
        self._lists_of.append(addresses)
        return [Address(0, _ALL_OF, len(self._lists_of) - 1)] if addresses else ()

    def _moving(self) -> dict[int, Sequence[Address]]:
        """The outputs of constraints that move each state that is projected: velocities follow the positions, but not the other way round."""
        built = self.table.built
        reading = built.reading
        if reading is None:
            return {}
        answering = {node for loop in built.schedule.loops for node in (*loop.members, *(loop.followers or ()))}
        rates = {state for state, node in enumerate(built.schedule.graph.derivatives) if node in answering}
        positions = self._all_of([reading.outputs[held.position] for held in reading.constraints if held.position is not None])
        all_levels = self._all_of(list(reading.outputs.values()))
        return {state: all_levels if state in rates else positions for state in reading.states}

    def _add(self, address: Address) -> int:
        if address not in self._node:
            self._node[address] = len(self._addresses)
            self._addresses.append(address)
            self._before.append([])
            self._own.append(0)
        return self._node[address]

    def _sources(self, address: Address) -> tuple[int, Sequence[Address]]:
        """The knowns that a variable is, or gets without any other variable between; and the variables that it follows from."""
        if address.type == _ALL_OF:
            return 0, self._lists_of[address.reference]
        fmu = self.table.members[address.part].fmu
        of = fmu.by_reference[address.reference]
        own = self._bit.get(self.table.reference_at(address.part, address.reference), 0)
        own |= self._bit[self._opened[address]] if address in self._opened else self._time if address in self._driven else 0
        if fmu.dae and address.reference in fmu.dae.algebraic:
            return own, () if self.given else self._residuals.get(address, ())
        if of.causality == "input":
            return own, self._wires.get(address, [])
        if of.causality == "independent":
            return self._time, []
        if address.reference in fmu.states or of.causality == "parameter" or of.variability == "discrete":
            return own, []
        declared = self._declared(address)
        if declared is None or declared.dependencies is None:
            return self.everything, []
        return self._parameters[address.part], [Address(address.part, 0, reference) for reference, _ in declared.dependencies]

    @cached_property
    def reached(self) -> list[int]:
        """By node; what lies on a ring of dependencies reaches whatever any of the ring does."""
        rows = [node for node, before in enumerate(self._before) for _ in before]
        columns = [b for before in self._before for b in before]
        size = len(self._before)
        matrix = coo_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
        count, ring = connected_components(matrix, directed=True, connection="strong")
        own, others = [0] * count, [set[int]() for _ in range(count)]
        for node, before in enumerate(self._before):
            own[ring[node]] |= self._own[node]
            others[ring[node]].update(int(ring[b]) for b in before if ring[b] != ring[node])
        found: dict[int, int] = {}
        for root in range(count):
            stack = [root]
            while stack:
                waiting = [each for each in others[stack[-1]] if each not in found]
                if waiting:
                    stack += waiting
                    continue
                this = stack.pop()
                bits = own[this]
                for each in others[this]:
                    bits |= found[each]
                found[this] = bits
        return [found[int(ring[node])] for node in range(size)]


def _bits(number: int) -> Iterator[int]:
    """The places of those that are set, from the lowest on."""
    while number:
        lowest = number & -number
        yield lowest.bit_length() - 1
        number ^= lowest


def _plain(address: Address) -> Address:
    return address._replace(type=0)
