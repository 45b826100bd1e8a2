"""The frozen declaration of a component: variables, equations, events and conditions. Everything else is derived from it."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import Enum
from functools import cached_property
from itertools import product
from typing import Any

import sympy

from fmu_components.declare.expressions import replaced, symbols_of
from fmu_components.declare.icon import Drawing
from fmu_components.declare.picture import Picture
from fmu_components.declare.ports import Port

TIME = sympy.Symbol("time", real=True)
TIME_NAMES = {2: "simulation_time", 3: "time"}
"""The independent variable's name by FMI version: OpenModelica takes a variable of FMI 2 that is called ``time`` for an unknown of its own."""
IMPLICIT = "solver.implicit"
"""The option of this name chooses the implicit method of integration inside Co-Simulation steps, for stiff models."""


class DeclarationError(ValueError):
    """A component's declaration contradicts itself; the message names the component, the item and the remedy."""


class Role(Enum):
    """The kind of a variable in its component. Variables are listed in this order."""

    PARAMETER = "parameter"
    SWITCH = "switch"
    STATE = "state"
    DERIVATIVE = "derivative"
    DISCRETE = "discrete state"
    RELATION = "relation"
    INPUT = "input"
    DISCRETE_INPUT = "discrete input"
    ALGEBRAIC = "algebraic variable"
    OUTPUT = "output"
    LOCAL = "local"
    INDICATOR = "event indicator"
    TIME = "time"

    @property
    def calculated(self) -> bool:
        """Says whether the value follows from an equation (rather than being set, integrated or kept between events)."""
        return self in (Role.DERIVATIVE, Role.OUTPUT, Role.LOCAL, Role.INDICATOR)


@dataclass(frozen=True)
class Range:
    """The values that a parameter may have; an open end excludes its bound."""

    minimum: float = -math.inf
    maximum: float = math.inf
    open_below: bool = False
    open_above: bool = False
    otherwise: str = ""
    """Addition to the sentence that refuses a value: it names the alternative."""

    def __contains__(self, value: float) -> bool:
        above = value > self.minimum if self.open_below else value >= self.minimum
        below = value < self.maximum if self.open_above else value <= self.maximum
        return above and below and math.isfinite(value)

    def nearest(self, value: float) -> float:
        """The value itself, or one inside the range."""
        if value in self:
            return value
        if math.isinf(self.minimum) or math.isinf(self.maximum):
            return self.minimum + 1 if self.minimum > -math.inf else self.maximum - 1
        return (self.minimum + self.maximum) / 2

    def __str__(self) -> str:
        return self._words

    @cached_property
    def _words(self) -> str:
        parts = []
        if self.minimum > -math.inf:
            parts.append(f"{'greater than' if self.open_below else 'at least'} {self.minimum:g}")
        if self.maximum < math.inf:
            parts.append(f"{'less than' if self.open_above else 'at most'} {self.maximum:g}")
        return " and ".join(parts) or "finite"


@dataclass(frozen=True)
class Variable:
    """A variable of a component, with the equation that defines it, if any: a scalar, or an array parameter."""

    name: str
    role: Role
    unit: str
    text: str
    start: Any = None
    """Start value, or None; of an array the tuple of its numbers, row by row."""
    type: str = "real"
    """``real``, ``integer`` or ``boolean``."""
    range: Range = Range()
    nominal: float = 1.0
    tunable: bool = False
    equation: sympy.Basic | None = None
    """Equation in terms of other variables of the component; see :meth:`Declaration.expand`."""
    order: int = 0
    """Order of an input: 0 for coordinates and signals, 1 for rates, 2 for accelerations, 3 for efforts and multipliers."""
    port: str | None = None
    partner: str | None = None
    """The state of a derivative, the residual of an algebraic variable."""
    gauge: str | None = None
    """Output that a gauge state follows. The state may be set to this output's value at any time without changing anything else."""
    holds: tuple[float | None, float | None] = (None, None)
    """The bounds within which the component describes what happens; values outside are not refused."""
    beyond: str = ""
    """Sentence, after the name of the instance, for a value above the bound: ``{percent}`` is the value, ``{times}`` how often it holds the bound,
    ``{value*NAME}`` and ``{bound*NAME}`` both times a parameter, and ``{NAME}`` the parameter."""
    elastic: bool = False
    """True for an amplitude of deformation, or its rate, which assembly leaves where it starts."""
    shape: tuple[int, ...] = ()
    """Sizes of an array parameter, which is fixed and real; () for a scalar."""

    @property
    def symbol(self) -> sympy.Symbol:
        return boolean_symbol(self.name) if self.type == "boolean" else sympy.Symbol(self.name, real=True)

    @property
    def size(self) -> int:
        """The number of values, which have consecutive references."""
        return math.prod(self.shape)

    @property
    def scalars(self) -> tuple[Variable, ...]:
        """The elements of an array in the order of their references, as scalars such as ``x[1]`` or ``z[1,2]``; of a scalar itself."""
        if not self.shape:
            return (self,)
        places = product(*(range(1, size + 1) for size in self.shape))
        return tuple(
            replace(self, name=f"{self.name}[{','.join(map(str, place))}]", start=start, shape=())
            for place, start in zip(places, self.start, strict=True)
        )


def boolean_symbol(name: str) -> sympy.Symbol:
    return sympy.Symbol(name)


def type_of(start: float | int | bool) -> str:
    """Returns the type of a variable by its start value."""
    return "boolean" if isinstance(start, bool) else "integer" if isinstance(start, int) else "real"


def tables_in(variables: Mapping[str, Variable]) -> tuple[str, ...]:
    """Returns the names of the tables whose arrays are among the ``variables``."""
    return tuple(dict.fromkeys(name.rpartition(".")[0] for name, variable in variables.items() if variable.shape))


@dataclass(frozen=True)
class Trigger:
    """The cause of an event: an expression that rises or falls through zero, or a time that is reached."""

    kind: str
    """``rises``, ``falls`` or ``reaches``."""
    expression: sympy.Expr


def rises(expression: sympy.Expr) -> Trigger:
    """Happens when the expression becomes positive."""
    return Trigger("rises", expression)


def falls(expression: sympy.Expr) -> Trigger:
    """Happens when the expression stops being positive."""
    return Trigger("falls", expression)


def reaches(instant: sympy.Expr) -> Trigger:
    """Happens when time reaches the instant, an expression of parameters and discrete states; once per value of it."""
    return Trigger("reaches", instant)


@dataclass(frozen=True)
class Event:
    """New values of states and discrete states, all computed from the values before the event."""

    trigger: Trigger
    relation: str | None
    """The relation that watches the trigger's expression; None for a time event."""
    updates: Mapping[str, sympy.Basic]
    text: str


@dataclass(frozen=True)
class Condition:
    """An expression that must, or should, be positive at initialisation for the component to mean what it says."""

    expression: sympy.Expr
    text: str
    """Condition in words, as it follows 'it is required that', or 'it is expected that'."""
    advisory: bool = False
    """True where a violation only causes a warning and the component still computes."""


@dataclass(frozen=True)
class Switched:
    """The variables of one multiplier whose residual depends on a mode, by name; None for what it does not have."""

    kind: str
    """``unilateral``, ``friction`` or ``holds_while``."""
    multiplier: str
    residual: str
    mode: str
    velocity: str
    acceleration: str
    position: str | None = None
    indicator: str | None = None
    limit: str | None = None
    static: str | None = None
    limit_back: str | None = None
    """The limit against a negative slip, of friction whose limits differ by direction."""
    static_back: str | None = None
    restitution: str | None = None


@dataclass(frozen=True)
class Declaration:
    """All that a component is. Immutable; every exporter and every test reads this and nothing else."""

    name: str
    title: str
    description: str
    variables: tuple[Variable, ...]
    ports: tuple[Port, ...]
    events: tuple[Event, ...]
    conditions: tuple[Condition, ...]
    drawing: Drawing
    stop_time: float
    switched: tuple[Switched, ...] = ()
    picture: Picture | None = None
    resources: tuple[tuple[str, bytes], ...] = ()
    """Names and contents of files in the folder resources of the FMU."""

    @cached_property
    def tables(self) -> tuple[str, ...]:
        """The names of the tables, each of which has arrays ``<name>.x`` and ``<name>.y``."""
        return tables_in(self.by_name)

    @property
    def identifier(self) -> str:
        """The C identifier of the model."""
        return re.sub(r"^(?![A-Za-z_])", "_", re.sub(r"\W", "_", self.name, flags=re.ASCII))

    @cached_property
    def by_name(self) -> dict[str, Variable]:
        return {variable.name: variable for variable in self.variables}

    @cached_property
    def by_symbol(self) -> dict[sympy.Symbol, Variable]:
        return {variable.symbol: variable for variable in self.variables}

    def __getitem__(self, name: str) -> Variable:
        return self.by_name[name]

    def with_role(self, *roles: Role) -> tuple[Variable, ...]:
        if roles not in self._with_roles:
            self._with_roles[roles] = tuple(variable for variable in self.variables if variable.role in roles)
        return self._with_roles[roles]

    @cached_property
    def _with_roles(self) -> dict[tuple[Role, ...], tuple[Variable, ...]]:
        return {}

    @cached_property
    def order(self) -> tuple[Variable, ...]:
        """The calculated variables in an order in which each can be computed from those before."""
        done: dict[str, Variable] = {}
        open_now: list[str] = []

        def visit(variable: Variable) -> None:
            if variable.name in open_now:
                raise DeclarationError(
                    f"{self.name}: the equations of {' -> '.join([*open_now, variable.name])} form a "
                    f"circle; express one of them by states and inputs"
                )
            if variable.name in done or variable.equation is None:
                return
            open_now.append(variable.name)
            for symbol in symbols_of(variable.equation):
                visit(self.by_symbol[symbol])
            open_now.pop()
            done[variable.name] = variable

        for variable in self.variables:
            visit(variable)
        return tuple(done.values())

    def expand(self, expression: sympy.Basic) -> sympy.Basic:
        """The expression in terms of time, parameters, states, discrete states and inputs alone."""
        return replaced(expression, {s: self._expanded(s) for s in symbols_of(expression) if self.by_symbol[s].equation is not None})

    def _expanded(self, symbol: sympy.Symbol) -> sympy.Basic:
        if symbol not in self._expansions:
            equation = self.by_symbol[symbol].equation
            assert equation is not None
            self._expansions[symbol] = self.expand(equation)
        return self._expansions[symbol]

    @cached_property
    def _expansions(self) -> dict[sympy.Symbol, sympy.Basic]:
        return {}
