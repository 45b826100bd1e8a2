"""The Jacobian of a whole system with its loops open: how outputs follow from the states and the loops' unknowns.

The calls of each FMU, and the way in which the answers make up the Jacobian, are found once. The answers are terms. Constant terms, as the
standard calls them, are asked for once. Terms that change at events only are asked for after each event, and all other terms always. Every
entry of the Jacobian is a sum of products of a term and an entry of an earlier row. Outputs follow from inputs, and these from other
outputs.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import defaultdict
from collections.abc import Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import scipy

from coupling.kernel.fmi.instance import DISCARD, WARNING
from coupling.kernel.platform.binding import pointer
from coupling.live.session import Session
from coupling.plan.graph import Address, Part, declared_dependencies
from coupling.plan.jacobian import EVENT_KINDS

ONE, MINUS_ONE, _FIRST_TERM = 0, 1, 2
"""Terms; entry 0 is 1 as well."""
_CONSTANT, _AT_EVENTS, ALWAYS = range(3)


class NoDerivative(ArithmeticError):
    """An FMU that gives no derivatives here; elsewhere it may, if ``discarded``."""

    def __init__(self, sentence: str, discarded: bool) -> None:
        super().__init__(sentence)
        self.discarded = discarded


class Linearisation:
    """Derivatives of the wanted outputs by the states, then by the unknowns of all loops, in their order, then by inputs that nothing gives.

    Parameters may be among these inputs, where an instance lists them among the knowns of its derivatives.

    Made once for a choice of outputs; an unknown of a loop that is an input stands for its residual, which is what is passed on to it
    less what it is. ``at_present`` and ``values`` ask the FMUs at the point where they are.
    """

    def __init__(self, session: Session, wanted: Sequence[Address], inputs: Sequence[Address] = ()) -> None:
        self.unknowns = [a for loop in session.schedule.loops for a in loop.unknowns]
        plan = plan_of(session, self.unknowns, wanted, inputs)
        self.order, self.dependences = plan.order, plan.dependences
        """All outputs that the wanted ones follow from, each after what it depends on, and what they depend on."""
        self._terms = session.kernel.library.kept(np.zeros(plan.terms))
        self._terms[[ONE, MINUS_ONE]] = 1.0, -1.0
        for term, value in plan.constants:
            self._terms[term] = value
        self._calls: tuple[list[_Call], ...] = ([], [], [])
        for group, part, unknowns, knowns, first in plan.calls:
            results = self._terms[first : first + len(unknowns)]
            kind = _Direction if session.built.parts[part].interface.directional_derivatives else _Difference
            self._calls[group].append(kind(session, part, unknowns, knowns, results))
        self._levels, places = plan.numbered
        self._entries = np.ones(1 + len(places))
        width = session.built.states + len(self.unknowns) + len(inputs)
        row, column, entry = plan.pattern
        order = np.lexsort((row, column))
        self.shape = (len(wanted), width)
        self.rows, self.columns = row[order].astype(np.int32), column[order].astype(np.int32)
        """Rows and columns of the values, column by column."""
        self._chosen = np.array([0, *places])[entry[order]] if len(order) else np.zeros(0, dtype=int)
        self._stale = _CONSTANT

    def renew(self) -> None:
        """Marks the terms that change at events only as out of date, after an event."""
        self._stale = min(self._stale, _AT_EVENTS)

    def values(self) -> np.ndarray:
        """Returns all entries that can differ from zero."""
        for group in range(self._stale, len(self._calls)):
            for call in self._calls[group]:
                call.ask()
        self._stale = ALWAYS
        for level in self._levels:
            products = self._terms[level.terms] * self._entries[level.entries]
            self._entries[level.first : level.first + len(level.starts)] = np.add.reduceat(products, level.starts)
        return self._entries[self._chosen]

    def at_present(self) -> scipy.sparse.csc_array:
        """Returns the Jacobian as a matrix that holds no zeros."""
        starts = np.searchsorted(self.columns, np.arange(self.shape[1] + 1)).astype(np.int32)
        matrix = scipy.sparse.csc_array((self.values(), self.rows.copy(), starts), shape=self.shape)
        matrix.eliminate_zeros()
        return matrix


class _OpenLoops(Linearisation):
    """The Jacobian with open loops. Residuals of constraints that are not in force are their multipliers."""

    def __init__(self, session: Session) -> None:
        derivatives = [Address(i, 0, u.reference) for i, part in enumerate(session.built.parts) for u in part.structure.derivatives]
        super().__init__(session, [*derivatives, *(a for loop in session.schedule.loops for a in loop.residuals)])
        self._off = session.off
        self._residual = self.rows - session.built.states
        self._diagonal = self.rows == self.columns

    def values(self) -> np.ndarray:
        values = super().values()
        if not self._off.any():
            return values
        off = (self._residual >= 0) & self._off[np.maximum(self._residual, 0)]
        return np.where(off, self._diagonal, values)


def open_loops(session: Session) -> Linearisation:
    """Returns the Jacobian of all states' derivatives, then of all residuals."""
    return _OpenLoops(session)


class StateJacobian:
    """Derivatives of the states' derivatives by the states, the loops being solved."""

    def __init__(self, session: Session) -> None:
        self._kernel, self._loops = session.kernel, session.schedule.loops
        self._states, self.linear = session.built.states, open_loops(session)
        self.has_loops = bool(self.linear.unknowns)
        self._full = np.zeros((0, 0))

    def dense(self) -> np.ndarray:
        """Returns the matrix at the point where the FMUs are. Where equations of a loop are redundant, its unknowns move by the least
        amount."""
        if not len(self._full):
            self._full = np.zeros((self.linear.shape[0],) * 2)
        n, full = self._states, self._full
        full[self.linear.rows, self.linear.columns] = self.linear.values()
        if not self.has_loops:
            return full
        return full[:n, :n] - full[:n, n:] @ solved(full[n:, n:], full[n:, :n], self.redundant())

    def redundant(self) -> bool:
        """Says whether equations of a loop have been redundant."""
        return any(self._kernel.deficient(i)[0] for i in range(len(self._loops)))


_MANY = 400
"""Unknowns from which on their equations are solved as sparse ones."""


def solved(matrix: np.ndarray, right: np.ndarray, redundant: bool) -> np.ndarray:
    """Returns the solution of linear equations; where these are redundant, the one of least length."""
    if not redundant:
        with suppress(np.linalg.LinAlgError, RuntimeError):  # of a singular matrix
            return (
                np.linalg.solve(matrix, right)
                if len(matrix) < _MANY
                else scipy.sparse.linalg.splu(scipy.sparse.csc_array(matrix)).solve(right)
            )
    return np.linalg.lstsq(matrix, right, rcond=1e-11)[0]


# -- what the FMUs are asked -------------------------------------------------------------------------------------------------------


class _Call(ABC):
    """Derivatives of some unknowns of an instance; each of them depends on one of the knowns."""

    def __init__(self, session: Session, part: int, unknowns: Sequence[int], knowns: Sequence[int], results: np.ndarray) -> None:
        self._instance, self._part, self._results = session.instances[part], session.built.parts[part], results
        self._unknowns, self._knowns = list(unknowns), list(knowns)

    @abstractmethod
    def ask(self) -> None:
        """Fills in the results, at the point where the instance is."""

    def _check(self, status: int) -> None:
        if status > WARNING:
            said = self._instance.message
            sentence = f"'{self._part.name}' ({self._part.fmu.path.name}) cannot be differentiated" + (f": {said}" if said else "")
            raise NoDerivative(sentence, status == DISCARD)


class _Direction(_Call):
    def __init__(self, session: Session, part: int, unknowns: Sequence[int], knowns: Sequence[int], results: np.ndarray) -> None:
        super().__init__(session, part, unknowns, knowns, results)
        arrays = np.array(unknowns, dtype=np.uintc), np.array(knowns, dtype=np.uintc), np.ones(len(knowns))
        self._arrays = [self._instance.library.kept(each) for each in arrays]
        rows, columns, seed = [pointer(array) for array in self._arrays]
        self._arguments = (self._instance.handle, rows, len(unknowns), columns, len(knowns), seed, pointer(results))

    def ask(self) -> None:
        status = self._instance.library.instance_directional(*self._arguments)
        if status > WARNING:
            self._check(status)


class _Difference(_Call):
    """Central differences with respect to one known, which is put back."""

    def ask(self) -> None:
        instance, states, (known,) = self._instance, self._part.states, self._knowns
        place = states.index(known) if known in states else 0
        status, x = instance.states(len(states)) if known in states else instance.get(0, self._knowns)
        self._check(status)
        step = 6e-6 * max(abs(x[place]), abs(self._part.fmu.by_reference[known].nominal))
        high, low = x.copy(), x.copy()
        high[place] += step
        low[place] -= step
        try:
            above, below = self._at(high, known), self._at(low, known)
            with np.errstate(all="ignore"):  # the solver refuses what is not finite; a user's settings of NumPy must not end the run
                self._results[:] = (above - below) / (high[place] - low[place])
        finally:
            status = self._move(x, known)
        self._check(status)

    def _at(self, values: np.ndarray, known: int) -> np.ndarray:
        self._check(self._move(values, known))
        status, outputs = self._instance.get(0, self._unknowns)
        self._check(status)
        return outputs

    def _move(self, values: np.ndarray, known: int) -> int:
        return self._instance.move_states(values) if known in self._part.states else self._instance.set(0, [known], list(values))


# -- how the answers are put together ----------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class _Level:
    """Entries from ``first`` on, each the sum of the products from its start to the next."""

    first: int
    starts: np.ndarray
    terms: np.ndarray
    entries: np.ndarray


@dataclass
class _Row:
    """An output: by column, the products that make up its entry; and the numbers of its entries."""

    level: int
    products: dict[int, list[tuple[int, int]]] = field(default_factory=lambda: defaultdict(list))
    entries: dict[int, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Dependence:
    """A dependence of an output on a known. It holds the known, the kind, and the column of the known or the other outputs that sum up to
    it."""

    known: int
    group: int
    column: int | None
    sources: Sequence[Address]


class Plan:
    """The calls of each instance, and the entries that follow from them."""

    def __init__(self, session: Session, unknowns: Sequence[Address], wanted: Sequence[Address], inputs: Sequence[Address]) -> None:
        self._parts, self._graph = session.built.parts, session.schedule.graph
        self._column = {a: session.built.states + i for i, a in enumerate([*unknowns, *inputs])}
        self._inputs = self._graph.continuous_inputs
        more = [a for a in inputs if a not in self._graph.node]
        if more:
            self._inputs = {part: list(known) for part, known in self._inputs.items()}
        for address in more:
            self._inputs.setdefault(address.part, []).append(address.reference)
        self._own_columns: dict[int, list[int]] = defaultdict(list)
        """Unknowns and inputs that are columns, by instance."""
        for address in self._column:
            self._own_columns[address.part].append(address.reference)
        self.terms = _FIRST_TERM
        self.constants: list[tuple[int, float]] = []
        """Terms that are numbers."""
        self.calls: list[tuple[int, int, list[int], list[int], int]] = []
        """Group, part, unknowns, knowns and first term."""
        self._rows: list[_Row] = []
        self._entries = 0
        self._known_sources: dict[Address, list[Address]] = {}
        self._known_knowns: dict[int, tuple[dict[int, int], dict[int, int], list[int]]] = {}
        self._make(wanted)

    def _sources(self, address: Address) -> list[Address]:
        if address not in self._known_sources:
            graph = self._graph
            self._known_sources[address] = [a for a in graph.wires.get(address, ()) if a.type == 0 and not graph.held[graph.node[a]]]
        return self._known_sources[address]

    def _is_input(self, address: Address) -> bool:
        fmu = self._parts[address.part].fmu
        return fmu.by_reference[fmu.own(address.reference)].causality == "input"

    def _arriving(self, address: Address) -> Address:
        """Returns where an input takes the value passed on, which is in base units; an unknown of a loop has its place there."""
        if address in self._column:
            return address
        return address._replace(reference=self._parts[address.part].fmu.in_base_units.get(address.reference, address.reference))

    def _own_unit(self, address: Address) -> int:
        """Returns the term that converts a value passed on in base units to the unit of the input."""
        arriving = self._arriving(address)
        if arriving == address:
            return ONE
        self.constants.append((self.terms, 1 / self._parts[address.part].fmu.factor(arriving.reference)))
        self.terms += 1
        return self.terms - 1

    def _knowns(self, number: int) -> tuple[dict[int, int], dict[int, int], list[int]]:
        """Returns the columns of an instance's states, the inputs as they are passed on, and all of its knowns."""
        if number not in self._known_knowns:
            part = self._parts[number]
            states = {r: part.first_state + i for i, r in enumerate(part.states)}
            inputs = {part.fmu.own(reference): reference for reference in self._inputs.get(number, ())}
            self._known_knowns[number] = states, inputs, list(dict.fromkeys([*states, *inputs, *self._own_columns[number]]))
        return self._known_knowns[number]

    def _dependences(self, address: Address) -> list[Dependence]:
        part = self._parts[address.part]
        states, inputs, every = self._knowns(address.part)
        declared = declared_dependencies(part.fmu, part.kind).get(part.fmu.own(address.reference))
        found = []
        for listed, kind in [(r, "dependent") for r in every] if declared is None else declared:
            known = inputs.get(listed, listed)
            group = _CONSTANT if kind == "constant" else _AT_EVENTS if kind in EVENT_KINDS else ALWAYS
            here = Address(address.part, 0, known)
            if known in states:
                found.append(Dependence(known, group, states[known], ()))
            elif here in self._column:
                found.append(Dependence(known, group, self._column[here], ()))
            elif listed in inputs and (sources := self._sources(here)):
                found.append(Dependence(known, group, None, sources))
        return found

    def _make(self, wanted: Sequence[Address]) -> None:
        torn = {a: self._sources(self._arriving(a)) for a in wanted if a in self._column or self._is_input(a)}
        order, dependences = self._ordered([*(a for a in wanted if a not in torn), *(s for sources in torn.values() for s in sources)])
        self.order, self.dependences = order, dependences
        term = self._plan_calls(dependences)
        rows: dict[Address, _Row] = {}
        for address in order:
            row = rows[address] = self._row()
            part = self._parts[address.part]
            if (column := self._as_it_is(address)) is not None:
                row.products[column] = [(self._factor(part, address.reference), 0)]
            for d in dependences[address]:
                if d.column is not None:
                    row.products[d.column].append((term[address, d.known], 0))
                for source in d.sources:
                    self._add(row, term[address, d.known], rows[source])
            self._close(row)
        lines = []
        for address in wanted:
            if address not in torn:
                lines.append(rows[address])
                continue
            row = self._row()
            for source in torn[address]:
                self._add(row, self._own_unit(address), rows[source])
            if address in self._column:
                row.products[self._column[address]].append((MINUS_ONE, 0))
            self._close(row)
            lines.append(row)
        triples = [(i, column, entry) for i, row in enumerate(lines) for column, entry in row.entries.items()]
        self.pattern = np.array(triples, dtype=int).reshape(-1, 3).T
        """Row, column and entry of all that can differ from zero."""

    def _ordered(self, roots: Iterable[Address]) -> tuple[list[Address], dict[Address, list[Dependence]]]:
        """Returns all outputs that the roots follow from, each after what it depends on, and what they depend on."""
        order: list[Address] = []
        dependences: dict[Address, list[Dependence]] = {}
        stack = [(a, False) for a in roots]
        while stack:
            address, finished = stack.pop()
            if finished:
                order.append(address)
            elif address not in dependences:
                dependences[address] = self._dependences(address) if self._as_it_is(address) is None else []
                stack.append((address, True))
                stack += [(s, False) for d in dependences[address] for s in d.sources if s not in dependences]
        return order, dependences

    def _plan_calls(self, dependences: dict[Address, list[Dependence]]) -> dict[tuple[Address, int], int]:
        """Knowns on which no unknown depends together go into one direction. Returns the term of each derivative."""
        wanted: dict[tuple[int, int], dict[int, list[Address]]] = defaultdict(lambda: defaultdict(list))
        reached: dict[tuple[int, int], set[Address]] = defaultdict(set)
        for address, each in dependences.items():
            for d in each:
                wanted[d.group, address.part][d.known].append(address)
                reached[address.part, d.known].add(address)
        term: dict[tuple[Address, int], int] = {}
        for (group, part), by_known in wanted.items():
            exact = self._parts[part].interface.directional_derivatives
            directions: list[list[int]] = []
            for known, unknowns in by_known.items():
                for knowns in directions if exact else ():
                    if not any(reached[part, known].intersection(by_known[k]) or reached[part, k].intersection(unknowns) for k in knowns):
                        knowns.append(known)
                        break
                else:
                    directions.append([known])
            for knowns in directions:
                pairs = [(address, known) for known in knowns for address in by_known[known]]
                self.calls.append((group, part, [a.reference for a, _ in pairs], knowns, self.terms))
                term |= {pair: self.terms + i for i, pair in enumerate(pairs)}
                self.terms += len(pairs)
        return term

    def _as_it_is(self, address: Address) -> int | None:
        """Returns the column of an address that is a state, or an unknown that is passed on."""
        part = self._parts[address.part]
        own = part.fmu.own(address.reference)
        return part.first_state + part.states.index(own) if own in part.states else self._column.get(address._replace(reference=own))

    def _factor(self, part: Part, reference: int) -> int:
        """Returns the term for a state or an unknown that is passed on unchanged or in base units."""
        if part.fmu.own(reference) == reference:
            return ONE
        self.constants.append((self.terms, part.fmu.factor(reference)))
        self.terms += 1
        return self.terms - 1

    def _row(self) -> _Row:
        self._rows.append(_Row(0))
        return self._rows[-1]

    def _add(self, row: _Row, term: int, source: _Row) -> None:
        row.level = max(row.level, source.level + 1)
        for column, entry in source.entries.items():
            row.products[column].append((term, entry))

    def _close(self, row: _Row) -> None:
        for column in row.products:
            self._entries += 1
            row.entries[column] = self._entries

    @cached_property
    def numbered(self) -> tuple[list[_Level], np.ndarray]:
        """Returns the entries level by level, and the place of each of them in that order."""
        by_level: dict[int, list[tuple[int, list[tuple[int, int]]]]] = defaultdict(list)
        for row in self._rows:
            by_level[row.level] += [(row.entries[column], products) for column, products in row.products.items()]
        places = np.zeros(self._entries + 1, dtype=int)
        levels, first = [], 1
        for level in sorted(by_level):
            items = by_level[level]
            if not items:
                continue
            for i, (entry, _) in enumerate(items):
                places[entry] = first + i
            products = [product for _, each in items for product in each]
            starts = np.cumsum([0, *(len(each) for _, each in items[:-1])])
            terms, entries = np.array(products, dtype=int).T
            levels.append(_Level(first, starts, terms, places[entries]))
            first += len(items)
        return levels, places[1:]


def plan_of(session: Session, unknowns: Sequence[Address], wanted: Sequence[Address], inputs: Sequence[Address] = ()) -> Plan:
    """Returns the plan of a choice of outputs; it is made once for a schedule, and serves all sessions that have it."""
    plans, choice = session.schedule.plans, (tuple(unknowns), tuple(wanted), tuple(inputs))
    if choice not in plans:
        plans[choice] = Plan(session, *choice)
    found: Plan = plans[choice]
    return found
