"""Functions for declarations that SymPy has no safe form of."""

from __future__ import annotations

from typing import Any

import sympy


def signed_root(x: sympy.Expr, linear: sympy.Expr) -> sympy.Expr:
    """sign(x) sqrt(|x|), and proportional to x where |x| < linear, so that its slope is finite everywhere."""
    return x / sympy.sqrt(sympy.Max(sympy.Abs(x), linear))


class Magnitude(sympy.Function):
    """The length of the vector (x, y); its slope is 0 where it vanishes, instead of undefined."""

    nargs = 2

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        x, y = self.args
        return Direction(x, y) if argindex == 1 else Direction(y, x)

    @property
    def formula(self) -> sympy.Expr:
        x, y = self.args
        return sympy.sqrt(x**2 + y**2)

    def _eval_evalf(self, prec: int) -> Any:
        return self.formula._eval_evalf(prec)

    def _code(self, printer: Any) -> str:
        return printer._print(self.formula)

    _ccode = _pythoncode = _numpycode = _mpmathcode = _code


class Direction(sympy.Function):
    """x / |(x, y)|, and 0 where the vector vanishes: the slope of a magnitude. It is not differentiated further."""

    nargs = 2

    def _ccode(self, printer: Any) -> str:
        x, length = printer._print(self.args[0]), Magnitude(*self.args)._code(printer)
        return f"({length} > 0 ? ({x})/{length} : 0)"

    def _pythoncode(self, printer: Any) -> str:
        x, length = printer._print(self.args[0]), Magnitude(*self.args)._code(printer)
        return f"(({x})/{length} if {length} > 0 else 0)"

    _mpmathcode = _pythoncode
