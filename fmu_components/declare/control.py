"""Common parts of limiters and controllers: limits as state events, and integral parts with anti-windup."""

from __future__ import annotations

import sympy

from fmu_components.declare.component import Component


def limited(part: Component, demand: sympy.Expr, lower: sympy.Expr, upper: sympy.Expr) -> sympy.Expr:
    """The demand between two limits; where it meets one of them is a state event."""
    above = part.relation("above", demand - upper, "the demand lies above the upper limit")
    below = part.relation("below", lower - demand, "the demand lies below the lower limit")
    return sympy.Piecewise((upper, above), (lower, below), (demand, True))


def integral_rate(ki: sympy.Expr, error: sympy.Expr, given: sympy.Expr, demand: sympy.Expr, tracking: sympy.Expr) -> sympy.Expr:
    """The rate of an integral part that is drawn back by the excess over the limits; it is 0 without integral action."""
    return sympy.Piecewise((0, sympy.Eq(ki, 0)), (ki * error + (given - demand) / tracking, True))
