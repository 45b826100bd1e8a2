"""What depends on what in an exported mechanism: the model structures of its components, followed through their connections and loops."""

from __future__ import annotations

from functools import cached_property

import numpy as np
from scipy.sparse import coo_array
from scipy.sparse.csgraph import connected_components

from coupling.export.table import MechanismTable
from coupling.fmu import Fmu
from coupling.graph import Address
from coupling.manifest import Unknown as Declared
from fmu_components.declaration import Role
from fmu_components.export.structure import Unknown
from fmu_components.export.table import Dependency


class MechanismStructure:
    """The lists of unknowns for one FMI version: as the model description has them or, while the importer solves for the multipliers, as the
    manifest of the layered standard does."""

    def __init__(self, table: MechanismTable, fmi: int, given: bool = False) -> None:
        self.table, self.given = table, given
        self._roles = {Role.TIME, Role.STATE, Role.INPUT} | ({Role.PARAMETER, Role.DISCRETE} if fmi == 3 else set())
        if given or (fmi == 2 and table.interface.ls_dae):
            self._roles.add(Role.ALGEBRAIC)
        self._knowns = {table.reference(v) for v in table.variables if v.role in self._roles}
        self._declared: dict[tuple[Fmu, int], Declared | None] = {}

    @property
    def outputs(self) -> list[Unknown]:
        return [self._unknown(table_reference) for table_reference in sorted(self.table.outputs)]

    @property
    def derivatives(self) -> list[Unknown]:
        return [self._unknown(1 + state) for state in range(self.table.states)]

    @property
    def indicators(self) -> list[Unknown]:
        return [self._unknown(reference) for reference in self.table.references(Role.INDICATOR)]

    @property
    def residuals(self) -> list[Unknown]:
        return [self._unknown(self.table.reference(v.partner or "")) for v in self.table.with_role(Role.ALGEBRAIC)]

    @property
    def initial(self) -> list[Unknown]:
        """Before the start everything may depend on everything."""
        calculated = (r for r in sorted(self.table.outputs) if self._role(r).calculated or self._role(r) is Role.RELATION)
        return [Unknown(reference, None) for reference in (*range(1, 1 + self.table.states), *calculated)]

    def _role(self, reference: int) -> Role:
        return next(v.role for v in self.table.variables if self.table.reference(v) == reference)

    def _unknown(self, reference: int) -> Unknown:
        node = self._node.get(reference)
        if node is None:
            return Unknown(reference, None)
        reached = self._reached[self._component[node]]
        if reached == self._all:
            return Unknown(reference, None)
        kinds = self._kinds(node)
        knowns = [known for i, known in enumerate(self._sorted) if reached >> i & 1]
        return Unknown(reference, tuple(Dependency(known, kinds.get(known, "dependent")) for known in knowns))

    def _kinds(self, node: int) -> dict[int, str]:
        """Of an unknown that its component computes from knowns alone, in the component's own words."""
        address = self._addresses[node]
        declared = self._structure(address)
        if declared is None or declared.dependencies is None or any(b in self._through for b in self._before[node]):
            return {}
        return {self.table.reference_at(address.part, reference): kind for reference, kind in declared.dependencies}

    def _structure(self, address: Address) -> Declared | None:
        """What a component says of one of its variables."""
        fmu = self.table.members[address.part].fmu
        key = fmu, address.reference
        if key not in self._declared:
            lists = fmu.dae.structure if fmu.dae else fmu.structure
            everything = (*lists.outputs, *lists.derivatives, *lists.indicators, *lists.residuals)
            self._declared[key] = next((u for u in everything if u.reference == address.reference), None)
        return self._declared[key]

    # -- the graph -----------------------------------------------------------------------------------------------------

    @cached_property
    def _sorted(self) -> list[int]:
        return sorted(self._knowns)

    @cached_property
    def _all(self) -> int:
        return (1 << len(self._sorted)) - 1

    @cached_property
    def _graph(self) -> None:
        """Fills in the nodes: every component's variables, with what each depends on."""
        table, graph = self.table, self.table.built.schedule.graph
        self._addresses: list[Address] = []
        self._before: list[list[int]] = []
        self._through: set[int] = set()
        self._node_of: dict[Address, int] = {}
        self._mask: list[int] = []
        bit = {known: i for i, known in enumerate(self._sorted)}
        opened = {address._replace(type=0): place for place, address in enumerate(table.opened)}

        def node(address: Address) -> int:
            if address not in self._node_of:
                self._node_of[address] = len(self._addresses)
                self._addresses.append(address)
                self._before.append([])
                self._mask.append(0)
            return self._node_of[address]

        residuals = {a: list(loop.residuals) for loop in table.built.schedule.loops for a in loop.unknowns}
        for part, member in enumerate(table.members):
            dae = member.fmu.dae
            lists = dae.structure if dae else member.fmu.structure
            for declared in (*lists.outputs, *lists.derivatives, *lists.indicators, *lists.residuals):
                node(Address(part, 0, declared.reference))
        waiting = list(self._addresses)
        done: set[Address] = set()
        while waiting:
            address = waiting.pop()
            if address in done:
                continue
            done.add(address)
            here = node(address)
            member = table.members[address.part]
            of = member.fmu.by_reference[address.reference]
            given: list[Address] = []
            wired = graph.wires.get(address, ())
            if address in opened:
                self._mask[here] |= 1 << bit[table.own_reference(opened[address])]
            if member.fmu.dae and address.reference in member.fmu.dae.algebraic:
                self._through.add(here)
                if self.given:
                    self._mask[here] |= 1 << bit[table.reference_at(*address[::2])]
                else:
                    given = residuals.get(address, [])
            elif of.causality == "input":
                self._through.add(here)
                given = [Address(a.part, 0, a.reference) for a in wired]
                if address in graph.drives and address not in opened:
                    self._mask[here] |= 1
            elif address.reference in member.fmu.states or of.causality in ("parameter", "independent") or of.variability == "discrete":
                reference = 0 if of.causality == "independent" else table.reference_at(address.part, address.reference)
                if reference in bit:
                    self._mask[here] |= 1 << bit[reference]
            else:
                known = self._structure(address)
                if known is None or known.dependencies is None:
                    self._mask[here] = self._all
                else:
                    given = [Address(address.part, 0, reference) for reference, _ in known.dependencies]
            self._before[here] = [node(a) for a in given]
            waiting += [a for a in given if a not in done]

    @cached_property
    def _component(self) -> np.ndarray:
        """The strongly connected part of each node."""
        self._graph  # noqa: B018
        size = len(self._before)
        rows = [i for i, before in enumerate(self._before) for _ in before]
        columns = [b for before in self._before for b in before]
        matrix = coo_array((np.ones(len(rows)), (rows, columns)), shape=(size, size))
        return connected_components(matrix, directed=True, connection="strong")[1]

    @cached_property
    def _reached(self) -> dict[int, int]:
        """The knowns behind each strongly connected part, as bits."""
        label = self._component
        reached: dict[int, int] = {}
        own: dict[int, int] = {}
        others: dict[int, set[int]] = {}
        for node, before in enumerate(self._before):
            own[label[node]] = own.get(label[node], 0) | self._mask[node]
            others.setdefault(label[node], set()).update(label[b] for b in before if label[b] != label[node])
        for root in own:
            stack = [root]
            while stack:
                part = stack[-1]
                open_now = [o for o in others[part] if o not in reached]
                if open_now and part not in reached:
                    stack += open_now
                    continue
                stack.pop()
                if part not in reached:
                    bits = own[part]
                    for other in others[part]:
                        bits |= reached[other]
                    reached[part] = bits
        return reached

    @cached_property
    def _node(self) -> dict[int, int]:
        """The node of each unknown, by its reference."""
        self._graph  # noqa: B018
        table = self.table
        found = {table.reference_at(a.part, a.reference): node for a, node in self._node_of.items()}
        for member_number, member in enumerate(table.members):
            lists = member.fmu.dae.structure if member.fmu.dae else member.fmu.structure
            for place, derivative in enumerate(lists.derivatives):
                found[1 + member.first_state + place] = self._node_of[Address(member_number, 0, derivative.reference)]
        return found
