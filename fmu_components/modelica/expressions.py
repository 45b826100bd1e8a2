"""Expressions in Modelica."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import sympy
from sympy.printing.str import StrPrinter

from fmu_components.declare.declaration import DeclarationError
from fmu_components.declare.functions import ComposedBase, Direction, Magnitude, TurnFactor
from fmu_components.declare.tables import Item, LeastStep, LookupBase
from fmu_components.modelica.tables import call, of_array

_FUNCTIONS = ("sin", "cos", "tan", "asin", "acos", "atan", "atan2", "sinh", "cosh", "tanh", "exp", "log", "sign", "floor")


class ModelicaPrinter(StrPrinter):
    """Prints expressions of a declaration.

    ``reference`` returns the text of a symbol, ``shared`` the name of a variable for a part with a long formula.
    """

    def __init__(self, reference: Callable[[sympy.Symbol], str], shared: Callable[[ComposedBase], str]) -> None:
        super().__init__({"order": "none"})  # sorting the terms takes longer than all else
        self._reference, self._shared = reference, shared

    def _print_Symbol(self, expr: sympy.Symbol) -> str:
        return self._reference(expr)

    def _print_Pow(self, expr: sympy.Pow, rational: bool = False) -> str:
        base, exponent = expr.args
        if exponent.could_extract_minus_sign():
            return f"(1/{self._power(base, -exponent)})"
        return self._power(base, exponent)

    def _power(self, base: sympy.Expr, exponent: sympy.Expr) -> str:
        text = self._print(base)
        if exponent == sympy.S.Half:
            return f"sqrt({text})"
        enclosed = text if base.is_Symbol else f"({text})"
        if exponent == 1:
            return enclosed
        return f"{enclosed}^{exponent}" if exponent.is_Integer else f"{enclosed}^({self._print(exponent)})"

    def _print_Piecewise(self, expr: sympy.Piecewise) -> str:
        *cases, last = expr.args
        text = "".join(f"if {self._print(condition)} then {self._print(value)} else " for value, condition in cases)
        return f"noEvent({text}{self._print(last[0])})"

    def _print_Float(self, expr: sympy.Float) -> str:
        return repr(float(expr))

    _print_NumberSymbol = _print_Pi = _print_Exp1 = _print_Float

    def _print_Rational(self, expr: sympy.Rational) -> str:
        return f"({expr.p}/{expr.q})"

    def _print_Relational(self, expr: sympy.core.relational.Relational) -> str:
        operator = {"==": "==", "!=": "<>"}.get(expr.rel_op, expr.rel_op)
        return f"({self._print(expr.lhs)} {operator} {self._print(expr.rhs)})"

    def _print_And(self, expr: sympy.And) -> str:
        return f"({' and '.join(map(self._print, expr.args))})"

    def _print_Or(self, expr: sympy.Or) -> str:
        return f"({' or '.join(map(self._print, expr.args))})"

    def _print_Not(self, expr: sympy.Not) -> str:
        return f"(not {self._print(expr.args[0])})"

    def _print_BooleanTrue(self, expr: sympy.Basic) -> str:
        return "true"

    def _print_BooleanFalse(self, expr: sympy.Basic) -> str:
        return "false"

    def _print_Abs(self, expr: sympy.Abs) -> str:
        return f"noEvent(abs({self._print(expr.args[0])}))"

    def _print_Max(self, expr: sympy.Max) -> str:
        return f"noEvent({self._nested('max', expr.args)})"

    def _print_Min(self, expr: sympy.Min) -> str:
        return f"noEvent({self._nested('min', expr.args)})"

    def _nested(self, name: str, arguments: Sequence[sympy.Expr]) -> str:
        text = self._print(arguments[0])
        for argument in arguments[1:]:
            text = f"{name}({text}, {self._print(argument)})"
        return text

    def _print_Function(self, expr: sympy.Function) -> str:
        if isinstance(expr, Direction):
            length = self._print(Magnitude(*expr.args))
            return f"noEvent(if {length} > 0 then ({self._print(expr.args[0])})/{length} else 0)"
        if isinstance(expr, TurnFactor):
            return self._shared(expr)
        if isinstance(expr, ComposedBase):
            return f"({self._print(expr.formula)})"
        if isinstance(expr, LookupBase):
            return call(expr, [self._print(each) for each in expr.varying], [self._print(each) for each in expr.arrays])
        if isinstance(expr, Item | LeastStep):
            return of_array(expr, self._print(expr.array))
        name = type(expr).__name__
        if name not in _FUNCTIONS:
            raise DeclarationError(f"the function '{name}' has no Modelica text; express it by {', '.join(_FUNCTIONS)}")
        return f"{name}({', '.join(map(self._print, expr.args))})"
