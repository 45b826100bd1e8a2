"""The dependencies between the variables of a system: from the FMUs' declared dependencies, pessimistic where none are declared."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from enum import IntEnum
from functools import cached_property
from typing import NamedTuple, TypeVar
from weakref import WeakKeyDictionary

from coupling.fmus import Dae, Fmu, FmuVariable, Interface, Structure, Unknown
from coupling.fmus.views import Element


class Change(IntEnum):
    """The times at which a value can change."""

    AT_EVENTS = 1
    ALWAYS = 2
    FOR_OUTPUT = 3
    """Changes as often as ALWAYS, but nothing that is integrated depends on the value."""


TYPES = ("Float64", "Float32", "Int8", "UInt8", "Int16", "UInt16", "Int32", "UInt32", "Int64", "UInt64", "Boolean", "String", "Binary")
"""Numbered as in the kernel; FMI 2 has three of them under other names."""
_AS_FMI3 = {"Real": "Float64", "Integer": "Int32"}


def is_passed_on(variable: FmuVariable) -> bool:
    """Returns whether the kernel knows the type of a variable; clocks are not passed on."""
    return variable.type != "clock"


def type_code(variable: FmuVariable, version: int) -> int:
    """Returns the kernel's number of a variable's type."""
    if variable.fmi_type == "Enumeration":
        return TYPES.index("Int32" if version < 3 else "Int64")
    return TYPES.index(_AS_FMI3.get(variable.fmi_type, variable.fmi_type))


T = TypeVar("T")


def per_fmu(function: Callable[..., T]) -> Callable[..., T]:
    """Keeps what a function of an FMU, and of words, has found as long as the FMU."""
    found: WeakKeyDictionary[Fmu, dict[tuple[object, ...], T]] = WeakKeyDictionary()

    def ask(fmu: Fmu, *words: object) -> T:
        known = found.setdefault(fmu, {})
        if words not in known:
            known[words] = function(fmu, *words)
        return known[words]

    return ask


@dataclass(frozen=True)
class Part:
    """An instance as the schedule sees it."""

    name: str
    fmu: Fmu
    first_state: int
    kind: str
    """``me`` for Model Exchange, ``cs`` for Co-Simulation."""
    step: float | None
    """Step that the instance makes in Co-Simulation, in seconds; None for those of the run."""
    most: int
    """The highest degree of the polynomials that its inputs follow over a step."""
    logging: bool
    """True if the FMU's own logging is on."""
    process: str | None
    """``own``, or the name of the group whose process it runs in; None: where the master is."""

    @property
    def stepped(self) -> bool:
        """True if the instance runs in Co-Simulation, where it keeps its states to itself."""
        return self.kind == "cs"

    @property
    def interface(self) -> Interface:
        return self.fmu.interface(self.kind)

    @property
    def states(self) -> tuple[int, ...]:
        """The states that the master integrates."""
        return () if self.stepped else self.fmu.states

    @property
    def dae(self) -> Dae | None:
        """Constraints and unknowns that the instance leaves to the master to solve."""
        return None if self.stepped else self.fmu.dae

    @property
    def structure(self) -> Structure:
        return _structure(self.fmu, self.kind)

    @property
    def elements(self) -> tuple[Element, ...]:
        """The variables that are read by functions of vectors: the FMU of another tool may bring them up to date in no other call."""
        return () if self.stepped or self.fmu.is_own else self.fmu.elements

    @property
    def lists_everything(self) -> bool:
        """True if the dependencies can be taken to include time. FMI 3 counts time among the knowns, with the parameters, but tools forget
        both."""
        return _lists_everything(self.fmu)

    @property
    def needs_time(self) -> bool:
        """True if a value that the instance computes between events may depend on time."""
        return not self.stepped and _needs_time(self.fmu)


@per_fmu
def _structure(fmu: Fmu, kind: str) -> Structure:
    """Returns the lists of unknowns. Only derivatives show how outputs of a Co-Simulation instance depend on its inputs at a point."""
    if kind != "cs":
        return fmu.dae.structure if fmu.dae else fmu.structure
    outputs = fmu.structure.outputs
    if not fmu.interface("cs").directional_derivatives:
        outputs = tuple(replace(each, dependencies=()) for each in outputs)
    return Structure(outputs)


@per_fmu
def declared_dependencies(fmu: Fmu, kind: str) -> Mapping[int, tuple[tuple[int, str], ...] | None]:
    """Returns the dependencies by output, derivative and residual; None where an FMU does not declare them."""
    structure = _structure(fmu, kind)
    return {u.reference: u.dependencies for u in (*structure.outputs, *structure.derivatives, *structure.residuals)}


@per_fmu
def _lists_everything(fmu: Fmu) -> bool:
    known = {v.reference for v in fmu.by_reference.values() if v.causality in (*_PARAMETERS, "independent")}
    s = fmu.dae.structure if fmu.dae else fmu.structure
    return fmu.version == 3 and any(r in known for u in (*s.outputs, *s.derivatives, *s.residuals) for r, _ in u.dependencies or ())


@per_fmu
def _needs_time(fmu: Fmu) -> bool:
    s = fmu.dae.structure if fmu.dae else fmu.structure
    unknowns = (*s.outputs, *s.derivatives, *s.residuals, *s.indicators)
    return not _lists_everything(fmu) or any(u.dependencies is None or any(r == fmu.time for r, _ in u.dependencies) for u in unknowns)


class Address(NamedTuple):
    """A variable of an instance."""

    part: int
    type: int
    reference: int


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
    """Kinds of dependence by known, in the words of the standard; filled for outputs."""
    change: list[Change] = field(default_factory=list)
    itself: list[Change] = field(default_factory=list)
    """Change of each variable if all its sources were constant."""
    held: list[bool] = field(default_factory=list)
    """True for variables that change at events only, independent of their sources."""
    is_output: list[bool] = field(default_factory=list)
    algebraic: list[int] = field(default_factory=list)
    residuals: list[int] = field(default_factory=list)
    """Residuals, paired with the algebraic variables in their order."""
    derivatives: list[int] = field(default_factory=list)
    readers: list[list[int]] = field(default_factory=list)
    """Inputs to which each output is passed on."""
    after: list[list[int]] = field(default_factory=list)
    """Variables that depend on each variable. An output that changes at events only does not wait for its inputs: events repeat until
    nothing changes."""
    local: dict[tuple[int, int], int] = field(default_factory=dict)
    """Slots of the derivatives of outputs of Co-Simulation instances by their inputs, by their nodes."""

    @cached_property
    def continuous_inputs(self) -> dict[int, list[int]]:
        """Continuous inputs by part, once the graph is complete."""
        found: dict[int, list[int]] = defaultdict(list)
        for node, address in enumerate(self.addresses):
            if not self.is_output[node] and address.type == 0 and not self.held[node]:
                found[address.part].append(address.reference)
        return dict(found)

    def add(self, address: Address, is_output: bool) -> int:
        known = self.node.get(address)
        if known is not None:
            return known
        self.node[address] = len(self.addresses)
        self.addresses.append(address)
        self.before.append([])
        self.kinds.append({})
        self.change.append(Change.AT_EVENTS)
        self.held.append(False)
        self.is_output.append(is_output)
        self.readers.append([])
        return len(self.addresses) - 1


def build_graph(parts: Sequence[Part], wires: Mapping[Address, Sequence[Address]], drives: Mapping[Address, int]) -> Graph:
    """Returns the graph of a system; ``wires`` are the sources of each connected input, ``drives`` the functions of time by input."""
    graph = Graph(parts, wires, drives)
    inputs: dict[int, list[int]] = defaultdict(list)
    for address in dict.fromkeys([*wires, *drives]):
        node = graph.add(address, False)
        inputs[address.part].append(node)
        variable = parts[address.part].fmu.by_reference[address.reference]
        graph.held[node] = address.type > 1 or variable.variability != "continuous"
        if address in drives and not graph.held[node]:
            graph.change[node] = Change.ALWAYS
    wanted: dict[int, list[Address]] = defaultdict(list)
    for sources in wires.values():
        for address in sources:
            wanted[address.part].append(address)
    for index, part in enumerate(parts):
        dae = part.dae
        if dae:
            for reference in dae.algebraic:
                if Address(index, 0, reference) in drives:
                    continue
                node = graph.add(Address(index, 0, reference), False)
                inputs[index].append(node)
                graph.change[node] = Change.ALWAYS
                graph.algebraic.append(node)
        _add_unknowns(graph, index, inputs[index], wanted[index])
    for address, sources in wires.items():
        node = graph.node[address]
        graph.before[node] = [graph.node[source] for source in sources]
        for known in graph.before[node]:
            graph.readers[known].append(node)
    graph.itself = list(graph.change)
    graph.after = [[] for _ in graph.addresses]
    for node, knowns in enumerate(graph.before):
        if not (graph.held[node] and graph.is_output[node]):
            for known in knowns:
                graph.after[known].append(node)
    return graph


def _add_unknowns(graph: Graph, index: int, inputs: list[int], wanted: Iterable[Address]) -> None:
    part = graph.parts[index]
    if part.stepped:
        _add_outputs(graph, index, inputs, wanted)
        return
    structure, fmu = part.structure, part.fmu
    by_reference: dict[int, list[int]] = defaultdict(list)
    for node in inputs:
        by_reference[fmu.own(graph.addresses[node].reference)].append(node)
    constant = {v.reference for v in fmu.by_reference.values() if v.causality in _PARAMETERS or v.variability in _EVENTS_ONLY}
    declared = {unknown.reference: unknown for unknown in (*structure.outputs, *structure.residuals)}
    states, complete = set(fmu.states), part.lists_everything

    def add(address: Address, unknown: Unknown | None) -> int:
        node = graph.add(address, True)
        variable = fmu.by_reference.get(address.reference)
        graph.held[node] = address.type > 1 or (variable is not None and variable.variability in _EVENTS_ONLY)
        if fmu.own(address.reference) in states and variable is not None and variable.type == "real":
            graph.change[node] = Change.ALWAYS
            if unknown is None:
                return node
        if not complete:
            graph.change[node] = Change.ALWAYS
        if unknown is None or unknown.dependencies is None:
            graph.change[node] = Change.ALWAYS
            graph.before[node] = list(inputs)
            graph.kinds[node] = dict.fromkeys(inputs, "dependent")
        else:
            for reference, kind in unknown.dependencies:
                for known in by_reference.get(reference, ()):
                    graph.before[node].append(known)
                    graph.kinds[node][known] = kind
                if reference not in by_reference and reference not in constant and not _is_input(fmu, reference):
                    graph.change[node] = Change.ALWAYS
        if graph.held[node]:
            graph.change[node] = Change.AT_EVENTS
        return node

    for address in wanted:
        if address not in graph.node:
            add(address, declared.get(fmu.own(address.reference)))
    for unknown in structure.derivatives:
        graph.derivatives.append(add(Address(index, 0, unknown.reference), unknown))
    solved = part.dae.algebraic if part.dae else ()
    for algebraic, unknown in zip(solved, structure.residuals, strict=True):
        if Address(index, 0, algebraic) not in graph.drives:
            graph.residuals.append(add(Address(index, 0, unknown.reference), unknown))


def _add_outputs(graph: Graph, index: int, inputs: list[int], wanted: Iterable[Address]) -> None:
    """Adds outputs of a Co-Simulation instance. They change from point to point, and with the inputs by which it has derivatives."""
    part = graph.parts[index]
    declared = {unknown.reference: unknown.dependencies for unknown in part.structure.outputs}
    own = part.fmu.own
    moving = {own(graph.addresses[n].reference): n for n in inputs if not graph.held[n]}
    for address in wanted:
        if address in graph.node:
            continue
        node = graph.add(address, True)
        variable = part.fmu.by_reference[address.reference]
        graph.held[node] = address.type > 1 or variable.variability in _EVENTS_ONLY or part.step is not None
        if graph.held[node]:
            continue
        graph.change[node] = Change.ALWAYS
        dependencies = declared.get(own(address.reference), ()) if variable.causality == "output" else ()
        if dependencies is None:
            dependencies = tuple((reference, "dependent") for reference in moving)
        graph.kinds[node] = {moving[reference]: kind for reference, kind in dependencies if reference in moving}
        graph.before[node] = list(graph.kinds[node])


def follows_held(graph: Graph, node: int) -> bool:
    """Says whether a value that may be passed on at any time follows an output of a Co-Simulation instance that is held."""
    if graph.parts[graph.addresses[node].part].stepped and graph.is_output[node]:
        return graph.held[node]
    return not graph.held[node] and any(follows_held(graph, known) for known in graph.before[node])


def most_degree(graph: Graph, address: Address) -> int:
    """Returns the highest degree of the polynomial that an input follows; values that change at events only are held."""
    sources = [graph.change[graph.node[source]] for source in graph.wires.get(address, ())]
    held = address not in graph.drives and all(change is Change.AT_EVENTS for change in sources)
    return 0 if held else graph.parts[address.part].most


def constrained(graph: Graph, inputs: Iterable[Address]) -> bool:
    """Says whether multipliers act on some of these inputs, by outputs of instances that do not step."""
    multipliers = set(graph.algebraic)
    seen: set[int] = set()
    open_now = [graph.node[a] for a in inputs if a in graph.node]
    while open_now:
        node = open_now.pop()
        if node in multipliers:
            return True
        if node not in seen and not (graph.is_output[node] and graph.parts[graph.addresses[node].part].stepped):
            seen.add(node)
            open_now += graph.before[node]
    return False


_PARAMETERS = ("parameter", "calculatedParameter", "structuralParameter")
_EVENTS_ONLY = ("constant", "fixed", "tunable", "discrete")


def _is_input(fmu: Fmu, reference: int) -> bool:
    variable = fmu.by_reference.get(reference)
    return variable is not None and variable.causality == "input"
