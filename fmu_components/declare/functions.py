"""Functions for declarations that SymPy has no safe form of."""

from __future__ import annotations

from abc import abstractmethod
from typing import Any

import sympy


def signed_root(x: sympy.Expr, linear: sympy.Expr) -> sympy.Expr:
    """``sign(x) sqrt(|x|)``, and proportional to x where ``|x| < linear``, so that its slope is finite everywhere."""
    return x / sympy.sqrt(sympy.Max(sympy.Abs(x), linear))


class ComposedBase(sympy.Function):
    """A function with a formula of functions that all tools know, and a slope of its own.

    SymPy's printers look for a base class by name only if the name ends like this one.
    """

    @property
    @abstractmethod
    def formula(self) -> sympy.Expr: ...

    @property
    def shown(self) -> sympy.Expr:
        """The formula as people read it, where it is computed in another way."""
        return self.formula

    def _eval_evalf(self, prec: int) -> Any:
        return self.formula._eval_evalf(prec)

    def _code(self, printer: Any) -> str:
        return f"({printer._print(self.formula)})"

    _ccode = _pythoncode = _numpycode = _mpmathcode = _code


class Magnitude(ComposedBase):
    """The length of the vector (x, y) or (x, y, z); its slope is 0 where it vanishes, instead of undefined."""

    nargs = (2, 3)

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        return Direction(self.args[argindex - 1], *self.args[: argindex - 1], *self.args[argindex:])

    @property
    def formula(self) -> sympy.Expr:
        return sympy.sqrt(sympy.Add(*(x**2 for x in self.args)))


class InSI(ComposedBase):
    """The value of a quantity in SI units, which fits where another dimension is wanted."""

    nargs = 1

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        return sympy.Integer(1)

    @property
    def formula(self) -> sympy.Expr:
        return self.args[0]


class Direction(sympy.Function):
    """The vector's unit component x / |(x, y)| or x / |(x, y, z)|, and 0 where the vector vanishes: the slope of a magnitude. It is not
    differentiated further."""

    nargs = (2, 3)

    def _ccode(self, printer: Any) -> str:
        x, length = printer._print(self.args[0]), Magnitude(*self.args)._code(printer)
        return f"({length} > 0 ? ({x})/{length} : 0)"

    def _pythoncode(self, printer: Any) -> str:
        x, length = printer._print(self.args[0]), Magnitude(*self.args)._code(printer)
        return f"(({x})/{length} if {length} > 0 else 0)"

    _mpmathcode = _pythoncode


class GreatestMoment(ComposedBase):
    """The greatest principal moment of a tensor of inertia, of its entries xx, yy, zz, xy, xz and yz. It is not differentiated."""

    nargs = 6

    @property
    def shown(self) -> sympy.Expr:
        return sympy.Function("greatest")(*self.args)

    @property
    def formula(self) -> sympy.Expr:
        xx, yy, zz, xy, xz, yz = self.args
        mean = (xx + yy + zz) / 3  # Smith, Communications of the ACM 4, 1961
        rest = sympy.Matrix([[xx - mean, xy, xz], [xy, yy - mean, yz], [xz, yz, zz - mean]])
        size = sympy.sqrt(sum(entry**2 for entry in rest) / 6)
        cosine = sympy.Max(-1, sympy.Min(1, rest.det() / (2 * size**3)))
        return sympy.Piecewise((mean + 2 * size * sympy.cos(sympy.acos(cosine) / 3), size > 0), (mean, True))


class Unwrapped(ComposedBase):
    """The angle with the given sine and cosine, or multiples of these, that is nearest to w: smooth while w follows it.

    A w of 0 chooses an angle from 0.1 - pi to 0.1 + pi, so that a start at half a turn lies away from the seam.
    """

    nargs = 3

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        s, c, _ = self.args
        return (c / (s**2 + c**2), -s / (s**2 + c**2), sympy.Integer(0))[argindex - 1]

    @property
    def formula(self) -> sympy.Expr:
        s, c, w = self.args
        middle = w + sympy.Rational(1, 10)
        return middle + sympy.atan2(s * sympy.cos(middle) - c * sympy.sin(middle), c * sympy.cos(middle) + s * sympy.sin(middle))


class TurnFactor(ComposedBase):
    """The derivative of order n, by the square of the sine, of angle/sine: times the vector sin(angle) axis, that of order 0 gives angle axis.

    The arguments are n, the square and the cosine. Smooth from 0 up to half a turn, where the axis is undefined; there it is huge, not infinite.
    """

    nargs = 3

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        n, square, cosine = self.args
        if argindex == 2:
            return TurnFactor(n + 1, square, cosine)
        return (-1) ** (n + 1) * sympy.factorial(n) / (square + cosine**2) ** (n + 1)

    @property
    def shown(self) -> sympy.Expr:
        return self._closed(*self.args)

    @property
    def formula(self) -> sympy.Expr:
        n, square, cosine = self.args
        small = sympy.And(cosine > 0, 5 * square < cosine**2)  # where the closed form is a difference of large terms
        x, series = square / cosine**2, sympy.Integer(0)
        for j in range(_TERMS, -1, -1):
            series = series * x + sympy.Float((-1) ** (j + n) * sympy.ff(j + n, n) / (2 * (j + n) + 1))
        return sympy.Piecewise(
            (series / cosine ** (2 * n + 1), small), (self._closed(n, sympy.Max(square, sympy.Float(_LEAST)), cosine), sympy.true)
        )

    @staticmethod
    def _closed(n: int, square: sympy.Expr, cosine: sympy.Expr) -> sympy.Expr:
        found = sympy.atan2(sympy.sqrt(square), cosine) / sympy.sqrt(square)
        for k in range(1, int(n) + 1):
            rational = (-1) ** (k - 1) * sympy.factorial(k - 1) * cosine / (square + cosine**2) ** k
            found = (rational - (2 * k - 1) * found) / (2 * square)
        return found


_TERMS, _LEAST = 26, 1e-100
"""Number of terms of the series, which is exact for its arguments of at most 1/5; and a square whose higher derivatives are still finite."""
