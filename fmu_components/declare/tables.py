"""Functions that tables give: curves y(x) and surfaces z(x, y), whose numbers are array parameters."""

from __future__ import annotations

import sympy

KINDS = ("linear", "cubic", "periodic linear", "periodic cubic", "periodic smooth")
"""Names of the interpolations, at the places by which functions of tables name them: linear pieces and monotone cubics, once or repeated, and
pieces with continuous second derivatives."""
LARGEST = (1, 3, 1, 3, 5)
"""Order of the last derivative that is not 0, by the place of the interpolation."""
_LAST_ALONG_Y = 3
"""Order of the last derivative of a surface by y that is computed."""


class LookupBase(sympy.Function):
    """A function whose last arguments are the symbols of array parameters, by which it has no derivative.

    SymPy's printers look for a base class by name only if the name ends like this one.
    """

    x_count: int
    """Number of arguments that vary."""

    def _eval_is_real(self) -> bool:
        return True

    @property
    def orders(self) -> tuple[int, ...]:
        """The orders of the derivative, by the arguments that vary."""
        return tuple(int(order) for order in self.args[: self.x_count])

    @property
    def kind(self) -> int:
        """The place of the interpolation in :data:`KINDS`."""
        return int(self.args[self.x_count])

    @property
    def varying(self) -> tuple[sympy.Expr, ...]:
        """The arguments that vary."""
        return self.args[self.x_count + 1 : 2 * self.x_count + 1]

    @property
    def arrays(self) -> tuple[sympy.Symbol, ...]:
        """The array parameters: the nodes of each argument that varies, then the values."""
        return self.args[2 * self.x_count + 1 :]

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        place = argindex - 2 - self.x_count
        if not 0 <= place < self.x_count or (self.orders[place] >= LARGEST[self.kind] and (place == 0 or self.kind == 0)):
            return sympy.Integer(0)
        if place == 1 and self.orders[1] >= _LAST_ALONG_Y:
            raise ValueError(f"'{self}' has no further derivative by '{self.varying[1]}'; at most {_LAST_ALONG_Y} can be computed")
        return self.func(*(each + 1 if index == place else each for index, each in enumerate(self.args)))


class ArrayBase(sympy.Function):
    """A number that is taken from the array parameter whose symbol is the last argument. It is not differentiated."""

    def _eval_is_real(self) -> bool:
        return True

    def fdiff(self, argindex: int = 1) -> sympy.Expr:
        return sympy.Integer(0)

    @property
    def array(self) -> sympy.Symbol:
        return self.args[-1]


class LeastStep(ArrayBase):
    """The least difference of neighbours in an array: positive if the numbers increase."""

    nargs = 1


class Item(ArrayBase):
    """``Item(k, X)`` is the element of an array at the place k, counted from 0, or from the end if it is negative."""

    nargs = 2


class NextNode(ArrayBase):
    """``NextNode(x, X)`` is the first of increasing numbers that is greater than x; x itself if none is."""

    nargs = 2


class Curve(LookupBase):
    """The function y(x) of a table: ``Curve(order, kind, x, X, Y)`` is its derivative of an order by x, with the nodes X and the values Y.

    Its kind is 0 for linear pieces and 1 for monotone cubics, with the slopes of PCHIP: a weighted harmonic mean at inner nodes, 0 at an
    extremum, three-point slopes at the ends. Its first derivative is continuous then. Beyond the nodes the value of the end is held. The
    kinds 2 and 3 are the same, repeated with the distance of the first node and the last one, whose values are equal. So is the kind 4, of
    fifth degree: its slopes and second derivatives at a node are those of the polynomial through five nodes.
    """

    nargs = 5
    x_count = 1


class Surface(LookupBase):
    """The function z(x, y) of a table: ``Surface(order_x, order_y, kind, x, y, X, Y, Z)`` is its derivative of two orders.

    Z has a row for each x and a column for each y. Of the kind 0 the pieces are bilinear. Of the kind 1, monotone cubics along y, at the
    four rows around x at most, give the values of a monotone cubic along x. Beyond the nodes the value of the edge is held.
    """

    nargs = 8
    x_count = 2
