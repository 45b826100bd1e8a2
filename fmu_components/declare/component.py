"""Base class of components, which declare themselves.

A component is a subclass of :class:`Component` whose ``declare`` method states parameters, states, ports, equations, events and validity
conditions. ``declaration(cls)`` runs it once and returns an immutable :class:`Declaration`.
"""

from __future__ import annotations

import inspect
import math
import re
import traceback
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any, ClassVar

import sympy

from fmu_components.declare import units
from fmu_components.declare.checks import check
from fmu_components.declare.declaration import (
    TIME,
    TIME_NAMES,
    Condition,
    Declaration,
    DeclarationError,
    Event,
    Range,
    Role,
    Switched,
    Trigger,
    Variable,
    falls,
    reaches,
    rises,
    type_of,
)
from fmu_components.declare.differentiate import TimeDerivative
from fmu_components.declare.expressions import derivative, symbols_of
from fmu_components.declare.icon import Drawing
from fmu_components.declare.picture import Picture
from fmu_components.declare.ports import KINDS, Port, PortKind, Side, make_port
from fmu_components.declare.tabled.word import Tabled

__all__ = ["TIME", "Component", "component_name", "declaration", "falls", "reaches", "rises"]

_NAME = r"[A-Za-z_]\w*(\[\d+(,\d+)*\])?"
_STRUCTURED = re.compile(rf"{_NAME}(\.{_NAME})*|der\({_NAME}(\.{_NAME})*\)", re.ASCII)


@dataclass
class _Draft:
    """The declaration while it is being written."""

    variables: dict[str, Variable] = field(default_factory=dict)
    ports: list[Port] = field(default_factory=list)
    events: list[Event] = field(default_factory=list)
    conditions: list[Condition] = field(default_factory=list)
    switched: list[Switched] = field(default_factory=list)
    rates: dict[sympy.Symbol, sympy.Expr] = field(default_factory=lambda: {TIME: sympy.Integer(1)})


Bounds = tuple[float | None, float | None]


class Component(Tabled):
    """Base of all components: subclass it, write a docstring, and state the mathematics in ``declare``.

    The first line of the docstring is the component's title. The class attribute ``drawing`` is its icon, ``picture`` its appearance in a
    mechanism, ``stop_time`` the length of its default experiment in seconds. Methods that declare a quantity return its symbol. They take
    its ``name``, its ``start`` value, its ``unit`` ("" for a number) and a ``text`` for documentation. ``equation`` is its SymPy
    expression, and ``nominal`` its usual size in this unit. ``holds`` are its least and greatest valid value, each of which may be None; a
    run outside of them continues with a warning. Wrong names, units and values raise DeclarationError.
    """

    drawing: ClassVar[Drawing] = Drawing()
    picture: ClassVar[Picture | None] = None
    resources: ClassVar[tuple[tuple[str, bytes], ...]] = ()
    stop_time: ClassVar[float] = 1.0

    def __init__(self) -> None:
        self._draft = _Draft()

    def symbol(self) -> Picture | None:
        """Returns the picture of a component that states none; None for the default."""
        return None

    def declare(self) -> None:
        """Declares variables, ports and equations. Each component overrides it."""
        raise DeclarationError(f"{type(self).__name__} declares nothing; give it a method declare(self) that states its equations")

    # -- variables -----------------------------------------------------------------------------------------------

    def parameter(
        self,
        name: str,
        start: float,
        unit: str,
        text: str,
        *,
        above: float | None = None,
        at_least: float | None = None,
        below: float | None = None,
        at_most: float | None = None,
        nominal: float = 1.0,
        fixed: bool = False,
        otherwise: str = "",
    ) -> sympy.Symbol:
        """Declares a number that the user chooses. In its unit, ``above`` and ``below`` exclude the bound, ``at_least`` and
        ``at_most`` include it.

        It can be changed between steps and at events, unless it is ``fixed``. ``otherwise`` gives the remedy for values that are refused.
        """
        valid = Range(
            -math.inf if above is None and at_least is None else float(above if above is not None else at_least),  # type: ignore[arg-type]
            math.inf if below is None and at_most is None else float(below if below is not None else at_most),  # type: ignore[arg-type]
            above is not None,
            below is not None,
            otherwise,
        )
        if start not in valid:
            raise DeclarationError(f"{self._name}: the parameter '{name}' starts at {start:g}, but must be {valid}; change its start value")
        return self._add(Variable(name, Role.PARAMETER, unit, text, float(start), range=valid, nominal=nominal, tunable=not fixed))

    def option(self, name: str, start: bool, text: str) -> sympy.Symbol:
        """Declares a Boolean parameter, chosen before initialisation.

        The option ``solver.implicit`` chooses the implicit method of integration inside Co-Simulation steps, for stiff models.
        """
        return self._add(Variable(name, Role.PARAMETER, "", text, bool(start), type="boolean"))

    def switch(self, name: str, start: bool, text: str) -> sympy.Symbol:
        """Declares a Boolean that is chosen before initialisation and also selects a set of unknowns."""
        return self._add(Variable(name, Role.SWITCH, "", text, start, type="boolean"))

    def state(
        self,
        name: str,
        start: float,
        unit: str,
        text: str,
        *,
        nominal: float = 1.0,
        gauge: str | None = None,
        holds: Bounds = (None, None),
        elastic: bool = False,
    ) -> sympy.Symbol:
        """Declares a continuous state; give its derivative with ``rate``.

        A ``gauge`` state follows the output of that name and chooses between equivalent values, such as angles that differ by whole turns.
        No equation uses it: its errors do not count, and it is no coordinate of the system. An ``elastic`` state is an amplitude of
        deformation, or its rate, which assembly holds.
        """
        return self._add(Variable(name, Role.STATE, unit, text, float(start), nominal=nominal, gauge=gauge, holds=holds, elastic=elastic))

    def rate(self, state: sympy.Symbol, derivative: sympy.Expr) -> None:
        """Gives the time derivative of a ``state``: ``derivative`` is an expression in the unit of the state per second."""
        variable = self._draft.variables.get(str(state))
        if variable is None or variable.role is not Role.STATE:
            raise DeclarationError(f"{self._name}: rate() was given '{state}', which is not a state; declare it with state() first")
        unit = units.rate_unit(variable.unit)
        der = self._add(
            Variable(
                f"der({state})",
                Role.DERIVATIVE,
                unit,
                f"time derivative of {state}",
                nominal=variable.nominal,
                equation=sympy.sympify(derivative),
                partner=variable.name,
            )
        )
        self._draft.rates[state] = derivative if isinstance(derivative, sympy.Symbol) else der

    def discrete(self, name: str, start: float | int | bool, unit: str, text: str) -> sympy.Symbol:
        """Declares a state that changes at events only; Boolean, integer or real as its start value is."""
        return self._add(Variable(name, Role.DISCRETE, unit, text, start, type=type_of(start)))

    def input(self, name: str, start: float, unit: str, text: str, *, order: int = 3) -> sympy.Symbol:
        """Declares an input. ``order`` is its level: 0 for a position, 1 for a velocity, 2 for an acceleration, 3 for any other."""
        return self._add(Variable(name, Role.INPUT, unit, text, float(start), order=order))

    def command(self, name: str, start: bool | int, text: str) -> sympy.Symbol:
        """Declares a Boolean or integer input, as its start value is; it changes at events and between steps only."""
        if type_of(start) == "real":
            raise DeclarationError(
                f"{self._name}: the command '{name}' starts at {start!r}; give True, False or a whole number, or declare it with input()"
            )
        return self._add(Variable(name, Role.DISCRETE_INPUT, "", text, start, type=type_of(start)))

    def signal(self, name: str, unit: str, text: str, *, rates: int = 1) -> sympy.Symbol:
        """Declares an input with its time derivatives ``<name>.rate`` and ``<name>.acceleration``; therefore D applies to it.

        ``rates`` is the number of derivatives: 1 for a velocity, 2 for a position.
        """
        level = 2 - rates
        value = self.input(name, 0.0, unit, text, order=level)
        for order, (suffix, words) in enumerate(
            (("rate", "time derivative"), ("acceleration", "second time derivative"))[:rates], level + 1
        ):
            unit = units.rate_unit(unit)
            self._draft.rates[value] = value = self.input(f"{name}.{suffix}", 0.0, unit, f"{words} of {name}", order=order)
        return self[name]

    def output(
        self,
        name: str,
        equation: sympy.Basic,
        unit: str,
        text: str,
        *,
        nominal: float = 1.0,
        holds: Bounds = (None, None),
        beyond: str = "",
    ) -> sympy.Symbol:
        """Declares an output, which other components may use. ``beyond`` is the sentence for values above those that it ``holds``."""
        return self._calculated(Role.OUTPUT, name, equation, unit, text, nominal=nominal, holds=holds, beyond=beyond)

    def coordinate(self, name: str, equation: sympy.Expr, unit: str, text: str) -> sympy.Symbol:
        """Declares a quantity with its rates as the outputs ``<name>.q``, ``.qd`` and ``.qdd``; D then takes it as a whole."""
        q = self.output(f"{name}.q", equation, unit, text)
        rate = self.D(sympy.sympify(equation))
        qd = self.output(f"{name}.qd", rate, units.rate_unit(unit), f"rate of {name}.q")
        qdd = self.output(f"{name}.qdd", self.D(rate), units.rate_unit(units.rate_unit(unit)), f"second derivative of {name}.q")
        self._draft.rates |= {q: qd, qd: qdd}
        return q

    def local(
        self,
        name: str,
        equation: sympy.Basic,
        unit: str,
        text: str,
        *,
        nominal: float = 1.0,
        rate: sympy.Expr | None = None,
        holds: Bounds = (None, None),
    ) -> sympy.Symbol:
        """Declares a quantity that is shown but not connected, or that shortens other equations. With its ``rate`` D applies to it."""
        symbol = self._calculated(Role.LOCAL, name, equation, unit, text, nominal=nominal, holds=holds)
        if rate is not None:
            self._draft.rates[symbol] = rate
        return symbol

    def _calculated(self, role: Role, name: str, equation: sympy.Basic, unit: str, text: str, **more: Any) -> sympy.Symbol:
        return self._add(Variable(name, role, unit, text, equation=sympy.sympify(equation), **more))

    # -- ports ---------------------------------------------------------------------------------------------------

    def port(
        self, name: str, kind: PortKind, gives: Side, text: str, starts: Mapping[str, float] | None = None, *, torque_free: bool = False
    ) -> Any:
        """Declares a port, which ``gives`` motion or effort; ``kind`` is PLANAR, SPATIAL and so on. Returns it, with its variables as
        attributes.

        The variables of the other side become inputs. They begin at ``starts`` in their units, or at 0, a rotation matrix at 1. A port that gives motion
        and is ``torque_free`` is a point without rotation: joints that would give it torque are refused.
        """
        if kind not in KINDS:
            raise DeclarationError(
                f"{self._name}: the port '{name}' has the unknown kind {kind!r}; use one of {', '.join(k.name for k in KINDS)}"
            )
        port = make_port(name, kind, gives, text, () if torque_free else None)
        self._draft.ports.append(port)
        for quantity in kind.given_by(gives.opposite):
            order = quantity.order if gives is Side.EFFORT else 3
            self._add(
                Variable(
                    f"{name}.{quantity.name}",
                    Role.INPUT,
                    quantity.unit,
                    f"{quantity.text} ({name})",
                    float((starts or {}).get(quantity.name, quantity.start)),
                    order=order,
                    port=name,
                )
            )
        if gives is Side.EFFORT:
            self._draft.rates.update(port.rates)
        return port

    def moves(self, port: Any, *coordinates: sympy.Expr) -> None:
        """Gives the motion of a ``port`` by its ``coordinates``, from which the operator D derives the rates.

        A spatial frame takes three coordinates, three angular velocities and the rotation matrix, row by row.
        """
        kind = port.kind
        self._check_count("moves", port, len(coordinates), len(kind.chains) + len(kind.attitude), "coordinates")
        for chain, coordinate in zip((*kind.chains, *((q,) for q in kind.attitude)), coordinates, strict=True):
            value = sympy.sympify(coordinate)
            for quantity in chain:
                self._give(port, quantity, value)
                value = self.D(value) if quantity is not chain[-1] else value

    def gives(self, port: Any, *efforts: sympy.Expr) -> None:
        """Gives the ``efforts`` of a ``port``, in the order and units of its kind."""
        self._check_count("gives", port, len(efforts), len(port.kind.effort), "efforts")
        for quantity, effort in zip(port.kind.effort, efforts, strict=True):
            self._give(port, quantity, sympy.sympify(effort))

    def _check_count(self, call: str, port: Any, given: int, needed: int, what: str) -> None:
        right = Side.MOTION if call == "moves" else Side.EFFORT
        if port.side is not right:
            raise DeclarationError(
                f"{self._name}: {call}() is for ports that give {right.value}, but '{port.name}' gives {port.side.value}"
            )
        if given != needed:
            raise DeclarationError(
                f"{self._name}: {call}({port.name}, ...) needs {needed} {what} for a {port.kind.name}, but was given {given}"
            )

    def _give(self, port: Any, quantity: Any, equation: sympy.Expr) -> None:
        self._add(
            Variable(
                f"{port.name}.{quantity.name}",
                Role.OUTPUT,
                quantity.unit,
                f"{quantity.text} ({port.name})",
                equation=equation,
                port=port.name,
            )
        )

    def __getitem__(self, name: str) -> sympy.Symbol:
        """The symbol of a variable that is declared already."""
        return self._draft.variables[name].symbol

    # -- events and validity -------------------------------------------------------------------------------------

    def relation(self, name: str, expression: sympy.Expr, text: str) -> sympy.Symbol:
        """Declares a Boolean that is true while ``expression`` is positive; it changes at events only, which are located."""
        self._add(Variable(f"{name}.indicator", Role.INDICATOR, self._unit_of(expression), f"positive while {name}", equation=expression))
        return self._add(Variable(name, Role.RELATION, "", text, None, type="boolean", partner=f"{name}.indicator"))

    def when(self, trigger: Trigger, updates: Mapping[sympy.Symbol, sympy.Basic], text: str) -> None:
        """Declares an event: at the ``trigger``, the states in ``updates`` take new values, computed from all values before the event."""
        relation = None
        if trigger.kind != "reaches":
            relation = f"event[{len(self._draft.events) + 1}]"
            self.relation(relation, trigger.expression, f"watches: {text}")
        for symbol in updates:
            variable = self._draft.variables.get(str(symbol))
            if variable is None or variable.role not in (Role.STATE, Role.DISCRETE):
                raise DeclarationError(f"{self._name}: an event sets '{symbol}', which is neither a state nor a discrete state")
        self._draft.events.append(Event(trigger, relation, {str(s): sympy.sympify(e) for s, e in updates.items()}, text))

    def require(self, expression: sympy.Expr, text: str) -> None:
        """Requires a positive ``expression`` at initialisation. ``text`` is the condition in words, for the message."""
        self._draft.conditions.append(Condition(expression, text))

    def expect(self, expression: sympy.Expr, text: str) -> None:
        """Declares a condition that only warns at initialisation if ``expression`` is not positive. ``text`` is the condition in words."""
        self._draft.conditions.append(Condition(expression, text, advisory=True))

    def holds(self, quantity: sympy.Symbol, least: float | None = None, greatest: float | None = None) -> None:
        """Gives a declared ``quantity``, such as a multiplier or a value at a port, its ``least`` and ``greatest`` valid value in its unit."""
        variable = self._draft.variables.get(str(quantity))
        if variable is None or variable.role not in (Role.STATE, Role.OUTPUT, Role.LOCAL):
            raise DeclarationError(
                f"{self._name}: holds() was given '{quantity}', which is neither a state nor calculated; declare it before"
            )
        self._draft.variables[variable.name] = replace(variable, holds=(least, greatest))

    @property
    def ports(self) -> tuple[Any, ...]:
        """Returns the ports declared so far."""
        return tuple(self._draft.ports)

    # -- derivation ----------------------------------------------------------------------------------------------

    def D(self, expression: sympy.Expr) -> sympy.Expr:
        """Returns the time derivative of an ``expression`` of states, signals, port coordinates and calculated quantities."""
        rates = dict(self._draft.rates)
        for symbol in symbols_of(sympy.sympify(expression)):
            variable = self._draft.variables.get(str(symbol))
            if variable is not None and variable.role is Role.INPUT and symbol not in self._draft.rates:
                raise DeclarationError(
                    f"{self._name}: the time derivative of '{expression}' needs the rate of the input '{symbol}', which is not known; "
                    f"declare the input with signal()"
                )
            if variable is not None and variable.role is Role.STATE and symbol not in self._draft.rates:
                raise DeclarationError(
                    f"{self._name}: the time derivative of '{expression}' needs the rate of the state '{symbol}', which is not declared yet; "
                    f"call rate({symbol}, ...) before"
                )
            if variable is not None and variable.equation is not None and symbol not in rates:
                rates[symbol] = self.D(variable.equation)
        return TimeDerivative(rates)(expression)

    def partial(self, expression: sympy.Expr, symbol: sympy.Symbol) -> sympy.Expr:
        """Returns the derivative of ``expression`` by ``symbol``, by the chain rule through calculated variables, which keep their names."""
        total = derivative(expression, symbol)
        for inner in symbols_of(expression):
            equation = self._draft.variables[str(inner)].equation
            if equation is not None:
                total += derivative(expression, inner) * self.partial(equation, symbol)
        return total

    @property
    def _name(self) -> str:
        return component_name(type(self))

    def _add(self, variable: Variable) -> sympy.Symbol:
        if variable.name in self._draft.variables:
            raise DeclarationError(f"{self._name}: the variable '{variable.name}' is declared twice; rename one of the two")
        if not _STRUCTURED.fullmatch(variable.name) or variable.name in TIME_NAMES.values():
            raise DeclarationError(
                f"{self._name}: '{variable.name}' cannot name a variable; use letters, digits and underscores, joined by dots, with an index "
                f"in brackets, such as 'p1.rx' or 'lambda[1]', and not 'time' or 'simulation_time'"
            )
        units.exponents(variable.unit)
        self._draft.variables[variable.name] = variable
        return variable.symbol

    def dimension_of(self, expression: sympy.Basic) -> units.Dimension | None:
        """Returns the dimension of an ``expression``; None if it fits any, as zero does. Terms of different dimensions raise UnitError."""
        known = {v.symbol: units.dimension_of_unit(v.unit) for v in self._draft.variables.values()}
        known[TIME] = units.Dimension.of("s")
        return units.dimension(expression, known)

    def _unit_of(self, expression: sympy.Basic) -> str:
        return (self.dimension_of(expression) or units.NUMBER).unit()


def component_name(component: type[Component]) -> str:
    """``planar.Revolute`` for a class of this package, the bare class name for a user's own."""
    parts = component.__module__.split(".")
    if parts[0] == "fmu_components" and len(parts) > 2:
        return f"{parts[-2]}.{component.__name__}"
    return component.__name__


def component_title(component: type[Component]) -> str:
    """Returns the first line of the docstring, without declaring the component."""
    return inspect.cleandoc(component.__doc__ or "").partition("\n")[0].rstrip(".")


_declared: dict[type[Component], Declaration] = {}


def declaration(component: type[Component]) -> Declaration:
    """The frozen declaration of a component class; computed once."""
    if component not in _declared:
        _declared[component] = _freeze(component)
    return _declared[component]


def _freeze(component: type[Component]) -> Declaration:
    name = component_name(component)
    description = inspect.cleandoc(component.__doc__ or "")
    if not description or component.__doc__ == Component.__doc__:
        raise DeclarationError(f"{name} has no docstring; describe the component, its first line is the title")
    instance = component()
    try:
        instance.declare()
    except DeclarationError:
        raise
    except units.UnitError as error:
        raise DeclarationError(f"{name}: {error}") from None
    except Exception as error:
        place = [frame for frame in traceback.extract_tb(error.__traceback__) if "sympy" not in frame.filename][-1]
        raise DeclarationError(
            f"{name}: its declaration fails in {Path(place.filename).name}, line {place.lineno} ({place.line}): {type(error).__name__}: {error}"
        ) from error
    draft = instance._draft
    if not draft.variables:
        raise DeclarationError(f"{name} declares no variable; state parameters, ports and equations in declare(self)")
    time = Variable("time", Role.TIME, "s", "simulation time")
    variables = tuple(sorted((*draft.variables.values(), time), key=lambda v: list(Role).index(v.role)))
    for state in [v for v in variables if v.role is Role.STATE]:
        if f"der({state.name})" not in draft.variables:
            raise DeclarationError(f"{name}: the state '{state.name}' has no derivative; state it with rate({state.name}, ...)")
        if state.gauge is not None and (state.gauge not in draft.variables or draft.variables[state.gauge].role is not Role.OUTPUT):
            raise DeclarationError(
                f"{name}: the gauge state '{state.name}' follows '{state.gauge}', which is no output; declare it with output()"
            )
    for port in draft.ports:
        verb = "moves" if port.side is Side.MOTION else "gives"
        for quantity in port.kind.given_by(port.side):
            if f"{port.name}.{quantity.name}" not in draft.variables:
                raise DeclarationError(f"{name}: nothing gives '{port.name}.{quantity.name}'; state it with {verb}({port.name}, ...)")
    result = Declaration(
        name,
        description.splitlines()[0].rstrip("."),
        description,
        variables,
        tuple(draft.ports),
        tuple(draft.events),
        tuple(draft.conditions),
        component.drawing,
        component.stop_time,
        tuple(draft.switched),
        component.picture or instance.symbol(),
        component.resources,
    )
    check(result)
    if result.picture is not None and (odd := result.picture.missing([port.name for port in draft.ports], draft.variables)):
        raise DeclarationError(f"{name}: its picture {odd}")
    return result
