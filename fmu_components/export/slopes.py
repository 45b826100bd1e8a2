"""Slopes of equations, as a C program can compute them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from typing import Any

import sympy

from fmu_components.declare.expressions import contains, derivative, symbols_of


def _chosen(arguments: tuple[sympy.Expr, ...], better: Any) -> sympy.Expr:
    """The best of several values, by comparing two at a time."""
    first, *rest = sorted(arguments, key=str)
    for other in rest:
        first = sympy.Piecewise((first, better(first, other)), (other, True))
    return first


def slope_of(value: sympy.Basic, symbol: sympy.Basic) -> sympy.Expr:
    """The derivative as a C program can compute it: without impulses where a function jumps."""
    # A maximum of two equal arguments, as at rest, has the slope of one of them, not slope 0.
    if contains(value, sympy.Max, sympy.Min):
        value = value.replace(sympy.Max, lambda *each: _chosen(each, sympy.Ge)).replace(sympy.Min, lambda *each: _chosen(each, sympy.Le))
    slope = derivative(value, symbol)
    if not contains(slope, sympy.DiracDelta, sympy.Heaviside):
        return slope
    slope = slope.replace(sympy.DiracDelta, lambda *_: sympy.Integer(0))
    return slope.replace(sympy.Heaviside, lambda x, *_: sympy.Piecewise((1, x > 0), (0, True)))


def slopes_of(equation: sympy.Basic) -> dict[sympy.Symbol, sympy.Expr]:
    """Returns the slopes of an equation by its symbols, except those that are 0 everywhere; a long sum is walked over once."""
    terms: defaultdict[sympy.Symbol, list[sympy.Expr]] = defaultdict(list)
    for term in sympy.Add.make_args(equation):
        for symbol in symbols_of(term):
            terms[symbol].append(slope_of(term, symbol))
    slopes = {symbol: sympy.Add(*parts) for symbol, parts in terms.items()}
    return {symbol: slope for symbol, slope in slopes.items() if slope != 0}


def operations_in(expressions: Iterable[sympy.Basic]) -> int:
    """Returns the number of operations in expressions; what they share is counted once."""
    seen: set[sympy.Basic] = set()
    waiting = list(expressions)
    while waiting:
        part = waiting.pop()
        if part.args and part not in seen:
            seen.add(part)
            waiting += part.args
    return sum(max(1, len(part.args) - 1) for part in seen)
