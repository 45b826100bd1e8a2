"""Variables of a system as expressions of its states, parameters, inputs, accelerations and multipliers, named as in the FMUs."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np
import sympy

from coupling.errors import AnalysisError
from coupling.plan.build import Built
from coupling.plan.drives import SplineDrive, TableDrive
from coupling.plan.graph import Address, type_code
from coupling.plan.instances import component_of
from fmu_components.declare.component import Component, declaration
from fmu_components.declare.declaration import Declaration, Role, Variable
from fmu_components.declare.expressions import replaced, symbols_of
from fmu_components.declare.ports import SPATIAL

MOST_IN_SPACE = 6
"""Largest number of bodies in space; with more of them the expressions are too long to read."""
ENERGY = "energy.kinetic"
"""Output that every body has."""
_ATTITUDE = re.compile(r"(.*\.)?R[123][123]")
"""Entries of rotation matrices, which keep their names."""
_EVENTS = (Role.DISCRETE, Role.DISCRETE_INPUT, Role.RELATION)


@dataclass
class ComposedPart:
    """An instance: its declaration, and a component by which its expressions are differentiated."""

    name: str
    declared: Declaration
    component: Component
    ideal: bool
    """True if multipliers and accelerations are given from outside."""
    states: tuple[str, ...]
    start: dict[str, float | bool]
    values: dict[str, sympy.Basic] = field(default_factory=dict)
    accelerated: set[str] = field(default_factory=set)
    """Velocities whose derivatives are unknowns."""

    def symbol(self, variable: str) -> sympy.Symbol:
        return sympy.Symbol(f"{self.name}.{variable}", real=True)

    @cached_property
    def mode(self) -> dict[sympy.Symbol, sympy.Basic]:
        """The switch between modes, with its value."""
        return {variable.symbol: sympy.true if self.ideal else sympy.false for variable in self.declared.with_role(Role.SWITCH)}

    @cached_property
    def unknowns(self) -> dict[str, str]:
        """Names of velocities by the unknowns that are their derivatives, such as ``qd`` by ``qdd`` of a block."""
        given = {variable.symbol for variable in self.declared.with_role(Role.ALGEBRAIC)}
        found = {}
        for variable in self.declared.with_role(Role.DERIVATIVE) if self.ideal else ():
            rate = replaced(self.declared.expand(variable.symbol), self.mode)
            if rate in given:
                found[str(rate)] = str(variable.partner)
        return found


class Composed:
    """A built system whose variables are asked for by instance and name."""

    def __init__(self, built: Built) -> None:
        self.built, self.wiring = built, built.schedule.graph
        self.parts = [self._part(number) for number in range(len(built.parts))]
        self.constants: dict[sympy.Symbol, float] = {}
        """Values of parameters, and of inputs that keep a value."""
        self.arrays: dict[sympy.Symbol, np.ndarray] = {}
        """Numbers of array parameters, row by row."""
        self.inputs: dict[sympy.Symbol, None] = {}
        """Inputs that are driven."""
        self.definitions: dict[sympy.Symbol, sympy.Expr] = {}
        """Entries of rotation matrices by their names, each after those that it contains."""
        self._check_size()

    def _part(self, number: int) -> ComposedPart:
        part = self.built.parts[number]
        component = component_of(part.fmu)
        if component is None:
            raise AnalysisError(
                f"equations: '{part.name}' is an FMU of {part.fmu.generation_tool or 'an unnamed tool'}, whose equations are not known"
            )
        declared = declaration(component)
        if part.stepped:
            raise AnalysisError(f"equations: '{part.name}' runs in Co-Simulation, which hides its equations; give it the kind 'me'")
        if declared.events or declared.switched or declared.with_role(*_EVENTS):
            raise AnalysisError(f"equations: '{part.name}' ({declared.name}) changes at events; only equations without events are given")
        if number in self.built.enforced:
            raise AnalysisError(f"equations: '{part.name}' is in force in intervals only; its constraints come and go at events")
        if declared.name.startswith("signal.Table"):
            raise AnalysisError(f"equations: '{part.name}' ({declared.name}) is a table; only formulas are given")
        instance = component()
        instance.declare()
        states = tuple(part.fmu.by_reference[reference].name for reference in part.states)
        return ComposedPart(part.name, declared, instance, part.dae is not None, states, dict(self.built.start[number]))  # type: ignore[arg-type]

    def _check_size(self) -> None:
        for address, drive in self.built.drives:
            if isinstance(drive, TableDrive | SplineDrive):
                raise AnalysisError(f"equations: '{self.built.named(address.part, address.reference)}' is driven by a table")
        in_space = [
            each.name
            for each in self.parts
            if ENERGY in each.declared.by_name and any(port.kind is SPATIAL for port in each.declared.ports)
        ]
        if len(in_space) > MOST_IN_SPACE:
            raise AnalysisError(
                f"equations: the system has {len(in_space)} bodies in space, such as '{in_space[-1]}'; at most {MOST_IN_SPACE} are allowed"
            )

    # -- values ------------------------------------------------------------------------------------------------------

    def value(self, part: int, name: str) -> sympy.Basic:
        """Returns a variable."""
        own = self.parts[part]
        if name not in own.values:
            own.values[name] = self._value(part, own.declared[name])
        return own.values[name]

    def expression(self, part: int, expression: sympy.Basic) -> sympy.Basic:
        """Returns an expression of variables of an instance."""
        chosen = replaced(expression, self.parts[part].mode)
        return replaced(chosen, {symbol: self.value(part, str(symbol)) for symbol in symbols_of(chosen)})

    def _value(self, part: int, variable: Variable) -> sympy.Basic:
        own, name = self.parts[part], variable.name
        if variable.role is Role.DERIVATIVE and variable.partner in own.accelerated:
            return own.symbol(name)
        if variable.equation is not None:
            found = self.expression(part, variable.equation)
            return self._named(own.symbol(name), found) if _ATTITUDE.fullmatch(name) else found
        if variable.role in (Role.STATE, Role.TIME, Role.ALGEBRAIC):
            return own.symbol(name) if variable.role is not Role.TIME else sympy.Symbol("time", real=True)
        return self._input(part, variable) if variable.role is Role.INPUT else self._constant(own, variable)

    def _named(self, symbol: sympy.Symbol, found: sympy.Basic) -> sympy.Basic:
        if found.is_Atom or (-found).is_Atom:
            return found
        self.definitions[symbol] = found
        return symbol

    def _input(self, part: int, variable: Variable) -> sympy.Basic:
        """Returns the sum of the sources of an input."""
        address = self._address(part, variable.name)
        if address in self.wiring.drives:
            symbol = self.parts[part].symbol(variable.name)
            self.inputs[symbol] = None
            return symbol
        if address not in self.wiring.wires:
            return self._constant(self.parts[part], variable)
        total = sympy.Integer(0)
        for source in self.wiring.wires[address]:
            fmu = self.built.parts[source.part].fmu
            if fmu.factor(source.reference) != 1:
                name = self.built.named(source.part, source.reference)
                raise AnalysisError(
                    f"equations: '{name}' is converted on its way to '{self.parts[part].name}'; connect it without conversion"
                )
            total += self.value(source.part, fmu.by_reference[fmu.own(source.reference)].name)
        return total

    def _address(self, part: int, name: str) -> Address:
        """Returns the address of an input, by which it is connected or driven."""
        fmu = self.built.parts[part].fmu
        variable = fmu.variables[name]
        seen = [Address(part, type_code(variable, fmu.version), fmu.seen(variable, base)) for base in (False, True)]
        return next((each for each in seen if each in self.wiring.wires or each in self.wiring.drives), seen[0])

    def _constant(self, own: ComposedPart, variable: Variable) -> sympy.Basic:
        """Returns a parameter, or an input that keeps its value: a number where it is 0 or a direction, else a symbol."""
        if variable.shape:
            symbol = own.symbol(variable.name)
            self.arrays[symbol] = np.array([own.start.get(each.name, each.start) for each in variable.scalars], dtype=float)
            return symbol
        value = own.start.get(variable.name, variable.start)
        if variable.type != "real":
            return sympy.S.true if value is True else sympy.S.false if value is False else sympy.Integer(int(value or 0))
        number = float(value or 0.0)
        if number == 0 or not variable.unit:
            return sympy.Integer(int(number)) if number == int(number) else sympy.Float(number)
        symbol = own.symbol(variable.name)
        self.constants[symbol] = number
        return symbol
