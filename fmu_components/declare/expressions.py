"""Questions to expressions, answered once for each part of them.

An expression shares its parts, since it was built from others: as a tree it is far larger than as a graph. SymPy walks over trees.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import lru_cache

import sympy
from sympy.core.function import AppliedUndef

_KEPT = 2**16
"""Answers that are remembered; more than the parts of any one component, so that all of them stay while it is exported."""


@lru_cache(_KEPT)
def free_symbols(expression: sympy.Basic) -> frozenset[sympy.Symbol]:
    """Returns the same as ``expression.free_symbols``."""
    if not expression.args or type(expression).free_symbols is not sympy.Basic.free_symbols:
        return frozenset(expression.free_symbols)
    return frozenset().union(*map(free_symbols, expression.args))


@lru_cache(_KEPT)
def kinds_in(expression: sympy.Basic) -> frozenset[type]:
    """The classes of all parts of an expression."""
    return frozenset({type(expression)}).union(*map(kinds_in, expression.args))


def contains(expression: sympy.Basic, *kinds: type) -> bool:
    """Returns the same as ``expression.has(*kinds)``, for classes."""
    return any(issubclass(kind, kinds) for kind in kinds_in(expression))


@lru_cache(_KEPT, typed=True)
def derivative(expression: sympy.Expr, symbol: sympy.Symbol) -> sympy.Expr:
    """Returns the same as ``sympy.diff``, except for the order of the terms."""
    if expression == symbol:
        return sympy.S.One
    if symbol not in free_symbols(expression):
        return sympy.S.Zero
    kind, args = type(expression), expression.args
    if kind is sympy.Add:
        return sympy.Add(*(derivative(term, symbol) for term in args if symbol in free_symbols(term)))
    if kind is sympy.Mul:
        varying = [index for index, factor in enumerate(args) if symbol in free_symbols(factor)]
        return sympy.Add(*(sympy.Mul(*args[:i], derivative(args[i], symbol), *args[i + 1 :]) for i in varying))
    if kind is sympy.Pow:
        base, exponent = args
        slope = derivative(base, symbol) * exponent / base
        if symbol in free_symbols(exponent):
            slope = derivative(exponent, symbol) * sympy.log(base) + slope
        return expression * slope
    if kind is sympy.Piecewise:
        return sympy.Piecewise(*((derivative(value, symbol), condition) for value, condition in args))
    if getattr(kind, "_eval_derivative", None) is sympy.Function._eval_derivative and not isinstance(expression, AppliedUndef):
        inner = [(index, derivative(argument, symbol)) for index, argument in enumerate(args, start=1)]
        return sympy.Add(*(expression.fdiff(index) * slope for index, slope in inner if not slope.is_zero))
    return sympy.diff(expression, symbol)


def replaced(
    expression: sympy.Basic, values: Mapping[sympy.Symbol, sympy.Basic], done: dict[sympy.Basic, sympy.Basic] | None = None
) -> sympy.Basic:
    """Returns what ``expression.xreplace(values)`` gives, for symbols; ``done`` keeps the parts for further calls with the same values."""
    done = {} if done is None else done

    def visit(part: sympy.Basic) -> sympy.Basic:
        if part in values:
            return values[part]
        if values.keys().isdisjoint(free_symbols(part)):
            return part
        if part not in done:
            done[part] = part.func(*map(visit, part.args))
        return done[part]

    return visit(expression)


def symbols_of(expression: sympy.Basic) -> list[sympy.Symbol]:
    """The symbols of an expression in the order of their names."""
    return sorted(free_symbols(expression), key=lambda symbol: symbol.name)
