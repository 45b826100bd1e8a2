"""Short forms of expressions with sines and cosines."""

from __future__ import annotations

from math import prod

import sympy
from sympy.simplify.fu import TR8

_READABLE = 200
"""Number of terms up to which an expression is expanded."""


def short(expression: sympy.Expr) -> sympy.Expr:
    """Returns the shortest of an expression, its sum of products, and this sum with products of sines and cosines as sums."""
    if expression.is_Atom or terms(expression) > _READABLE:
        return expression
    quotients = [term for term in sympy.Add.make_args(expression) if _divides_by_angles(term)]
    if quotients:  # whose numerators are not worth expanding
        rest = expression - sympy.Add(*quotients)
        return (short(rest) if rest != 0 else rest) + sympy.factor_terms(sympy.Add(*quotients))
    found = [expression, sympy.expand(expression)]
    if expression.has(sympy.sin, sympy.cos):
        found.append(sympy.expand(TR8(found[1])))
    return min([*found, *map(sympy.factor_terms, found)], key=sympy.count_ops)


def short_matrix(matrix: sympy.Matrix) -> sympy.Matrix:
    return matrix.applyfunc(short)


def terms(expression: sympy.Expr) -> int:
    """Returns how many terms the sum of products has, at most."""
    if expression.is_Add:
        return sum(map(terms, expression.args))
    if expression.is_Mul:
        return prod(map(terms, expression.args))
    if expression.is_Pow and expression.exp.is_Integer:
        return int(terms(expression.base) ** abs(int(expression.exp)))
    return 1


def product(a: sympy.Matrix, b: sympy.Matrix) -> sympy.Matrix:
    """Returns a product of matrices, whose entries stay as they are; SymPy's own product would bring them to one denominator."""
    return sympy.Matrix(a.rows, b.cols, lambda i, j: sympy.Add(*(a[i, k] * b[k, j] for k in range(a.cols))))


def _divides_by_angles(expression: sympy.Expr) -> bool:
    """Says whether sines or cosines are in a denominator."""
    return any(power.exp.is_negative and power.base.has(sympy.sin, sympy.cos) for power in expression.atoms(sympy.Pow))
