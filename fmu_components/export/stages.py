"""The order of computation: which expressions depend on what, and so when each has to be computed again.

Values and Jacobian entries are broken into common subexpressions. Each belongs to the first stage at which all that it depends
on is known; a change of an input makes that input's stage and all later ones invalid, never an earlier one.
"""

from __future__ import annotations

import sys
from dataclasses import dataclass, field
from functools import cached_property

import sympy

from fmu_components.declare.declaration import Role, Variable
from fmu_components.declare.expressions import free_symbols, symbols_of
from fmu_components.export.sharing import shared_parts
from fmu_components.export.table import VariableTable, is_diagnostic

STAGES = ("parameters", "states", "motion", "efforts", "accelerations", "diagnostics", "sensitivities")
"""Diagnostics are outputs that nothing couples through; sensitivities are the derivatives with respect to parameters."""

_BY_ROLE = {
    Role.PARAMETER: "parameters",
    Role.SWITCH: "parameters",
    Role.TIME: "states",
    Role.STATE: "states",
    Role.DISCRETE: "states",
    Role.DISCRETE_INPUT: "states",
    Role.RELATION: "states",
    Role.ALGEBRAIC: "efforts",
}
_BY_ORDER = {0: "motion", 1: "motion", 2: "accelerations", 3: "efforts"}


def stage_of(variable: Variable) -> int:
    """The stage that a change of this variable makes invalid."""
    return STAGES.index(_BY_ROLE.get(variable.role) or _BY_ORDER[variable.order])


@dataclass
class StageFunction:
    """The assignments of one stage, in order: a symbol is a temporary or a variable, a number an entry of the Jacobian."""

    steps: list[tuple[sympy.Symbol | int, sympy.Basic]] = field(default_factory=list)

    def pieces(self, size: int) -> list[StageFunction]:
        """Returns functions of at most ``size`` assignments that do the same one after the other."""
        return [StageFunction(self.steps[i : i + size]) for i in range(0, len(self.steps), size)]


PIECE = 150
"""Assignments of one function of a large component: a compiler takes more than twice the time for a function of twice the size."""


class Plan:
    """The staged computation of a component's values and Jacobian."""

    def __init__(self, table: VariableTable) -> None:
        self.table = table
        self.piece = PIECE if table.chained else sys.maxsize
        """Greatest number of assignments of one function."""
        self.entries = sorted(table.slopes)
        """The slopes (unknown, known) that are computed, by rows."""
        self.numbers = {
            index: table.slopes[entry] for index, entry in enumerate(self.entries) if table.chained and table.slopes[entry].is_number
        }
        """Slopes of a chain that are numbers, by their places among all slopes."""
        computed = [index for index in range(len(self.entries)) if index not in self.numbers]
        calculated = table.declared.order
        expressions = [v.equation for v in calculated] + [table.slopes[self.entries[index]] for index in computed]
        shared, reduced = shared_parts(expressions)
        self._definition = dict(shared) | {v.symbol: e for v, e in zip(calculated, reduced, strict=False)}
        self._temporary = {symbol for symbol, _ in shared}
        self._stage = {v.symbol: stage_of(v) for v in table.variables if not v.role.calculated}
        self._order = self._sorted()
        for symbol in self._order:
            self._stage[symbol] = self._latest(self._definition[symbol])
        self.values = [StageFunction() for _ in STAGES]
        self.jacobian = [StageFunction() for _ in STAGES]
        self._place(dict(zip(computed, reduced[len(calculated) :], strict=True)))

    def _sorted(self) -> list[sympy.Symbol]:
        """Temporaries and calculated variables, each after all that it is computed from."""
        done: dict[sympy.Symbol, None] = {}

        def visit(symbol: sympy.Symbol) -> None:
            if symbol in self._definition and symbol not in done:
                for inner in symbols_of(self._definition[symbol]):
                    visit(inner)
                done[symbol] = None

        for symbol in self._definition:
            visit(symbol)
        return list(done)

    def _latest(self, expression: sympy.Basic) -> int:
        return max((self._stage[s] for s in free_symbols(expression)), default=0)

    def _entry_stage(self, index: int, expression: sympy.Basic) -> int:
        row, column = (self.table.variable(r) for r in self.entries[index])
        if column.role is Role.PARAMETER:
            return STAGES.index("sensitivities")
        if self.table.chained:
            return self._needed_by_values[row.symbol]
        return max(self._latest(expression), STAGES.index("diagnostics") if is_diagnostic(row, self.table) else 0)

    @cached_property
    def _needed_by_values(self) -> dict[sympy.Symbol, int]:
        """The stages in which the equations need the variables, whatever the slopes need."""
        needed: dict[sympy.Symbol, int] = {}
        for variable in reversed(self.table.declared.order):
            asked = STAGES.index("diagnostics") if is_diagnostic(variable, self.table) else 0
            stage = needed[variable.symbol] = max(self._stage[variable.symbol], min(asked, needed.get(variable.symbol, asked)))
            for inner in free_symbols(variable.equation):
                needed[inner] = min(needed.get(inner, stage), stage)
        return needed

    def _place(self, entries: dict[int, sympy.Basic]) -> None:
        """Puts everything into the first function that needs it, and keeps the temporaries that another function needs as well."""
        never = len(STAGES)
        needed = {symbol: [never, never] for symbol in self._order}  # by values, by the Jacobian

        def need(expression: sympy.Basic, group: int, stage: int) -> None:
            for symbol in free_symbols(expression) & needed.keys():
                needed[symbol][group] = min(needed[symbol][group], stage)

        self.entry_stage = {index: self._entry_stage(index, expression) for index, expression in (self.numbers | entries).items()}
        for index, expression in entries.items():
            need(expression, 1, self.entry_stage[index])
        for variable in self.table.declared.order:
            asked = STAGES.index("diagnostics") if is_diagnostic(variable, self.table) else self._stage[variable.symbol]
            needed[variable.symbol][0] = max(asked, self._stage[variable.symbol])
        home: dict[sympy.Symbol, StageFunction] = {}
        self.value_stage: dict[int, int] = {}
        for symbol in reversed(self._order):
            by_values, by_jacobian = needed[symbol]
            stage = max(self._stage[symbol], min(by_values, by_jacobian))
            group = 0 if by_values < never else 1
            home[symbol] = (self.values, self.jacobian)[group][stage]
            home[symbol].steps.insert(0, (symbol, self._definition[symbol]))
            if symbol not in self._temporary:
                self.value_stage[self.table.reference(str(symbol))] = stage
            need(self._definition[symbol], group, stage)
        for index, expression in entries.items():
            self.jacobian[self.entry_stage[index]].steps.append((index, expression))
        pieces = [piece for function in (*self.values, *self.jacobian) for piece in function.pieces(self.piece)]
        computed = {target: number for number, piece in enumerate(pieces) for target, _ in piece.steps if not isinstance(target, int)}
        kept = {
            s
            for number, piece in enumerate(pieces)
            for _, expression in piece.steps
            for s in free_symbols(expression)
            if s in self._temporary and computed[s] != number
        }
        self.kept = [symbol for symbol in self._order if symbol in kept]
        """The temporaries that live in the instance; all others are local to one function."""
