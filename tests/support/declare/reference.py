"""A declaration evaluated by SymPy and mpmath in 40 digits: the reference for every exported value and derivative."""

from __future__ import annotations

import math
from collections.abc import Mapping
from functools import cache, cached_property
from typing import Any

import mpmath
import numpy as np
import sympy
from scipy.spatial.transform import Rotation
from sympy.printing.pycode import MpmathPrinter

from fmu_components.declare.component import Component
from fmu_components.declare.declaration import Declaration, Role, Variable
from fmu_components.declare.tables import Item, LeastStep, LookupBase, NextNode
from fmu_components.export.build import table_of
from fmu_components.export.table import VariableTable
from fmu_components.runtime.python import lookup
from tests.support.declare.arrays import varied

DIGITS = 40
_BASE = (Role.TIME, Role.PARAMETER, Role.SWITCH, Role.STATE, Role.DISCRETE, Role.RELATION, Role.INPUT, Role.DISCRETE_INPUT, Role.ALGEBRAIC)


def _gears_touch(point: Mapping[str, float | bool]) -> dict[str, float]:
    distance = 1.0005 * abs(point["radius_M"] + point["radius_N"])  # not where the condition's absolute value has its kink
    return {"N.x": point["M.x"] + distance * math.cos(point["M.theta"]), "N.y": point["M.y"] + distance * math.sin(point["M.theta"])}


def _in_space(point: Mapping[str, float | bool], place: tuple[float, ...], turned: Rotation) -> dict[str, float]:
    """A proper attitude of M, and N at this place and attitude in the frame of M."""
    attitude = Rotation.from_rotvec((0.4, -0.7, 0.3))
    start = np.array([point[f"M.{axis}"] for axis in "xyz"])
    found = {f"N.{axis}": float(value) for axis, value in zip("xyz", start + attitude.apply(place), strict=True)}
    for port, R in (("M", attitude.as_matrix()), ("N", (attitude * turned).as_matrix())):
        found |= {f"{port}.R{i + 1}{j + 1}": float(R[i, j]) for i in range(3) for j in range(3)}
    return found


def _bevel_gears_touch(point: Mapping[str, float | bool]) -> dict[str, float]:
    radius_M, radius_N = (abs(float(point[f"radius_{port}"])) for port in "MN")
    place = (1.0002 * (radius_M + radius_N * math.cos(1.2)), 0.0, -radius_N * math.sin(1.2))
    return _in_space(point, place, Rotation.from_rotvec((0, 1.2, 0))) | {"radius_M": radius_M, "radius_N": radius_N}


def _worm_touches(point: Mapping[str, float | bool]) -> dict[str, float]:
    distance = (point["diameter"] + point["teeth"] * point["module"]) / 2
    turned = Rotation.from_rotvec((-math.pi / 2 + 1e-4, 0, 0))
    return _in_space(point, (1.0002 * distance, 1e-4 * distance, 1e-4 * distance), turned)


def _period_of_table(point: Mapping[str, float | bool]) -> dict[str, float]:
    return {"period": 1.5}  # its points have the times 0 and 1


# Validity conditions that no random point satisfies.
ADJUST = {
    "planar.GearPair": _gears_touch,
    "spatial.GearPair": _bevel_gears_touch,
    "spatial.WormGear": _worm_touches,
    "signal.Table": _period_of_table,
}


class Reference:
    """Values of all calculated variables and of the Jacobian at a point, with the scale at which rounding acts."""

    def __init__(self, table: VariableTable) -> None:
        self.table = table
        declared = self.declared = table.declared
        self.base = declared.with_role(*_BASE)
        self.names = [v.name for v in declared.order]
        self._values = self._compile([v.symbol for v in declared.order])
        self.entries = sorted(self.table.jacobian)
        self.conditions = self._compile([c.expression for c in declared.conditions if not c.advisory])

    @cached_property
    def _jacobian(self):
        return self._compile([self.table.jacobian[e] for e in self.entries])

    def _compile(self, expressions):
        function = _evaluator(self.declared, expressions, [v.symbol for v in self.base])

        def evaluate(point: Mapping[str, float | bool]):
            with mpmath.workdps(DIGITS):
                arguments = [_exact(point[v.name]) if v.type != "boolean" else point[v.name] for v in self.base]
                return function(arguments)

        return evaluate

    def values(self, point: Mapping[str, float | bool]) -> dict[str, tuple[float, float]]:
        """Value and scale of every calculated variable."""
        return dict(zip(self.names, zip(*self._values(point), strict=True), strict=True))

    def jacobian(self, point: Mapping[str, float | bool]) -> dict[tuple[str, str], tuple[float, float]]:
        """Value and scale of the entries that are not structurally zero, by (unknown, known)."""
        keys = [(self.table.variable(r).name, self.table.variable(c).name) for r, c in self.entries]
        return dict(zip(keys, zip(*self._jacobian(point), strict=True), strict=True)) if keys else {}

    def random_point(self, random: np.random.Generator, switch: bool = False) -> dict[str, float | bool]:
        """Values for all variables that can be set, within their ranges and where the validity conditions hold."""
        for _ in range(1000):
            point: dict[str, float | bool] = {v.name: _draw(v, random, switch) for v in self.base}
            point |= ADJUST.get(self.declared.name, lambda p: {})(point)
            if all(value > 0 for value in self.conditions(point)[0]):
                return point
        raise AssertionError(f"{self.declared.name}: no random point satisfies the validity conditions")


class _Printer(MpmathPrinter):
    """Prints at once: ``doprint`` first searches each expression for unevaluated parts, of which a declaration has none."""

    def text(self, expression: sympy.Basic) -> str:
        return self._print(expression)

    def _print_LookupBase(self, expr: LookupBase) -> str:
        numbers = ", ".join(map(str, (*expr.orders, expr.kind)))
        return f"lookup.{type(expr).__name__.lower()}({numbers}, {', '.join(map(self._print, (*expr.varying, *expr.arrays)))})"

    def _print_LeastStep(self, expr: LeastStep) -> str:
        return f"lookup.least_step({self._print(expr.array)})"

    def _print_NextNode(self, expr: NextNode) -> str:
        return f"lookup.next_node({', '.join(map(self._print, expr.args))})"

    def _print_Item(self, expr: Item) -> str:
        return f"{self._print(expr.array)}[{expr.args[0]}]"


def _evaluator(declared: Declaration, expressions, base):
    """A function from the base values to the values of expressions, and to the largest terms of the sums that they consist of.

    It follows the declared equations one by one, and knows nothing of the order and the common parts that the exporter chooses.
    """
    printer = _Printer({"fully_qualified_modules": True, "user_functions": {}, "order": "none"})
    shared, reduced = sympy.cse(list(expressions), symbols=(sympy.Symbol(f"c{i}") for i in range(10**6)), order="none")
    known = [*base, *(v.symbol for v in declared.order), *(symbol for symbol, _ in shared)]
    names = {symbol: sympy.Symbol(f"x{i}") for i, symbol in enumerate(known)}

    def line(target, expression):
        renamed = expression.xreplace(names)
        terms = [printer.text(a) for add in renamed.atoms(sympy.Add) for a in add.args]
        inherited = [f"s_{names[s]}" for s in expression.free_symbols]
        return [
            f"    {target} = {printer.text(renamed)}",
            f"    s_{target} = max([abs({target}), {', '.join([*(f'abs({t})' for t in terms), *inherited])}])",
        ]

    lines = ["def function(x):", *(f"    x{i} = x[{i}]; s_x{i} = size(x{i})" for i in range(len(base)))]
    for variable in declared.order:
        lines += line(names[variable.symbol], variable.equation)
    for symbol, expression in shared:
        lines += line(names[symbol], expression)
    for i, expression in enumerate(reduced):
        lines += line(f"r{i}", sympy.sympify(expression))
    count = range(len(expressions))
    lines.append(
        f"    return [float(r) for r in [{', '.join(f'r{i}' for i in count)}]], [max(1.0, float(s)) for s in [{', '.join(f's_r{i}' for i in count)}]]"
    )
    scope: dict = {"mpmath": mpmath, "math": mpmath, "lookup": lookup, "size": lambda x: max(map(abs, x)) if isinstance(x, list) else 0}
    exec("\n".join(lines), scope)
    return scope["function"]


def _exact(value: float | tuple[float, ...]) -> Any:
    return [mpmath.mpf(each) for each in value] if isinstance(value, tuple) else mpmath.mpf(value)


def _draw(variable: Variable, random: np.random.Generator, switch: bool) -> Any:
    if variable.shape:
        return varied(variable, random)
    if variable.role is Role.SWITCH:
        return switch
    if variable.role in (Role.DISCRETE, Role.RELATION):
        return variable.start if variable.start is not None else False
    if variable.role is Role.TIME:
        return float(random.uniform(0, 5))
    if variable.type == "boolean":
        return bool(random.integers(2))
    if variable.type == "integer":
        return int(random.integers(variable.range.minimum, variable.range.maximum + 1))
    low = max(-3.0, variable.range.minimum)
    high = max(low + 3.0, min(3.0, variable.range.maximum)) if variable.range.maximum > low + 3.0 else variable.range.maximum
    return float(random.uniform(low + 0.05 * (high - low), high))


@cache
def reference(component: type[Component]) -> Reference:
    return Reference(table_of(component))
