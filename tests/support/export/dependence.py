"""Dependencies between variables, found by changing one variable at a time: the oracle for declared dependencies and their kinds."""

from __future__ import annotations

import math
import sys
from collections.abc import Collection, Iterator, Mapping
from functools import cache
from itertools import chain
from typing import Any

import numpy as np
import sympy

from fmu_components.declare.declaration import Declaration, Range, Role, Variable
from fmu_components.export.table import VariableTable
from tests.support.declare.arrays import FUNCTIONS, varied

POINTS = 40
_NEVER_CHANGES = {
    "constant": (),
    "fixed": (Role.SWITCH,),
    "tunable": (Role.SWITCH, Role.PARAMETER),
    "discrete": (Role.SWITCH, Role.PARAMETER, Role.DISCRETE, Role.DISCRETE_INPUT, Role.RELATION),
}
"""Upon what the factor of a dependence of each kind may depend; ``fixed`` has its fixed parameters beside these."""


class Dependence:
    """A component's equations at random points, the switch in one position, or in either for None."""

    def __init__(self, declared: Declaration, switched: bool | None) -> None:
        self._base = [variable for variable in declared.variables if not variable.role.calculated]
        self._unknowns = [variable.name for variable in declared.variables if variable.role.calculated]
        self._switched = switched
        self._random = np.random.default_rng(0)
        self._moved: dict[str, set[str]] = {}
        self._proportional: dict[tuple[str, str], set[str]] = {}
        self._by_name = {variable.name: variable for variable in self._base}
        self._elements = {each.name: (v, place) for v in self._base if v.shape for place, each in enumerate(v.scalars)}
        # The same for all variables that are changed; by the kind, whose frozen values they share.
        self._points: dict[str | None, list[tuple[dict[str, float], dict[str, float]]]] = {}
        # One equation after the other: written out in the base variables alone, some are thousands of terms long.
        names = {variable.symbol: sympy.Symbol(f"value_{number}") for number, variable in enumerate(declared.order)}
        equations = [(names[variable.symbol], variable.equation.xreplace(names)) for variable in declared.order]
        values = [names[declared[name].symbol] for name in self._unknowns]
        base = [variable.symbol for variable in self._base]
        self._evaluate = sympy.lambdify(base, values, modules=[FUNCTIONS, "math"], cse=lambda _: (equations, values))

    def moved_by(self, known: str) -> set[str]:
        """The unknowns that change with this variable at any of the points."""
        if known not in self._moved:
            self._moved[known] = set()
            for before, after, _ in self._pairs(known, None):
                self._moved[known] |= {name for name in self._unknowns if not _same(before[name], after[name])}
        return self._moved[known]

    def proportional_to(self, known: str, kind: str) -> set[str]:
        """The unknowns whose slope along the known is the same at all points, except as the kind allows."""
        if (known, kind) not in self._proportional:
            slopes = [
                ({name: (after[name] - before[name]) / change for name in self._unknowns}, _rounding(before, after) / abs(change))
                for before, after, change in self._pairs(known, kind)
            ]
            first, loose = slopes[0]
            same = {
                name
                for name in self._unknowns
                if all(_same(slope[name], first[name]) or abs(slope[name] - first[name]) <= loose + rounding for slope, rounding in slopes)
            }
            self._proportional[known, kind] = same
        return self._proportional[known, kind]

    def _pairs(self, known: str, kind: str | None) -> Iterator[tuple[dict[str, float], dict[str, float], float]]:
        """All unknowns at two points that differ in one variable, and by how much; elsewhere where an equation has no value."""
        if kind not in self._points:
            anchor = self._draw()
            self._points[kind] = [self._valued(self._frozen_at(anchor, kind)) for _ in range(POINTS)]
        for point, before in self._points[kind]:
            there, change = self._elsewhere(point, known)
            after = self._tried(there)
            while after is None:
                point, before = self._valued(self._frozen_at(point, kind))
                there, change = self._elsewhere(point, known)
                after = self._tried(there)
            yield before, after, change

    def _elsewhere(self, point: Mapping[str, Any], known: str) -> tuple[dict[str, Any], float]:
        """The point with another value of one variable, array or element of an array, and the change; along arrays no slope is compared."""
        if known in self._elements:
            array, place = self._elements[known]
            moved = list(point[array.name])
            moved[place] = varied(array, self._random)[place]
            return {**point, array.name: tuple(moved)}, math.nan
        there = not point[known] if isinstance(point[known], bool) else self._value(self._by_name[known])
        return {**point, known: there}, math.nan if self._by_name[known].shape else there - point[known]

    def _frozen_at(self, anchor: Mapping[str, float], kind: str | None) -> dict[str, float]:
        """The values that all points share for a kind."""
        return {v.name: anchor[v.name] for v in self._base if kind is not None and _frozen(v, kind)}

    def _valued(self, shared: Mapping[str, float]) -> tuple[dict[str, float], dict[str, float]]:
        """A point at which all equations have values, and these."""
        for _ in range(100):
            point = {**self._draw(), **shared}
            values = self._tried(point)
            if values is not None:
                return point, values
        raise AssertionError("no point found at which all equations have values")

    def _tried(self, point: Mapping[str, float]) -> dict[str, float] | None:
        try:
            return self._at(point)
        except (ValueError, ZeroDivisionError, OverflowError):
            return None

    def _at(self, point: Mapping[str, float]) -> dict[str, float]:
        values = self._evaluate(*(point[variable.name] for variable in self._base))
        return {name: float(value) for name, value in zip(self._unknowns, values, strict=True)}

    def _draw(self) -> dict[str, float]:
        return {variable.name: self._value(variable) for variable in self._base}

    def _value(self, variable: Variable) -> Any:
        if variable.shape:
            return varied(variable, self._random)
        if variable.role is Role.SWITCH and self._switched is not None:
            return self._switched
        if variable.type == "boolean":
            return bool(self._random.integers(2))
        if variable.type == "integer":
            low, high = max(variable.range.minimum, 0 if variable.range == Range() else -100), min(variable.range.maximum, 100)
            return int(self._random.integers(low, high + 1))
        low = max(-2.0, variable.range.minimum)
        return float(self._random.uniform(low + 0.01, min(low + 4.0, variable.range.maximum)))


def _frozen(variable: Variable, kind: str) -> bool:
    return variable.role in _NEVER_CHANGES[kind] or (kind == "fixed" and variable.role is Role.PARAMETER and not variable.tunable)


def _same(a: float, b: float) -> bool:
    return math.isclose(a, b, rel_tol=1e-9, abs_tol=1e-9)


def _rounding(*values: dict[str, float]) -> float:
    """Returns what may be rounding in a difference: stiff components add terms that are far larger than their sum."""
    return 1e3 * sys.float_info.epsilon * max(abs(each) for each in chain(*(each.values() for each in values)) if math.isfinite(each))


@cache
def dependence(table: VariableTable, switched: bool | None) -> Dependence:
    return Dependence(table.declared, switched)


def check_dependencies(probe: Dependence, unknown: str, knowns: Collection[str], declared: Mapping[str, str]) -> None:
    """Checks that undeclared variables do not move the unknown, and that declared ones have their kind."""
    assert set(declared) <= set(knowns), f"{unknown} is said to depend on what is no known"
    for known in knowns:
        assert known in declared or unknown not in probe.moved_by(known), f"{unknown} depends on {known}, which is not declared"
    for known, kind in declared.items():
        assert kind == "dependent" or unknown in probe.proportional_to(known, kind), (
            f"{unknown} depends on {known} otherwise than with a factor that is {kind}"
        )
