"""Graph of the variables of all components of an exported mechanism: their dependencies through connections and loops.

All components of a type have the same dependencies. Therefore edges are found by type and moved to the place of each component.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import scipy

from coupling.export.table import MechanismTable
from coupling.fmus import Fmu
from coupling.fmus import Unknown as Declared
from coupling.plan.graph import Address

_WORTH_LISTING = 200
"""Greatest number of dependencies that are listed.

A variable that depends on more, by constraints that solve for all multipliers together, is declared to depend on everything. The lists of a
chain of a thousand bodies would take a hundred megabytes, and would save nothing.
"""

Pairs = list[tuple[int, int]]


@dataclass(frozen=True)
class Facts:
    """Dependencies of one type of component, by its own references."""

    declared: dict[int, Declared]
    listed: list[int]
    """Computed variables except derivatives."""
    derivatives: list[int]
    given: list[int]
    """Variables that are set, passed on or kept: knowns, or results of variables outside of the component."""
    passed_on: frozenset[int]
    """Given variables whose value comes from another component."""
    times: list[int]
    of_all: list[int]
    """Variables that may follow from everything."""
    computed: list[int]
    edges: Pairs
    """Pairs of a computed variable and a variable that it follows from."""


def facts_of(fmu: Fmu) -> Facts:
    lists = fmu.dae.structure if fmu.dae else fmu.structure
    algebraic = frozenset(fmu.dae.algebraic) if fmu.dae else frozenset()
    declared = {u.reference: u for u in (*lists.outputs, *lists.derivatives, *lists.indicators, *lists.residuals)}
    facts = Facts(
        declared,
        [u.reference for u in (*lists.outputs, *lists.indicators, *lists.residuals)],
        [u.reference for u in lists.derivatives],
        [],
        algebraic | {r for r, of in fmu.by_reference.items() if of.causality == "input"},
        [],
        [],
        [],
        [],
    )
    for reference, of in fmu.by_reference.items():
        own = declared.get(reference)
        if reference not in facts.passed_on and of.causality == "independent":
            facts.times.append(reference)
        elif reference in facts.passed_on or reference in fmu.states or of.causality == "parameter" or of.variability == "discrete":
            facts.given.append(fmu.place(reference))
        elif own is None or own.dependencies is None:
            facts.of_all.append(reference)
        else:
            facts.computed.append(reference)
            facts.edges.extend((reference, fmu.place(known)) for known, _ in own.dependencies)
    return facts


class Graph:
    """Graph of the dependencies between all variables.

    Nodes are the places of variables. After them come the states as the importer reads them back, and one node for all parameters of each
    component. The last nodes are lists, each of which stands for all variables that many others follow from. Without lists a chain of a
    thousand bodies would have four million edges.
    """

    def __init__(self, table: MechanismTable, given: bool) -> None:
        self.table = table
        self.facts = {fmu: facts_of(fmu) for fmu in dict.fromkeys(member.fmu for member in table.members)}
        last = table.members[-1] if table.members else None
        self._as_set = last.first + last.count + 1 if last else table.own_place(table.owns) + 1
        self._parameters = self._as_set + table.states
        self._lists = self._parameters + len(table.members)
        self._list_edges: Pairs = []
        references = np.zeros(self._as_set, int)
        references[table.shown] = np.arange(1, len(table.shown) + 1)
        self._references = references
        self.moved = self._moving()
        """List of constraint outputs by which each state is projected before any other computation."""
        edges = np.concatenate([self._inside(), self._between(given), np.array(self._list_edges, int).reshape(-1, 2)])
        self._own = self._owned()
        self._condense(edges)

    def node_of(self, reference: int) -> int | None:
        """Returns the node of a computed variable, by its value reference; None if it follows from everything."""
        node = self._nodes[self.table.shown[reference - 1]]
        return None if node < 0 else int(node)

    def reached(self, knowns: Sequence[int], initial: bool) -> Reached:
        """Returns the variables that follow from the knowns.

        ``initial`` counts parameters of a component among the origins of all its computed variables, since lists of FMI 2 leave them out.
        """
        pairs = self._own
        if initial:
            parameters = [(self._parameters + part, reference) for part, reference in self._parameters_of()]
            pairs = np.concatenate([pairs, np.array(parameters, int).reshape(-1, 2)])
        known = np.zeros(1 + len(self.table.shown), bool)
        known[list(knowns)] = True
        own: dict[int, set[int]] = {}
        for node, reference in pairs[known[pairs[:, 1]]].tolist():
            own.setdefault(self.ring[node], set()).add(reference)
        return Reached(self, own, len(knowns))

    # -- edges ---------------------------------------------------------------------------------------------------------

    def _alike(self) -> Iterable[tuple[Facts, np.ndarray]]:
        """Returns for each type the places at which its components begin."""
        firsts: dict[Fmu, list[int]] = {}
        for member in self.table.members:
            firsts.setdefault(member.fmu, []).append(member.first)
        return [(self.facts[fmu], np.array(each)) for fmu, each in firsts.items()]

    def _inside(self) -> np.ndarray:
        """Returns the edges inside each component. States that are projected follow from the constraints as well."""
        found = [np.zeros((0, 2), int)]
        for facts, firsts in self._alike():
            found.append((firsts[:, None, None] + np.array(facts.edges, int).reshape(-1, 2)).reshape(-1, 2))
        computed = [
            (member.first + reference, self._parameters + part)
            for part, member in enumerate(self.table.members)
            for reference in self.facts[member.fmu].computed
        ]
        moved = [
            (member.first + reference, self.moved[member.first_state + place])
            for member in self.table.members
            for place, reference in enumerate(member.fmu.states)
            if member.first_state + place in self.moved
        ]
        return np.concatenate([*found, np.array(computed + moved, int).reshape(-1, 2)])

    def _between(self, given: bool) -> np.ndarray:
        graph, loops = self.table.built.schedule.graph, self.table.built.schedule.loops
        pairs = []
        for address, sources in graph.wires.items():
            fmu = self.table.members[address.part].fmu
            if not (fmu.dae and address.reference in fmu.dae.algebraic):
                pairs += [(self._place(address), self._place(source)) for source in sources]
        for loop in () if given else loops:
            every = self._all_of(loop.residuals)
            for address in loop.unknowns:
                fmu = self.table.members[address.part].fmu
                if fmu.dae and address.reference in fmu.dae.algebraic and every is not None:
                    pairs.append((self._place(address), every))
        return np.array(pairs, int).reshape(-1, 2)

    def _place(self, address: Address) -> int:
        """Returns the node of a variable. References alone identify the variables of a component here, whatever their types."""
        return self.table.place_at(address.part, address.reference)

    def _all_of(self, addresses: Sequence[Address]) -> int | None:
        """Returns a list node that stands for all these variables."""
        if not addresses:
            return None
        node = self._lists
        self._lists += 1
        self._list_edges += [(node, self._place(address)) for address in addresses]
        return node

    def _moving(self) -> dict[int, int]:
        """Returns the list node by which each state is projected. Velocities follow the positions, but not the other way round."""
        built = self.table.built
        reading = built.reading
        if reading is None:
            return {}
        answering = {node for loop in built.schedule.loops for node in (*loop.members, *(loop.followers or ()))}
        rates = {state for state, node in enumerate(built.schedule.graph.derivatives) if node in answering}
        positions = self._all_of([reading.outputs[held.position] for held in reading.constraints if held.position is not None])
        all_levels = self._all_of(list(reading.outputs.values()))
        lists = ((state, all_levels if state in rates else positions) for state in reading.states)
        return {state: node for state, node in lists if node is not None}

    # -- nodes ---------------------------------------------------------------------------------------------------------

    def _owned(self) -> np.ndarray:
        """Returns nodes with their own knowns, or those that they get directly."""
        table, graph = self.table, self.table.built.schedule.graph
        time = table.reference("time")
        nodes = np.concatenate([np.zeros(0, int), *((f[:, None] + np.array(facts.given, int)).ravel() for facts, f in self._alike())])
        found = [np.column_stack([nodes, self._references[nodes]])]
        states = [
            (self._as_set + member.first_state + place, table.reference_at(part, reference))
            for part, member in enumerate(table.members)
            for place, reference in enumerate(member.fmu.states)
        ]
        times = [(first + reference, time) for facts, firsts in self._alike() for first in firsts.tolist() for reference in facts.times]
        opened = {self._place(address): table.reference(table.own[place]) for place, address in enumerate(table.opened)}
        driven = [(place, time) for place in map(self._place, graph.drives) if place not in opened]
        found += [np.array(each, int).reshape(-1, 2) for each in (states, times, list(opened.items()), driven)]
        return np.concatenate(found)

    def _parameters_of(self) -> Pairs:
        """Returns pairs of a component and the reference of one of its parameters."""
        of = {fmu: [v.reference for v in fmu.variables.values() if v.causality == "parameter"] for fmu in self.facts}
        every = ((part, self.table.reference_at(part, r)) for part, member in enumerate(self.table.members) for r in of[member.fmu])
        return [(part, reference) for part, reference in every if reference]

    def _condense(self, edges: np.ndarray) -> None:
        """Condenses each ring of dependencies into one node, since all its members reach the same variables."""
        matrix = scipy.sparse.coo_array((np.ones(len(edges), np.int8), (edges[:, 0], edges[:, 1])), shape=(self._lists, self._lists))
        count, rings = scipy.sparse.csgraph.connected_components(matrix, directed=True, connection="strong")
        between = np.unique(rings[edges[:, 0]].astype(np.int64) * count + rings[edges[:, 1]])
        start, end = np.divmod(between, count)
        start, end = start[start != end], end[start != end]
        self.ring: list[int] = rings.tolist()
        self.begin: list[int] = np.searchsorted(start, np.arange(count + 1)).tolist()
        self.follows: list[int] = end.tolist()
        of_all = [(firsts[:, None] + np.array(facts.of_all, int)).ravel() for facts, firsts in self._alike()]
        self.of_all: set[int] = set(rings[np.concatenate([np.zeros(0, int), *of_all])].tolist())
        self._nodes = np.full(self._as_set, -1)
        for facts, firsts in self._alike():
            for reference in facts.listed:
                self._nodes[firsts + reference] = firsts + reference
        for member in self.table.members:
            begin, states = member.first_state, len(member.fmu.states)
            self._nodes[1 + begin : 1 + begin + states] = member.first + np.array(self.facts[member.fmu].derivatives, int)
            self._nodes[member.first + np.array(member.fmu.states, int)] = self._as_set + begin + np.arange(states)

    def state_of(self, node: int) -> bool:
        """Says whether a node is a state as the importer reads it back."""
        return self._as_set <= node < self._parameters


class Reached:
    """Knowns from which nodes follow, directly or through others; None stands for all knowns."""

    def __init__(self, graph: Graph, own: dict[int, set[int]], knowns: int) -> None:
        self._graph, self._own, self._knowns = graph, own, knowns
        self._found: dict[int, Collection[int] | None] = dict.fromkeys(graph.of_all)

    def of(self, node: int) -> Collection[int] | None:
        graph, found = self._graph, self._found
        ring = graph.ring[node]
        stack = [ring]
        while stack:
            this = stack[-1]
            if this not in found:
                follows = graph.follows[graph.begin[this] : graph.begin[this + 1]]
                waiting = [each for each in follows if each not in found]
                if waiting and not any(found.get(each, ()) is None for each in follows):
                    stack += waiting
                    continue
                found[this] = self._joined(this, follows)
            stack.pop()
        return found[ring]

    def _joined(self, ring: int, follows: Sequence[int]) -> Collection[int] | None:
        """Returns the variables of a ring and of all rings that it follows from."""
        joined: Collection[int] = self._own.get(ring, ())
        for other in follows:
            each = self._found.get(other, ())
            if each is None:
                return None
            if each and each is not joined:
                joined = {*joined, *each} if joined else each
            if len(joined) > _WORTH_LISTING:
                return None
        return None if len(joined) > _WORTH_LISTING or len(joined) == self._knowns else joined
