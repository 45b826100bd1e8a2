"""A component as a Modelica model: constraints of positions as equations, multipliers as unknowns, ports as connectors.

The compiler differentiates the constraints. Stabilisation and the compliant mode have no place here, and are left out.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from itertools import pairwise

import sympy

from fmu_components.declare.declaration import TIME, Declaration, DeclarationError, Role, Variable
from fmu_components.declare.expressions import contains, free_symbols, replaced
from fmu_components.declare.functions import ComposedBase
from fmu_components.declare.ports import SPATIAL, Port, Side
from fmu_components.export.pages.icons import port_positions
from fmu_components.export.pages.markup import prose
from fmu_components.modelica.connectors import CONNECTORS, SPATIAL_EFFORTS
from fmu_components.modelica.expressions import ModelicaPrinter
from fmu_components.modelica.icons import component_icon, placement
from fmu_components.modelica.names import modelica_name, modelica_string, modelica_unit, modelica_value
from fmu_components.modelica.tables import modelica_start

_LEFT_OUT = re.compile(r"(residual|position|velocity|acceleration|multiplier|validity)\[\d+\]|residual|.*\.qdd")
"""Outputs that serve the importer of an FMU, or that would need second derivatives for their own sake."""

_LONG = 100
"""The number of operations from which on an equation is written in parts."""

_AXES = "xyz"
_VECTORS = {"v": "der({port}.r_0)", "a": "der({port}_v)", "omega": "transpose({port}.R.T)*{port}.R.w", "alpha": "der({port}_omega)"}
"""Motion of a spatial port in absolute axes, from its connector."""


@dataclass(frozen=True)
class ModelicaModel:
    """The text of a component, and the names of the component's variables that it declares."""

    lines: tuple[str, ...]
    variables: frozenset[str]


def modelica_model(declared: Declaration) -> ModelicaModel:
    """Returns the model of a component that does not switch."""
    try:
        model = _Model(declared)
        return ModelicaModel(tuple(model.lines()), frozenset(model.declarations))
    except DeclarationError as error:
        raise DeclarationError(f"{declared.name}: {error}") from None


class _Model:
    def __init__(self, declared: Declaration) -> None:
        self.declared = declared
        self.name = modelica_name(declared.name.rpartition(".")[2])
        self.declarations: dict[str, str] = {}
        self.helpers: dict[str, str] = {}
        """Declarations of vectors and of shared parts of equations, which no variable of the component stands for."""
        self.shared: dict[ComposedBase, str] = {}
        self.equations: list[str] = []
        self.pending: list[str] = []
        self.members: dict[str, str] = {}
        self.lower: dict[str, str] = {}
        """The quantity whose time derivative a rate is, by the rate."""
        self.ideal: dict[sympy.Symbol, sympy.Basic] = {v.symbol: sympy.true for v in declared.with_role(Role.SWITCH)}
        self.balances: dict[str, str] = {}
        """The quantity that an unknown without an equation of its own keeps at zero, by the unknown."""
        self.parts: dict[sympy.Symbol, sympy.Basic] = {}
        self.compact: dict[str, sympy.Basic] = {}
        """Long equations in terms of their common parts."""
        self.printer = ModelicaPrinter(self._reference, self._share)
        for port in declared.ports:
            self._name_members(port)
        self._name_rates()
        self._name_unknowns()
        self._find_parts()

    def lines(self) -> list[str]:
        for state in self.declared.with_role(Role.STATE):
            self._want(state.name)
        for each in self.declared.with_role(Role.DERIVATIVE):
            self.equations.append(f"der({modelica_name(each.partner or '')}) = {self._text(each)}")
        for port in self.declared.ports:
            self._connect(port)
        for name in self.balances:
            self._want(name)
        for output in self.declared.with_role(Role.OUTPUT):
            if not output.port and not _LEFT_OUT.fullmatch(output.name) and not self._needs_rates(output):
                self._want(output.name)
        checks = list(self._checks())
        while self.pending:
            self._define(self.declared[self.pending.pop(0)])
        self._refuse_clashes()
        places = port_positions(self.declared)
        ports = [
            f"{CONNECTORS[port.kind].name} {modelica_name(port.name)} {modelica_string(port.text)} "
            f"annotation({placement((100 * places[port.name][0], 100 * places[port.name][1]))})"
            for port in self.declared.ports
        ]
        placed = [self.declarations[v.name] for v in self.declared.variables if v.name in self.declarations]
        paragraphs = "".join(f"<p>{prose(each)}</p>" for each in self.declared.description.split("\n\n"))
        return [
            f"model {self.name}",
            f"  {modelica_string(self.declared.title)}",
            *(f"  {each};" for each in (*ports, *placed, *self.helpers.values())),
            *(["initial equation", *(f"  {each};" for each in checks)] if checks else []),
            "equation",
            *(f"  {each};" for each in self.equations),
            f"  annotation({component_icon(self.declared)}, Documentation(info = {modelica_string(f'<html>{paragraphs}</html>')}));",
            f"end {self.name};",
        ]

    # -- names -------------------------------------------------------------------------------------------------------

    def _name_members(self, port: Port) -> None:
        connector, name = CONNECTORS[port.kind], modelica_name(port.name)
        flow = "{}.{}" if port.side is Side.MOTION else "(-{}.{})"  # a flow enters the component, an effort acts on the side that moves
        self.members |= {f"{port.name}.{q}": f"{name}.{member}" for q, member in connector.potentials.items()}
        self.members |= {f"{port.name}.{q}": flow.format(name, member) for q, member in connector.flows.items()}
        if port.kind is SPATIAL:
            self.members |= {f"{port.name}.{axis}": f"{name}.r_0[{i}]" for i, axis in enumerate(_AXES, 1)}
            self.members |= {f"{port.name}.R{i}{k}": f"{name}.R.T[{k}, {i}]" for i in (1, 2, 3) for k in (1, 2, 3)}

    def _name_rates(self) -> None:
        for port in self.declared.ports:
            if port.kind is not SPATIAL:
                pairs = [pair for chain in port.kind.chains for pair in pairwise(chain)]
                self.lower |= {f"{port.name}.{high.name}": f"{port.name}.{low.name}" for low, high in pairs}
        for signal in self.declared.with_role(Role.INPUT):
            chain = [signal.name, f"{signal.name}.rate", f"{signal.name}.acceleration"]
            self.lower |= {high: low for low, high in pairwise(chain) if not signal.port and high in self.declared.by_name}

    def _name_unknowns(self) -> None:
        """The multiplier in effect stands for the one that an importer gives; it keeps the constraint at its lowest level."""
        for unknown in self.declared.with_role(Role.ALGEBRAIC):
            name, residual = unknown.name, unknown.partner or ""
            number = name.removeprefix("lambda")
            multiplier = self.declared.by_name.get(f"multiplier{number}")
            if multiplier is not None and multiplier.equation is not None and self._ideal(multiplier.equation) == unknown.symbol:
                level = next(f"{each}{number}" for each in ("position", "velocity") if f"{each}{number}" in self.declared.by_name)
                self.ideal[unknown.symbol] = multiplier.symbol
                self.balances[multiplier.name] = level
            else:
                self.balances[name] = residual

    def _find_parts(self) -> None:
        """Wrenches of blocks repeat the inertia forces of their bodies: common parts make such equations short."""
        moving = {port.name for port in self.declared.ports if port.side is Side.MOTION}
        long = {
            v.name: self._ideal(v.equation)
            for v in self.declared.with_role(Role.OUTPUT, Role.LOCAL)
            if v.equation is not None and v.port not in moving and not _LEFT_OUT.fullmatch(v.name)
        }
        long = {name: each for name, each in long.items() if not contains(each, sympy.Piecewise) and each.count_ops() > _LONG}
        parts, rest = sympy.cse(list(long.values()), sympy.numbered_symbols("part_", start=1, real=True), order="none")
        self.parts, self.compact = dict(parts), dict(zip(long, rest, strict=True))

    def _ideal(self, expression: sympy.Basic) -> sympy.Basic:
        return replaced(expression, self.ideal)

    def _reference(self, symbol: sympy.Symbol) -> str:
        name = str(symbol)
        if symbol == TIME:
            return "time"
        if name in self.members:
            return self.members[name]
        if symbol in self.parts:
            if name not in self.helpers:
                self.helpers[name] = f"Real {name}"
                self.equations.append(f"{name} = {self.printer.doprint(self.parts[symbol])}")
            return name
        variable = self.declared[name]
        if variable.port and name not in self.lower:
            return self._component(name)
        if variable.role is Role.DERIVATIVE:
            return f"der({modelica_name(variable.partner or '')})"
        self._want(name)
        return modelica_name(name)

    def _component(self, name: str) -> str:
        """A component of a vector of a spatial port."""
        port, _, quantity = name.rpartition(".")
        self._vector(next(each for each in self.declared.ports if each.name == port), quantity[:-1])
        return f"{modelica_name(port)}_{quantity[:-1]}[{_AXES.index(quantity[-1]) + 1}]"

    def _vector(self, port: Port, kind: str) -> None:
        name = modelica_name(port.name)
        vector = f"{name}_{kind}"
        if vector in self.helpers:
            return
        unit = self.declared[f"{port.name}.{kind}x"].unit
        self.helpers[vector] = f'Real {vector}[3](each unit = "{modelica_unit(unit)}")'
        if kind in SPATIAL_EFFORTS and port.side is Side.MOTION:
            self.equations.append(f"{vector} = transpose({name}.R.T)*{name}.{SPATIAL_EFFORTS[kind]}")
        elif kind in _VECTORS and not (kind == "omega" and port.side is Side.MOTION):
            if kind in ("a", "alpha"):
                self._vector(port, {"a": "v", "alpha": "omega"}[kind])
            self.equations.append(f"{vector} = {_VECTORS[kind].format(port=name)}")

    def _share(self, part: ComposedBase) -> str:
        """Returns the variable of a long formula, which is written once."""
        if part not in self.shared:
            name = self.shared[part] = f"shared_{len(self.shared) + 1}"
            self.helpers[name] = f"Real {name}"
            self.equations.append(f"{name} = {self.printer.doprint(part.formula)}")
        return self.shared[part]

    def _followed(self, signal: Variable) -> str:
        """Returns a variable that equals an input, since some compilers differentiate no input itself."""
        name = f"{modelica_name(signal.name)}_followed"
        self.helpers[name] = f'Real {name}(unit = "{modelica_unit(signal.unit)}")'
        self.equations.append(f"{name} = {self._reference(signal.symbol)}")
        return name

    def _want(self, name: str) -> None:
        if name not in self.declarations:
            self.declarations[name] = ""
            self.pending.append(name)

    def _needs_rates(self, output: Variable) -> bool:
        """Returns whether an output needs the rate of a signal. An output alone is no reason to differentiate what a user connects."""
        signals = {self.declared[high].symbol for high, low in self.lower.items() if not self.declared[low].port}
        return bool(signals) and not signals.isdisjoint(free_symbols(self.declared.expand(output.symbol)))

    # -- equations ---------------------------------------------------------------------------------------------------

    def _text(self, variable: Variable, sign: int = 1) -> str:
        assert variable.equation is not None
        return str(self.printer.doprint(sign * self.compact.get(variable.name, self._ideal(variable.equation))))

    def _define(self, variable: Variable) -> None:
        """Declares a variable, and writes the equation that it brings along."""
        name = modelica_name(variable.name)
        self.declarations[variable.name] = _declaration(variable, self.declared, variable.name in self.lower)
        if variable.name in self.lower:
            low = self.declared[self.lower[variable.name]]
            signal = not low.port and low.name not in self.lower
            self.equations.append(f"{name} = der({self._followed(low) if signal else self._reference(low.symbol)})")
        elif variable.name in self.balances:
            self.equations.append(f"0 = {self._text(self.declared[self.balances[variable.name]])}")
        elif variable.equation is not None:
            self.equations.append(f"{name} = {self._text(variable)}")

    def _connect(self, port: Port) -> None:
        connector, name = CONNECTORS[port.kind], modelica_name(port.name)
        if port.kind is SPATIAL:
            self._connect_frame(port, name)
        elif port.side is Side.MOTION:
            self.equations += [f"{name}.{m} = {self._text(self.declared[f'{port.name}.{q}'])}" for q, m in connector.potentials.items()]
        else:
            self.equations += [f"{name}.{m} = {self._text(self.declared[f'{port.name}.{q}'], -1)}" for q, m in connector.flows.items()]

    def _connect_frame(self, port: Port, name: str) -> None:
        def vector(kind: str) -> str:
            return f"{{{', '.join(self._text(self.declared[f'{port.name}.{kind}{axis}']) for axis in _AXES)}}}"

        if port.side is Side.EFFORT:
            for kind, member in SPATIAL_EFFORTS.items():
                self._vector(port, kind)
                self.equations += [f"{name}_{kind} = {vector(kind)}", f"{name}.{member} = -{name}.R.T*{name}_{kind}"]
            return
        first = next(each for each in self.declared.ports if each.kind is SPATIAL and each.side is Side.MOTION)
        tree = f"root({name}.R)" if port is first else f"branch({modelica_name(first.name)}.R, {name}.R)"
        rows = "; ".join(", ".join(self._text(self.declared[f"{port.name}.R{i}{k}"]) for k in (1, 2, 3)) for i in (1, 2, 3))
        self._vector(port, "omega")
        self.equations += [
            f"Connections.{tree}",
            f"{name}.r_0 = {vector('')}",
            f"{name}.R.T = transpose([{rows}])",
            f"{name}_omega = {vector('omega')}",
            f"{name}.R.w = {name}.R.T*{name}_omega",
        ]

    def _checks(self) -> Iterable[str]:
        for condition in self.declared.conditions:
            expression = self._ideal(condition.expression)
            if not expression.is_number:
                level = ", AssertionLevel.warning" if condition.advisory else ""
                text = f"{self.name}: it is {'expected' if condition.advisory else 'required'} that {condition.text}"
                yield f"assert({self.printer.doprint(expression)} > 0, {modelica_string(text)}{level})"

    def _refuse_clashes(self) -> None:
        names = [modelica_name(name) for name in (*self.declarations, *(port.name for port in self.declared.ports))] + list(self.helpers)
        for name in names:
            if names.count(name) > 1:
                raise DeclarationError(f"two of its variables are called '{name}' in Modelica; rename one of them")


def _declaration(variable: Variable, declared: Declaration, derived: bool) -> str:
    kind = "Boolean" if variable.type == "boolean" else "Real"
    each = "each " if variable.shape else ""
    attributes = [f'{each}unit = "{modelica_unit(variable.unit)}"'] if kind == "Real" and modelica_unit(variable.unit) else []
    prefix, value = "", ""
    text = variable.text
    if variable.role is Role.PARAMETER:
        prefix, value = "parameter ", f" = {modelica_start(variable)}"
        bounds = (("min", variable.range.minimum), ("max", variable.range.maximum))
        attributes += [f"{each}{word} = {modelica_value(bound)}" for word, bound in bounds if abs(bound) < float("inf")]
        text += f" ({variable.range})" if variable.range.open_below or variable.range.open_above else ""
    elif variable.role is Role.INPUT and not derived:
        prefix, value = "input ", f" = {modelica_value(variable.start)}"
    elif variable.role is Role.OUTPUT and not _LEFT_OUT.fullmatch(variable.name) and not variable.port:
        prefix = "output "
    elif variable.role is Role.STATE:
        attributes.append(f"start = {modelica_value(variable.start)}")
        # Nothing outside can determine such a state; elsewhere the user says which of the start values are to be kept.
        if variable.gauge is not None or not declared.ports:
            attributes.append("fixed = true")
    sizes = f"[{', '.join(map(str, variable.shape))}]" if variable.shape else ""
    return f"{prefix}{kind} {modelica_name(variable.name)}{sizes}{_attributes(attributes)}{value} {modelica_string(text)}"


def _attributes(attributes: Sequence[str]) -> str:
    return f"({', '.join(attributes)})" if attributes else ""
