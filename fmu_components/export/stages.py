"""The order of computation: which expressions depend on what, and so when each has to be computed again.

Values and Jacobian entries are broken into common subexpressions. Each belongs to the first stage at which all that it depends
on is known; a change of an input makes that input's stage and all later ones invalid, never an earlier one.
"""

from __future__ import annotations

from dataclasses import dataclass, field

import sympy

from fmu_components.component import Role, Variable
from fmu_components.export.table import VariableTable, is_diagnostic

STAGES = ("parameters", "states", "motion", "efforts", "accelerations", "diagnostics", "sensitivities")
"""Diagnostics are outputs that nothing couples through; sensitivities are the derivatives with respect to parameters."""

_BY_ROLE = {
    Role.PARAMETER: "parameters", Role.SWITCH: "parameters", Role.TIME: "states", Role.STATE: "states",
    Role.DISCRETE: "states", Role.RELATION: "states", Role.ALGEBRAIC: "efforts",
}
_BY_ORDER = {0: "motion", 1: "motion", 2: "accelerations", 3: "efforts"}


def stage_of(variable: Variable) -> int:
    """The stage that a change of this variable makes invalid."""
    return STAGES.index(_BY_ROLE.get(variable.role) or _BY_ORDER[variable.order])


@dataclass
class Function:
    """What is computed in one stage: temporaries first, then targets."""

    temporaries: list[tuple[sympy.Symbol, sympy.Basic]] = field(default_factory=list)
    targets: list[tuple[int, sympy.Basic]] = field(default_factory=list)


class Plan:
    """The staged computation of a component's values and Jacobian."""

    def __init__(self, table: VariableTable) -> None:
        self.table = table
        self.entries = sorted(table.jacobian)
        """The Jacobian's entries (unknown, known), by rows."""
        values = list(table.values.items())
        expressions = [value for _, value in values] + [table.jacobian[entry] for entry in self.entries]
        shared, reduced = sympy.cse(expressions, symbols=(sympy.Symbol(f"t{i}") for i in range(10**6)), order="none")
        self._stage: dict[sympy.Symbol, int] = {v.symbol: stage_of(v) for v in table.variables if not v.role.calculated}
        for symbol, expression in shared:
            self._stage[symbol] = self._latest(expression)

        self.values = [Function() for _ in STAGES]
        self.jacobian = [Function() for _ in STAGES]
        self.value_stage: dict[int, int] = {}
        self.entry_stage: list[int] = []
        for (reference, _), expression in zip(values, reduced, strict=False):
            diagnostic = is_diagnostic(table.variables[reference], table)
            stage = max(self._latest(expression), STAGES.index("diagnostics") if diagnostic else 0)
            self.value_stage[reference] = stage
            self.values[stage].targets.append((reference, expression))
        for index, (row, column) in enumerate(self.entries):
            expression = reduced[len(values) + index]
            stage = max(self._latest(expression), STAGES.index("diagnostics") if is_diagnostic(table.variables[row], table) else 0)
            if table.variables[column].role is Role.PARAMETER:
                stage = STAGES.index("sensitivities")
            self.entry_stage.append(stage)
            self.jacobian[stage].targets.append((index, expression))
        self._place(shared)

    def _latest(self, expression: sympy.Basic) -> int:
        return max((self._stage[s] for s in expression.free_symbols), default=0)  # type: ignore[index]

    def _place(self, shared: list[tuple[sympy.Symbol, sympy.Basic]]) -> None:
        """Puts every temporary into the first function that needs it, and keeps those that another function needs as well."""
        never = len(STAGES)
        needed: dict[sympy.Symbol, list[int]] = {symbol: [never, never] for symbol, _ in shared}  # by values, by the Jacobian

        def need(expression: sympy.Basic, group: int, stage: int) -> None:
            for symbol in expression.free_symbols:
                if symbol in needed:
                    needed[symbol][group] = min(needed[symbol][group], stage)  # type: ignore[index]

        for group, functions in enumerate((self.values, self.jacobian)):
            for stage, function in enumerate(functions):
                for _, expression in function.targets:
                    need(expression, group, stage)
        home: dict[sympy.Symbol, Function] = {}
        for symbol, expression in reversed(shared):
            by_values, by_jacobian = needed[symbol]
            stage = max(self._stage[symbol], min(by_values, by_jacobian))
            group = 0 if by_values < never else 1
            home[symbol] = (self.values, self.jacobian)[group][stage]
            home[symbol].temporaries.insert(0, (symbol, expression))
            need(expression, group, stage)
        kept = set()
        for function in (*self.values, *self.jacobian):
            used = [*(e for _, e in function.temporaries), *(e for _, e in function.targets)]
            kept |= {s for e in used for s in e.free_symbols if s in home and home[s] is not function}
        self.kept = [symbol for symbol, _ in shared if symbol in kept]
        """The temporaries that live in the instance; all others are local to one function."""
