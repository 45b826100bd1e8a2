"""Matrices of expressions as functions of numbers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
import sympy

from coupling.equations.motion import Motion
from coupling.errors import AnalysisError
from coupling.fused.lookups import looked_up
from coupling.names import nearest
from fmu_components.declare.expressions import replaced
from fmu_components.declare.functions import ComposedBase, Direction, Magnitude

Evaluation = Callable[..., dict[str, np.ndarray]]


def evaluation(motion: Motion, matrices: Mapping[str, sympy.Matrix], definitions: Mapping[sympy.Symbol, sympy.Expr]) -> Evaluation:
    """Returns a function of values by name. Matrices contain ``definitions`` by name, each after those that it contains. States and parameters that it is not given have the values of the system."""
    symbols = [*motion.arrays, *motion.values, *motion.inputs, *{s for m in matrices.values() for s in m.free_symbols if s.name == "time"}]
    short = {symbol: sympy.Symbol(f"x{i}", real=True) for i, symbol in enumerate([*symbols, *definitions])}
    named = [(short[name], _plain(replaced(value, short))) for name, value in definitions.items()]
    entries = [_plain(replaced(each, short)) for matrix in matrices.values() for each in matrix]
    shapes = {name: matrix.shape for name, matrix in matrices.items()}
    parts, reduced = sympy.cse(entries, symbols=sympy.numbered_symbols("part"))
    compute = sympy.lambdify([short[each] for each in symbols], reduced, [_TABLES, "numpy"], cse=lambda _: ([*named, *parts], reduced))
    names = {symbol.name: place for place, symbol in enumerate(symbols)}
    usual = [*motion.arrays.values(), *(motion.values.get(symbol) for symbol in symbols[len(motion.arrays) :])]

    def evaluate(values: Mapping[str, float] | None = None) -> dict[str, np.ndarray]:
        """Returns the matrices at given values, by name."""
        numbers = list(usual)
        for name, value in (values or {}).items():
            if name not in names:
                raise AnalysisError(
                    f"equations: '{name}' is no state, parameter or input in them; {nearest(name, list(names)) or 'leave it out'}"
                )
            numbers[names[name]] = _like(usual[names[name]], name, value)
        missing = next((symbols[i].name for i, number in enumerate(numbers) if number is None), None)
        if missing is not None:
            raise AnalysisError(f"equations: '{missing}' is driven; give its value as well")
        flat, found = [float(each) for each in compute(*numbers)], {}
        for name, (rows, columns) in shapes.items():
            size = rows * columns
            found[name], flat = np.array(flat[:size]).reshape(rows, columns), flat[size:]
        return {name: each[:, 0] if shapes[name][1] == 1 and name in VECTORS else each for name, each in found.items()}

    return evaluate


def _like(usual: float | np.ndarray | None, name: str, value: Any) -> float | np.ndarray:
    """Returns a value as a number, or as the numbers of a table."""
    if not isinstance(usual, np.ndarray):
        return float(value)
    given = np.array(value, dtype=float).ravel()
    if len(given) != len(usual):
        raise AnalysisError(f"equations: '{name}' has {len(usual)} numbers, and {len(given)} are given; give as many")
    return given


def _value_of_table(name: str, count: int) -> Callable[..., float]:
    """Returns the function of a table by orders, kind, arguments and arrays."""

    def value(*given: Any) -> float:
        arrays = [np.asarray(each, dtype=float) for each in given[-count:]]
        numbers = [np.asarray(each, dtype=float) for each in (*given[:-count], *(len(each) for each in arrays[:-1]))]
        return float(looked_up(name, numbers, arrays))

    return value


_TABLES = {"Curve": _value_of_table("CURVE", 2), "Surface": _value_of_table("SURFACE", 3)}

VECTORS = ("h", "gamma", "b")
"""Names of vectors; all others are matrices, also with one column."""


def _plain(expression: sympy.Basic) -> sympy.Basic:
    """Returns an expression without functions that NumPy does not know."""
    while expression.has(ComposedBase, Direction):
        expression = expression.replace(lambda e: isinstance(e, ComposedBase), lambda e: e.formula)
        expression = expression.replace(lambda e: isinstance(e, Direction), _direction)
    return expression


def _direction(e: sympy.Expr) -> sympy.Expr:
    length = Magnitude(*e.args).formula
    return sympy.Piecewise((e.args[0] / length, length > 0), (0, True))
