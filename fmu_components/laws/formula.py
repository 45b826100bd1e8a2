"""Formulas as text, such as ``k*s + c*v**3``, which are read into expressions of SymPy. Python evaluates nothing of the text."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Mapping
from typing import Any

import sympy

from fmu_components.declare.declaration import DeclarationError

FUNCTIONS: Mapping[str, Callable[..., sympy.Expr]] = {
    **{name: getattr(sympy, name) for name in ("sin", "cos", "tan", "asin", "acos", "atan", "sinh", "cosh", "tanh", "exp", "log", "sqrt")},
    "abs": sympy.Abs,
    "min": sympy.Min,
    "max": sympy.Max,
    "atan2": sympy.atan2,
}
_COUNTS = {"min": (2, 9), "max": (2, 9), "atan2": (2, 2)}
"""Least and greatest number of operands of functions that do not have exactly one."""
_LONGEST = 1000
_OPERATIONS: Mapping[type, Callable[[Any, Any], sympy.Expr]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.Div: lambda a, b: a / b,
    ast.Pow: lambda a, b: sympy.Pow(a, b) if not (a.is_number and b.is_number) else sympy.Pow(sympy.Float(a), sympy.Float(b)),
}


def expression(text: object, known: Mapping[str, sympy.Expr]) -> sympy.Expr:
    """Returns the expression of a formula with ``known`` names; refuses other texts by a sentence."""
    if not isinstance(text, str) or len(text) > _LONGEST:
        given = f"its {len(text)} characters are more than {_LONGEST}" if isinstance(text, str) else "it is no text"
        raise refused(text, f"{given}; give a text such as 'k*s + c*v**3'")
    try:
        tree = ast.parse(text.strip().replace("^", "**"), mode="eval").body
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        raise refused(text, "it cannot be read; give numbers, names, functions and + - * / **") from None
    try:
        return _Reader(text, known).value(tree)
    except RecursionError:
        raise refused(text, "it is too deeply nested; give a simpler one") from None


def refused(text: object, why: str) -> DeclarationError:
    """Returns the error for a formula."""
    shown = repr(text)
    return DeclarationError(f"the formula {shown if len(shown) <= 60 else f'{shown[:57]}...'} is refused: {why}")


class _Reader:
    """A formula on its way to an expression."""

    def __init__(self, text: str, known: Mapping[str, sympy.Expr]) -> None:
        self._text, self._known = text, {"pi": sympy.pi, **known}

    def value(self, node: ast.expr) -> sympy.Expr:
        """Returns the expression of a part of the formula."""
        if isinstance(node, ast.Constant) and type(node.value) in (int, float):
            return self._finite(sympy.Integer(node.value) if isinstance(node.value, int) else sympy.Float(node.value), node)
        if isinstance(node, ast.Name):
            if node.id not in self._known:
                raise refused(self._text, f"'{node.id}' is not known; it may use {', '.join(self._known)}, and other names that you give")
            return self._known[node.id]
        if isinstance(node, ast.BinOp) and type(node.op) in _OPERATIONS:
            return self._finite(_OPERATIONS[type(node.op)](self.value(node.left), self.value(node.right)), node)
        if isinstance(node, ast.UnaryOp) and isinstance(node.op, ast.USub | ast.UAdd):
            found = self.value(node.operand)
            return -found if isinstance(node.op, ast.USub) else found
        if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
            return self._called(node.func.id, node)
        raise refused(self._text, f"'{ast.unparse(node)[:40]}' has no meaning in it; give numbers, names, functions and + - * / **")

    def _called(self, name: str, node: ast.Call) -> sympy.Expr:
        if name not in FUNCTIONS:
            raise refused(self._text, f"'{name}' is no function of formulas; these are {', '.join(FUNCTIONS)}")
        least, most = _COUNTS.get(name, (1, 1))
        if node.keywords or not least <= len(node.args) <= most:
            count = str(least) if least == most else f"{least} to {most}"
            raise refused(self._text, f"'{name}' has {len(node.args) + len(node.keywords)} operands; give {count}")
        return self._finite(FUNCTIONS[name](*map(self.value, node.args)), node)

    def _finite(self, value: sympy.Expr, node: ast.expr) -> sympy.Expr:
        """Returns an expression in which numbers are real and finite; sums of numbers become one."""
        if not value.is_number or (value.is_Rational and abs(value) < 1e300):
            return value
        number = complex(value) if value.is_finite is not False else complex(math.inf)
        if number.imag or not math.isfinite(number.real):
            raise refused(self._text, f"'{ast.unparse(node)[:40]}' is no finite real number; correct it")
        if value.has(sympy.pi):
            return value
        return sympy.Integer(int(number.real)) if number.real.is_integer() and abs(number) < 2**53 else sympy.Float(number.real)
