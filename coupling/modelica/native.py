"""A system as one Modelica model, whose components are models written from their declarations."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from contextlib import suppress

from coupling.errors import BuildError
from coupling.export.choice import Choice
from coupling.export.export import choice_of, starts_of_inputs
from coupling.fmus import Fmu
from coupling.modelica.formulas import drive_text, number
from coupling.modelica.names import check_unique, title_of, unique_names
from coupling.modelica.refusal import NoText
from coupling.modelica.sheet import Sheet
from coupling.modelica.starts import Start, start_of
from coupling.modelica.values import Values
from coupling.plan.connections import find_end, prescribed, values_between
from coupling.plan.definition import Definition, InstanceDefinition, Name, Value
from coupling.plan.drives import PolynomialDrive
from coupling.plan.instances import component_of
from coupling.plan.rates import drives_of, original_of
from coupling.plan.transformations import UNCHANGED, Affine, on_the_way, transformed_wires
from coupling.simulate import Simulator
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import Declaration, Role
from fmu_components.declare.ports import Port, PortKind
from fmu_components.modelica.connectors import CONNECTORS, Source
from fmu_components.modelica.icons import Point, box_icon
from fmu_components.modelica.model import ModelicaModel, modelica_model
from fmu_components.modelica.names import modelica_name, modelica_string, modelica_unit, modelica_value
from fmu_components.modelica.package import PACKAGE, package_lines, switching
from fmu_components.modelica.tables import modelica_start

_TOLERANCE = 1e-8


def native_text(
    definition: Definition,
    model: str,
    inputs: Sequence[str] | None,
    outputs: Sequence[str] | None,
    initial: str,
    pose: Mapping[str, Value] | None,
) -> str:
    """Returns the text of a system as a model of this name; a system without such a text raises NoText."""
    fmus = {each.name: each.fmu.fmu for each in definition.instances}
    declared = _declared(definition, fmus)
    choice = choice_of(definition, fmus, inputs, [] if outputs is None else outputs, None, False)
    opened = definition.opened(starts_of_inputs(definition, fmus, choice))
    simulator = Simulator(opened)
    try:
        with simulator.standing(pose, initial) as session:
            start = start_of(session, {(each.name, name) for each in definition.instances for name, _ in each.start})
    finally:
        simulator.close()
    return _System(opened, model, fmus, declared, choice, start, outputs or ()).text()


def _declared(definition: Definition, fmus: Mapping[str, Fmu]) -> dict[str, Declaration]:
    """Returns the declarations of all instances; raises NoText for instances without native text."""
    if definition.enforced:
        raise BuildError(
            f"'{definition.enforced[0][0]}' is in force at some times only, by enforce(), and Modelica text has no such joints; leave enforce() out"
        )
    found: dict[str, Declaration] = {}
    named: dict[str, Declaration] = {}
    for instance, fmu in fmus.items():
        component = component_of(fmu)
        if component is None:
            raise NoText(f"'{instance}' ({fmu.model_name}) is no component of this library, whose equations are known")
        found[instance] = declared = declaration(component)
        if (reason := switching(declared)) is not None:
            raise NoText(f"'{instance}' ({declared.name}) has no native Modelica text, since {reason}")
        if named.setdefault(declared.name, declared) is not declared:
            raise NoText(f"'{instance}' has other equations than another component that is called '{declared.name}' too")
    return found


class _System:
    def __init__(
        self,
        definition: Definition,
        model: str,
        fmus: Mapping[str, Fmu],
        declared: Mapping[str, Declaration],
        choice: Choice,
        start: Start,
        outputs: Sequence[str],
    ) -> None:
        self.definition, self.model, self.fmus, self.declared, self.choice, self.start = definition, model, fmus, declared, choice, start
        self.names = unique_names([*fmus, *(".".join(name) for name in (*choice.ports, *choice.inputs))])
        self.models: dict[str, ModelicaModel] = {
            name: modelica_model(each) for name, each in {each.name: each for each in declared.values()}.items()
        }
        self.values = Values(declared, self.models, self.names)
        self.sheet = Sheet(definition, declared)
        self.boundary: list[str] = []
        """Declarations of connectors of the model itself."""
        self.sources: dict[Source, None] = {}
        """Models that give sides of ports from signals."""
        self.connections: list[str] = []
        self.given: dict[Name, list[str]] = {}
        """Terms of each input, which add up."""
        self.joined: set[tuple[str, str]] = set()
        """Ports with a partner."""
        self.rates: set[Name] = set()
        """Inputs with a source of their own that are rates of others."""
        self._connect()
        self._drive()
        self._start()
        self._open()
        asked = self._asked(outputs)
        self.outputs = [self._output(name) for name in choice.outputs if name in asked]
        self._check_rates()

    def text(self) -> str:
        modifiers = {name: self._modifiers(each) for name, each in zip(self.fmus, self.definition.instances, strict=True)}
        acting = self._acting()
        instances = [
            f"{PACKAGE}.{self.declared[name].name} {self.names[name]}{f'({text})' if text else ''} annotation({self.sheet.place(name)})"
            for name, text in modifiers.items()
        ]
        declared = [*self.boundary, *instances, *acting, *self.values.declarations.values()]
        check_unique([re.split(r"[( ]", line.partition(" ")[2])[0] for line in declared])
        title = title_of(self.definition.name, len(self.fmus))
        uses = (
            ', uses(Modelica(version = "4.0.0"))'
            if any("Modelica." in line for each in self.models.values() for line in each.lines)
            else ""
        )
        lines = [
            f"model {self.model}",
            f"  {modelica_string(title)}",
            *(f"  {line}" for line in package_lines(self.models, self.sources)),
            *(f"  {each};" for each in declared),
            "equation",
            *(f"  {each};" for each in (*self.connections, *self.values.equations, *self.outputs)),
            f"  annotation({box_icon(self.definition.name)}, {self.sheet.annotation}, "
            f"experiment(StopTime = 1, Tolerance = {_TOLERANCE}){uses});",
            f"end {self.model};",
        ]
        return "\n".join([*lines, ""])

    # -- connections -----------------------------------------------------------------------------------------------------------------

    def _connect(self) -> None:
        transformed = transformed_wires(self.fmus, self.definition.transformations, self.definition.connections)
        for pair in self.definition.connections:
            a, b = (find_end(text, self.fmus) for text in pair)
            if a.terminal and b.terminal:
                ends = [(end.instance, self._port(end.instance, end.terminal.name)) for end in (a, b) if end.terminal]
                self._join([(self._named(*end), self.sheet.port(end[0], end[1].name)) for end in ends], ends[0][1].kind)
                self.joined |= {(instance, port.name) for instance, port in ends}
                continue
            for source, target, _ in values_between(a, b):
                self._give(target, _transformed(self.values.of(source), on_the_way(self.fmus, source, target, transformed)))

    def _drive(self) -> None:
        for target, drive in drives_of(self.definition, self.fmus).items():
            if not isinstance(drive, PolynomialDrive):
                if prescribed(self.fmus[target[0]], self.fmus[target[0]].variables[target[1]]):
                    raise NoText(f"'{'.'.join(target)}' is an unknown that is driven, for which there is no Modelica text")
                self._give(target, drive_text(".".join(target), drive))

    def _start(self) -> None:
        """Gives start values of efforts at ports that nothing else acts on, and notes those of rates."""
        for each in self.definition.instances:
            for name, value in each.start:
                target, variable = (each.name, name), self.declared[each.name].by_name.get(name)
                if variable is not None and variable.role is Role.INPUT and value:  # an element of an array is a parameter
                    if self._follows(target):
                        self.rates.add(target)
                    elif variable.port and (each.name, variable.port) not in self.joined and target not in self.given:
                        self._give(target, _value(value))

    def _open(self) -> None:
        """Adds connectors of the model for ports and inputs that are opened."""
        members = set()
        for instance, name in self.choice.ports:
            port = self._port(instance, name)
            members |= {(instance, f"{name}.{q.name}") for q in port.kind.given_by(port.side.opposite)}
            own, (place, text) = self.names[f"{instance}.{name}"], self.sheet.at_edge(right=False)
            self.boundary.append(f"{_connector(port.kind)} {own} {modelica_string(port.text)} annotation({text})")
            self._join([(own, place), (self._named(instance, port), self.sheet.port(instance, name))], port.kind)
        for target in (each for each in self.choice.inputs if each not in members and not self._follows(each)):
            variable, own = self.declared[target[0]][target[1]], self.names[".".join(target)]
            unit = modelica_unit(variable.unit)
            _, text = self.sheet.at_edge(right=False)
            self.boundary.append(
                f'{PACKAGE}.Interfaces.RealInput {own}(unit = "{unit}") {modelica_string(variable.text)} annotation({text})'
            )
            self._give(target, own)

    def _output(self, name: Name) -> str:
        """Adds a connector for an output, and returns its equation."""
        value, variable, own = self.values.of(name), self.declared[name[0]][name[1]], modelica_name(".".join(name))
        _, text = self.sheet.at_edge(right=True)
        unit = modelica_unit(variable.unit)
        self.boundary.append(f'{PACKAGE}.Interfaces.RealOutput {own}(unit = "{unit}") {modelica_string(variable.text)} annotation({text})')
        return f"{own} = {value}"

    def _asked(self, outputs: Sequence[str]) -> set[Name]:
        """Returns the outputs that the user named; those of opened ports belong to the connectors."""
        return set(choice_of(self.definition, self.fmus, None, outputs, None, False).outputs)

    def _join(self, ends: Sequence[tuple[str, Point]], kind: PortKind) -> None:
        (a, at), (b, to) = ends
        self.connections.append(f"connect({a}, {b}) annotation({self.sheet.line(at, to, kind.identifier)})")

    def _give(self, target: Name, text: str) -> None:
        """Notes a term of an input; rates follow from their input, and those of a port from its coordinates."""
        instance, name = target
        port = self.declared[instance][name].port
        rate = (
            name.removeprefix(f"{port}.") not in {q.name for q in self._source(instance, port).quantities}
            if port
            else self._follows(target)
        )
        if rate:
            self.rates.add(target)
        else:
            self.given.setdefault(target, []).append(text)

    def _acting(self) -> list[str]:
        """Returns the models that give sides of ports, and connects them."""
        ports: dict[tuple[str, str], list[str]] = {}
        for (instance, name), terms in self.given.items():
            of = self.declared[instance][name].port
            if of is not None:
                ports.setdefault((instance, of), []).append(f"{name.removeprefix(f'{of}.')} = {' + '.join(terms)}")
        found = []
        for (instance, name), terms in ports.items():
            source, port, (place, text) = self._source(instance, name), self._port(instance, name), self.sheet.above()
            own = f"{self.names[instance]}_{modelica_name(name)}_{source.side.value}"
            self.sources[source] = None
            found.append(f"{PACKAGE}.{source.name} {own}({', '.join(terms)}) annotation({text})")
            self._join(
                [(f"{own}.port", (place[0] + 10, place[1])), (self._named(instance, port), self.sheet.port(instance, name))], port.kind
            )
        return found

    def _source(self, instance: str, port: str) -> Source:
        found = self._port(instance, port)
        return Source(found.kind, found.side.opposite)

    # -- instances -------------------------------------------------------------------------------------------------------------------

    def _modifiers(self, instance: InstanceDefinition) -> str:
        declared, found = self.declared[instance.name], {}
        variables, given = self.models[declared.name].variables, dict(instance.start)
        for variable in (each for each in declared.variables if each.name in variables):
            name, target = modelica_name(variable.name), (instance.name, variable.name)
            if variable.role is Role.STATE:
                kept = ", fixed = true" if target in self.start.kept else ""
                found[name] = f"(start = {modelica_value(self.start.values[target])}{kept})"
            elif target in self.given:
                found[name] = f" = {' + '.join(self.given[target])}"
            elif variable.name in given and variable.role in (Role.PARAMETER, Role.INPUT) and not self._follows(target):
                found[name] = f" = {_value(given[variable.name])}"
            elif variable.shape and any(each.startswith(f"{variable.name}[") for each in given):
                found[name] = f" = {modelica_start(variable, {each: float(value) for each, value in given.items()})}"
        return ", ".join(f"{name}{text}" for name, text in found.items())

    def _follows(self, target: Name) -> bool:
        """Says whether an input is the rate of another one, which the compiler differentiates."""
        return original_of(self.fmus[target[0]], target[1]) is not None

    def _check_rates(self) -> None:
        """Refuses a rate of a motion that nothing gives, since the compiler has it as the derivative of the coordinate."""
        for instance, name in self.rates:
            original, port = original_of(self.fmus[instance], name), self.declared[instance][name].port
            if port is not None:
                chain = next(
                    (each for each in self._port(instance, port).kind.chains if name.endswith(tuple(f".{q.name}" for q in each))), ()
                )
                original = f"{port}.{chain[0].name}" if chain else None
            if (instance, original) not in self.given:
                of = (
                    f"'{instance}.{original}', whose rate it is, stands still"
                    if port is None
                    else "the motion of this port cannot be given by variables"
                )
                raise NoText(f"'{instance}.{name}' is given, and {of}")

    def _port(self, instance: str, name: str) -> Port:
        return next(each for each in self.declared[instance].ports if each.name == name)

    def _named(self, instance: str, port: Port) -> str:
        return f"{self.names[instance]}.{modelica_name(port.name)}"


def _connector(kind: PortKind) -> str:
    name = CONNECTORS[kind].name
    return f"{PACKAGE}.{name}" if name.startswith("Interfaces.") else name


def _value(value: Value) -> str:
    if isinstance(value, str):
        with suppress(ValueError):
            return number(float(value))
        return modelica_string(value)
    assert not isinstance(value, bytes)  # no component has binary parameters
    return modelica_value(value)


def _transformed(text: str, affine: Affine) -> str:
    if affine == UNCHANGED:
        return text
    scaled = f"{number(affine.factor)}*{text}" if affine.factor != 1 else text
    return f"({scaled} + {number(affine.offset)})" if affine.offset else scaled
