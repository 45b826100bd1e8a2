"""The variables of an exported mechanism, with their value references, and their places among all values inside.

Place 0 belongs to none. Then come the derivatives of all states and the mechanism's own variables. The values of each component follow in
the order of its own references, the time last. The C side (``tables.c``) counts in the same way. Not all variables are shown: value
references number the shown ones, in the order of their places.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator, Mapping, Set
from dataclasses import dataclass, field
from functools import cache, cached_property
from hashlib import sha256
from xml.etree import ElementTree
from zipfile import ZipFile

import numpy as np

import coupling.fmus as fmus
from coupling.export.choice import Choice
from coupling.names import resolve
from coupling.options import Index3
from coupling.plan.build import Built
from coupling.plan.definition import Name
from coupling.plan.drives import Drive, FormulaDrive, PiecesDrive, TableDrive
from coupling.plan.graph import Address
from coupling.plan.outputs import is_bounded
from coupling.plan.time_scales import watched_angles
from fmu_components.declare.declaration import IMPLICIT, Declaration, Range, Role, Variable
from fmu_components.declare.icon import Drawing, box
from fmu_components.declare.ports import KIND_OF_TERMINAL, Port, Side
from fmu_components.export.table import Dependency, VariableTable

STEP_SIZE = "solver.step_size"
"""Name of the mechanism's own parameter for steps of fixed size."""
ASSEMBLE = "initial.assemble"
"""Name of the mechanism's own parameter for the assembly of constraints."""
SWITCH = "ideal"
"""The mechanism's own switch, where an importer may solve for the multipliers."""
_IDENTIFIER = re.compile(r"[A-Za-z_]\w*(\.[A-Za-z_]\w*)*", re.ASCII)


@dataclass
class Member:
    """A component with the place of its variables."""

    name: str
    fmu: fmus.Fmu
    first: int
    first_state: int
    count: int
    """Number of its values, including the place that belongs to none."""
    indicators: frozenset[int] = frozenset()
    again: frozenset[str] = frozenset()
    """The states that events set anew."""


@dataclass(frozen=True)
class ExportRequest:
    """Request for an exported FMU beside its variables."""

    choice: Choice
    ls_dae: bool = False
    implicit: bool = False
    relaxed: bool = False
    """True if the FMU also starts from values that violate constraints."""
    stop_time: float = 1.0
    fixed: Index3 | None = None
    """Options of fixed steps inside Co-Simulation."""
    assembles: bool = False
    """Default of the parameter that closes the start."""
    hold: tuple[str, ...] = ()
    """States that do not move then."""
    originals: Mapping[str, str] = field(default_factory=dict)
    """The names that instances have in the system, by the names without blanks that they have in the FMU."""
    locals_shown: bool = True
    """False leaves local variables out, except those that FMI needs."""


class MechanismTable(VariableTable):
    """Table of all variables that an exported mechanism shows."""

    def __init__(self, built: Built, interface: ExportRequest, start: Mapping[tuple[int, str], float]) -> None:
        self.built, self.interface = built, interface
        self.states = built.states
        self._chosen = frozenset(interface.choice.outputs)
        self._start = {(part, name): value for part, values in enumerate(built.start) for name, value in values.items()} | dict(start)
        self._places: dict[str, int] = {}
        self._instances = {part.name: i for i, part in enumerate(built.parts)}
        self._driven = {address for address, _ in built.drives}
        self.own = self._own()
        """The mechanism's own variables, the inputs first."""
        self.kinked = [d for _, d in built.drives if isinstance(d, TableDrive | FormulaDrive | PiecesDrive) and d.kinks]
        self.peaks = sum(len(loop.unknowns) for loop in built.schedule.loops)
        """Place of the sizes that loops remember of their motion, a number for each unknown; before these comes the tolerance."""
        remembers = interface.fixed is not None and interface.fixed.method == "generalised-alpha"
        self.remembered = 2 * (2 + self.states) + len(interface.choice.inputs) if remembers else 0
        """Numbers that steps of fixed size remember from one communication step to the next."""
        self.watches = len(built.switched)
        self.owns = len(self.own) + len(self.kinked) + (1 + self.peaks if self.peaks else 0) + 3 * self.watches + self.remembered
        self.members = self._members()
        self.starts: dict[int, float] = {}
        """Start values that are not the component's own, by place."""
        self.constants: list[int] = []
        """The places of inputs of components that are parameters of the mechanism."""
        self._roles: set[Role] = set()
        """The roles of all variables of components, shown or not."""
        self.internal: list[int] = []
        """The places of variables that are not shown, though components of their own would show them."""
        variables = self._variables()
        order = sorted(variables, key=lambda v: self._places[v.name])
        drawing = Drawing(box(-0.75, -0.55, 0.75, 0.55, fill=0.92))
        title = f"Mechanism of {len(self.members)} component{'s' * (len(self.members) > 1)}"
        declared = Declaration(built.name, title, title, tuple(order), self._ports(), (), (), drawing, interface.stop_time)
        super().__init__(declared)
        self.shown = [self._places[v.name] for v in order]
        """The places of all variables, in the order of their references."""
        self._reference_of = {place: reference for reference, place in enumerate(self.shown, 1)}
        self._outputs = {".".join(name) for name in interface.choice.outputs}
        self.outputs = set(map(self.reference, self._outputs))

    # -- what exporters ask --------------------------------------------------------------------------------------------

    @property
    def naming(self) -> str:  # type: ignore[override]
        return "structured" if all(_IDENTIFIER.fullmatch(member.name) for member in self.members) else "flat"

    def place(self, variable: Variable) -> int:
        """Returns the place of a variable's value among all values inside."""
        return self._places[variable.name]

    def is_output(self, variable: Variable) -> bool:
        return variable.name in self._outputs

    def jumps(self, variable: Variable) -> bool:
        if self.built.switched and variable.name in self._velocities:
            return True
        return variable.name in self._set_anew

    @cached_property
    def _set_anew(self) -> frozenset[str]:
        """Full names of states that events of their components set."""
        return frozenset(f"{member.name}.{state}" for member in self.members for state in member.again)

    @cached_property
    def _velocities(self) -> frozenset[str]:
        """Full names of states that are no mere integrals of others; impacts may set them."""
        return frozenset(
            f"{part.name}.{part.fmu.by_reference[reference].name}"
            for part in self.built.parts
            for reference, derivative in zip(part.states, part.structure.derivatives, strict=True)
            if derivative.dependencies is None or {known for known, _ in derivative.dependencies} - set(part.states)
        )

    def has_events(self) -> bool:
        return bool(self.kinked or self._roles & {Role.DISCRETE, Role.RELATION})

    def has_relations(self) -> bool:
        return Role.RELATION in self._roles

    def dependencies(self, *_: object) -> list[Dependency]:
        raise TypeError("a mechanism has no equations of its own to derive dependencies from; see MechanismStructure")

    @property
    def switch(self) -> Variable | None:
        return next(iter(self.with_role(Role.SWITCH)), None)

    @cached_property
    def token(self) -> str:
        lines = [f"{v.name}|{v.role}|{v.unit}|{v.start}|{v.range}|{v.tunable}|{self.place(v)}" for v in self.variables]
        lines += [f"{m.name}|{m.fmu.token}" for m in self.members] + [str(sorted(self.starts.items())), str(sorted(self.outputs))]
        lines.append(repr(self.interface.hold))
        lines += [repr(self.built.schedule.graph.wires), *(repr(_content(drive)) for _, drive in self.built.drives)]
        digest = sha256("\n".join(lines).encode()).hexdigest()
        return f"{{{digest[:8]}-{digest[8:12]}-{digest[12:16]}-{digest[16:20]}-{digest[20:32]}}}"

    @property
    def opened(self) -> list[Address]:
        """The inputs of components that are the mechanism's own inputs, in their order."""
        return [self.built.address(self._instances[instance], name) for instance, name in self.interface.choice.inputs]

    # -- places and references -----------------------------------------------------------------------------------------

    def place_at(self, part: int, reference: int) -> int:
        """Returns the place of a component's variable, whether it is shown or not."""
        return self.members[part].first + self.members[part].fmu.place(reference)

    def reference_at(self, part: int, reference: int) -> int:
        """Returns the reference of a component's variable; 0 if it is not shown."""
        return self._reference_of.get(self.place_at(part, reference), 0)

    def owner(self, variable: Variable) -> str:
        """Returns the component that a variable belongs to."""
        return resolve(variable.name, self._instances)[0]

    def own_place(self, index: int) -> int:
        """Returns the place of one of the mechanism's own variables: those that are shown, then those that count kinks, then the memory
        of loops."""
        return 1 + self.states + index

    @cached_property
    def angles(self) -> list[int]:
        """The places of angles that events may depend on: states, and inputs that drives or importers give."""
        states, drives = watched_angles(self.built)
        found = [self.place_at(part, self.built.parts[part].states[place]) for part, place in states]
        for number in drives:
            address, _ = self.built.drives[number]
            opened = self.opened
            found.append(self.own_place(opened.index(address)) if address in opened else self.place_at(address.part, address.reference))
        return found

    # -- variables -----------------------------------------------------------------------------------------------------

    def _own(self) -> list[Variable]:
        found = []
        for instance, name in self.interface.choice.inputs:
            part = self._instances[instance]
            of = self.built.parts[part].fmu.variables[name]
            start = self._start.get((part, name), of.start if of.start is not None else 0.0)
            text = self._described(instance, of.description)
            found.append(Variable(f"{instance}.{name}", Role.INPUT, of.unit or "", text, float(start)))  # type: ignore[arg-type]
        if self.interface.ls_dae:
            text = "whether the importer solves for the multipliers; otherwise the FMU does"
            found.append(Variable(SWITCH, Role.SWITCH, "", text, False, "boolean"))
        fixed = self.interface.fixed
        if fixed:
            text = "whether Co-Simulation takes steps of fixed size that end on the constraints; otherwise by Dormand and Prince's method"
            found.append(Variable(IMPLICIT, Role.PARAMETER, "", text, True, "boolean"))
            text = "the size of these steps; the last one of a communication step is shortened"
            found.append(Variable(STEP_SIZE, Role.PARAMETER, "s", text, fixed.step_size, range=Range(0.0, open_below=True)))
        elif self.states:
            text = "whether Co-Simulation integrates by an implicit method, for stiff systems; otherwise by Dormand and Prince's"
            found.append(Variable(IMPLICIT, Role.PARAMETER, "", text, self.interface.implicit, "boolean"))
        if self.closes:
            text = "whether the start is closed at initialisation, from its values as guesses; otherwise one that violates constraints is refused"
            found.append(Variable(ASSEMBLE, Role.PARAMETER, "", text, self.interface.assembles, "boolean"))
        return found

    def _described(self, instance: str, text: str) -> str:
        """Returns the description of a variable, with the name of its instance in the system if the FMU uses another name."""
        original = self.interface.originals.get(instance)
        return f"{text}, of '{original}'" if original else text

    @cached_property
    def closes(self) -> bool:
        """Says whether constraints have to vanish at the start."""
        return any(True for _ in constraints_of(self.built))

    def _members(self) -> list[Member]:
        members, first = [], 1 + self.states + self.owns
        again: dict[fmus.Fmu, frozenset[str]] = {}
        for part in self.built.parts:
            if part.fmu not in again:
                again[part.fmu] = _set_by_events(part.fmu)
            count = 1 + max(part.fmu.place(reference) for reference in part.fmu.by_reference)
            indicators = frozenset(u.reference for u in part.fmu.structure.indicators)
            members.append(Member(part.name, part.fmu, first, part.first_state, count, indicators, again[part.fmu]))
            first += count
        return members

    def _variables(self) -> list[Variable]:
        found = [Variable("time", Role.TIME, "s", "time")]
        self._places["time"] = self.own_place(self.owns) + sum(member.count for member in self.members)
        for index, own in enumerate(self.own):
            found.append(own)
            self._places[own.name] = self.own_place(index)
        derivatives: dict[fmus.Fmu, dict[str | None, fmus.FmuVariable]] = {}
        for part, member in enumerate(self.members):
            needed = self._needed(member.fmu)
            opened = {name for instance, name in self.interface.choice.inputs if instance == member.name}
            for of in member.fmu.by_reference.values():
                if of.causality in ("independent", "structuralParameter") or of.derivative is not None:
                    continue
                variable = self._variable(part, member, of)
                self._roles.add(variable.role)
                place = self.place_at(part, of.reference)
                if of.name in opened or self._is_hidden(variable, (member.name, of.name), needed):
                    self.internal.append(place)
                    continue
                if variable.role is Role.PARAMETER and of.causality == "input":
                    self.constants.append(place)
                found.append(variable)
                self._places[variable.name] = place
            if member.fmu not in derivatives:
                derivatives[member.fmu] = {of.derivative: of for of in member.fmu.variables.values()}
            for number, reference in enumerate(member.fmu.states):
                partner = f"{member.name}.{member.fmu.by_reference[reference].name}"
                derivative = derivatives[member.fmu][member.fmu.by_reference[reference].name]
                text = self._described(member.name, derivative.description)
                found.append(Variable(f"der({partner})", Role.DERIVATIVE, derivative.unit or "", text, partner=partner))
                self._places[f"der({partner})"] = 1 + member.first_state + number
        return found

    def _needed(self, fmu: fmus.Fmu) -> set[str | None]:
        """Returns the local variables of a component that states, or multipliers of the importer, refer to."""
        followed = {of.gauge for of in fmu.variables.values()}
        residuals = fmu.dae.structure.residuals if fmu.dae and self.interface.ls_dae else ()
        return followed | {fmu.by_reference[each.reference].name for each in residuals}

    def _is_hidden(self, variable: Variable, name: Name, needed: Set[str | None]) -> bool:
        """Returns whether the FMU does not show a variable of a component."""
        if variable.role is Role.PARAMETER:
            return name not in self.interface.choice.parameters
        local = variable.role in (Role.LOCAL, Role.DISCRETE, Role.RELATION) and name not in self._chosen
        return local and not self.interface.locals_shown and name[1] not in needed

    def _variable(self, part: int, member: Member, of: fmus.FmuVariable) -> Variable:
        role = self._role(member, of)
        own = of.start if not isinstance(of.start, tuple) else None
        start = self._start.get((part, of.name), own)
        if (start is not None and own is not None and start != own and role is not Role.INPUT) or (
            role is Role.LOCAL and of.causality == "input" and start
        ):
            self.starts[self.place_at(part, of.reference)] = float(start)
        text, range_ = _range(of.description, of.minimum, of.maximum)
        calculated = role in (Role.OUTPUT, Role.LOCAL) and is_bounded(of)
        kept = role in (Role.PARAMETER, Role.STATE, Role.DISCRETE, Role.ALGEBRAIC)
        residual = None
        if role is Role.ALGEBRAIC and member.fmu.dae:
            place = member.fmu.dae.algebraic.index(of.reference)
            residual = f"{member.name}.{member.fmu.by_reference[member.fmu.dae.structure.residuals[place].reference].name}"
        return Variable(
            f"{member.name}.{of.name}",
            role,
            of.unit or "",
            self._described(member.name, text),
            start if kept else None,
            of.type,
            Range() if calculated else range_,
            of.nominal,
            role is Role.PARAMETER and (of.variability == "tunable" or of.causality == "input"),
            partner=residual,
            gauge=f"{member.name}.{of.gauge}" if of.gauge else None,
            holds=(_bound(of.minimum), _bound(of.maximum)) if calculated else (None, None),
            beyond=of.beyond,
            elastic=of.elastic,
        )

    def _role(self, member: Member, of: fmus.FmuVariable) -> Role:
        fmu = member.fmu
        if of.causality == "parameter" or (member.name, of.name) in self.interface.choice.constants:
            return Role.PARAMETER
        if of.reference in fmu.states:
            return Role.STATE
        if fmu.dae and of.reference in fmu.dae.algebraic:
            address = self.built.address(self._instances[member.name], of.name)
            return Role.ALGEBRAIC if self.interface.ls_dae and address not in self._driven else Role.LOCAL
        if of.reference in member.indicators:
            return Role.INDICATOR
        if fmu.dae and any(each.mode.name == of.name for each in fmu.dae.switched):
            return Role.RELATION  # chosen inside
        if of.causality == "local" and of.variability == "discrete":
            return Role.RELATION if of.initial == "calculated" else Role.DISCRETE
        return Role.OUTPUT if (member.name, of.name) in self._chosen else Role.LOCAL

    def _ports(self) -> tuple[Port, ...]:
        found = []
        for instance, name in self.interface.choice.ports:
            fmu = self.built.parts[self._instances[instance]].fmu
            terminal = fmu.terminals[name]
            kind = KIND_OF_TERMINAL[terminal.kind]
            gives_motion = fmu.variables[terminal.members[kind.motion[0].name]].causality != "input"
            text = self._described(instance, f"of {fmu.model_name}")
            torque_free = self._torque_free(instance, terminal.torque_free)
            found.append(Port(f"{instance}.{name}", kind, Side.MOTION if gives_motion else Side.EFFORT, text, torque_free))
        return tuple(found)

    def _torque_free(self, instance: str, names: tuple[str, ...] | None) -> tuple[str, ...] | None:
        """Returns those variables among ``names`` that can be set from outside; None if another one is never 0."""
        part, choice = self._instances[instance], self.interface.choice
        fed = {*self.built.schedule.graph.wires, *self._driven}
        settable = [name for name in names or () if (instance, name) in choice.parameters or (instance, name) in choice.inputs]
        for name in [name for name in names or () if name not in settable]:
            start = self._start.get((part, name), self.built.parts[part].fmu.variables[name].start)
            if start or self.built.address(part, name) in fed:
                return None
        return None if names is None else tuple(f"{instance}.{name}" for name in settable)


def _content(drive: Drive) -> list[object]:
    """Returns the data that distinguish one drive from another."""
    return [each.tolist() if isinstance(each, np.ndarray) else each for each in vars(drive).values()]


@cache
def _range(description: str, minimum: float, maximum: float) -> tuple[str, Range]:
    """Returns the description without the range in words, and the range. Only the words say whether a bound is excluded."""
    text, _, words = description.partition("; must be ")
    return text, Range(minimum, maximum, "greater than" in words, "less than" in words)


def _bound(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _set_by_events(fmu: fmus.Fmu) -> frozenset[str]:
    with ZipFile(fmu.path) as archive:
        root = ElementTree.fromstring(archive.read("modelDescription.xml"))
    return frozenset(e.get("name", "") for e in root.iterfind("ModelVariables/*") if e.get("reinit") == "true")


def constraints_of(built: Built) -> Iterator[tuple[int, fmus.Constraint]]:
    """Yields the constraints that must vanish at the start, by component.

    They are those whose multipliers are solved for, except constraints that come and go.
    """
    for number, part in enumerate(built.parts):
        dae = part.fmu.dae
        switched = {each.multiplier for each in dae.switched} if dae else set()
        for each in dae.constraints if dae else ():
            if each.multiplier not in switched and (each.at("position"), each.at("velocity")) != (None, None):
                yield number, each
