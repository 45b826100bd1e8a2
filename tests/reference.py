"""A declaration evaluated by SymPy and mpmath in 40 digits: the reference for every exported value and derivative."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import mpmath
import numpy as np
import sympy

from fmu_components.component import Component, Declaration, Role, Variable, declaration
from fmu_components.export.table import VariableTable

DIGITS = 40
_BASE = (Role.TIME, Role.PARAMETER, Role.SWITCH, Role.STATE, Role.DISCRETE, Role.RELATION, Role.INPUT, Role.ALGEBRAIC)


class Reference:
    """Values of all calculated variables and of the Jacobian at a point, with the scale at which rounding acts."""

    def __init__(self, declared: Declaration) -> None:
        self.declared = declared
        self.table = VariableTable(declared)
        self.base = declared.with_role(*_BASE)
        self.names = [self.table.variables[r].name for r in self.table.values]
        self._values = self._compile(list(self.table.values.values()))
        self.entries = sorted(self.table.jacobian)
        self._jacobian = self._compile([self.table.jacobian[e] for e in self.entries])
        self.conditions = self._compile([declared.expand(c.expression) for c in declared.conditions])

    def _compile(self, expressions):
        terms = [sorted({a for add in sympy.preorder_traversal(e) if isinstance(add, sympy.Add) for a in add.args}, key=str) for e in expressions]
        function = sympy.lambdify([v.symbol for v in self.base], [expressions, terms], modules="mpmath", cse=True)

        def evaluate(point: Mapping[str, float | bool]):
            with mpmath.workdps(DIGITS):
                arguments = [point[v.name] if v.type == "boolean" else mpmath.mpf(point[v.name]) for v in self.base]
                values, parts = function(*arguments)
                return ([float(v) for v in values],
                        [max([1.0, abs(float(v)), *(abs(float(p)) for p in p_)]) for v, p_ in zip(values, parts, strict=True)])

        return evaluate

    def values(self, point: Mapping[str, float | bool]) -> dict[str, tuple[float, float]]:
        """Value and scale of every calculated variable."""
        return dict(zip(self.names, zip(*self._values(point), strict=True), strict=True))

    def jacobian(self, point: Mapping[str, float | bool]) -> dict[tuple[str, str], tuple[float, float]]:
        """Value and scale of the entries that are not structurally zero, by (unknown, known)."""
        keys = [(self.table.variables[r].name, self.table.variables[c].name) for r, c in self.entries]
        return dict(zip(keys, zip(*self._jacobian(point), strict=True), strict=True)) if keys else {}

    def random_point(self, random: np.random.Generator, switch: bool = False) -> dict[str, float | bool]:
        """Values for all variables that can be set, within their ranges and where the validity conditions hold."""
        for _ in range(1000):
            point: dict[str, float | bool] = {v.name: _draw(v, random, switch) for v in self.base}
            if all(value > 0 for value in self.conditions(point)[0]):
                return point
        raise AssertionError(f"{self.declared.name}: no random point satisfies the validity conditions")


def _draw(variable: Variable, random: np.random.Generator, switch: bool) -> float | bool:
    if variable.role is Role.SWITCH:
        return switch
    if variable.role in (Role.DISCRETE, Role.RELATION):
        return variable.start if variable.start is not None else False
    if variable.role is Role.TIME:
        return float(random.uniform(0, 5))
    low = max(-3.0, variable.range.minimum)
    high = max(low + 3.0, min(3.0, variable.range.maximum)) if variable.range.maximum > low + 3.0 else variable.range.maximum
    return float(random.uniform(low + 0.05 * (high - low), high))


@cache
def reference(component: type[Component]) -> Reference:
    return Reference(declaration(component))
