"""The law of Hunt and Crossley for contacts that give way, with the damping that a coefficient of restitution asks for."""

from __future__ import annotations

import sympy
from sympy import Max, Min, Piecewise, exp, log

from fmu_components.declare.component import Component
from fmu_components.declare.functions import InSI

_ITERATIONS = 4
_NEARLY_ELASTIC = 1e-4
"""Value of 1 - e below which two terms of the series are exact to 1e-12. There Newton's method would end by dividing 0 by 0."""


def contact_force(part: Component, depth: sympy.Expr, rate: sympy.Expr) -> sympy.Symbol:
    """F = k depth^n (1 + c rate), which never pulls, by name; c is such that an impact at the speed ``speed`` gives back the share e of it."""
    k = part.parameter("k", 1e7, "N", "force at a penetration of 1 m", above=0, nominal=1e7)
    n = part.parameter("n", 1.5, "", "exponent of the penetration: 1.5 where spheres touch, 1 for a spring", at_least=1)
    e = part.parameter("e", 0.7, "", "coefficient of restitution of an impact at that speed", above=0, at_most=1)
    speed = part.parameter("speed", 1.0, "m/s", "speed of an impact with that coefficient of restitution", above=0)
    c = part.local("c", _damping(part, e) / speed, "s/m", "damping by stiffness")
    part.output("depth", Max(0, depth), "m", "penetration")
    law = k * InSI(depth) ** n * Max(0, 1 + c * rate)
    force = part.output("force", Piecewise((law, depth > 0), (0, True)), "N", "force that pushes N away from M")
    part.output("energy", Piecewise((k * InSI(depth) ** n * depth / (n + 1), depth > 0), (0, True)), "J", "energy stored in the contact")
    return force


def _damping(part: Component, e: sympy.Expr) -> sympy.Expr:
    """Solves x (1 + e) = ln((1 + x)/(1 - e x)) for x = c v. The equation holds for every mass, stiffness and exponent.

    Newton's method solves it for s = -ln(1 - e x), in which it is nearly linear.
    """
    b = Min(e, 1 - _NEARLY_ELASTIC)
    s = part.local("impact[1]", sympy.Rational(3, 2) * (1 / b - 1) / (1 + sympy.Rational(3, 20) * (1 / b - 1)), "", _text(1))
    for step in range(2, _ITERATIONS + 2):
        y = 1 - exp(-s)
        value = s - y * (1 + 1 / b) + log(1 + y / b)
        slope = 1 - (1 - y) * (1 + 1 / b - 1 / (b + y))
        s = part.local(f"impact[{step}]", s - value / slope, "", _text(step))
    nearly = sympy.Rational(3, 2) * (1 - e) * (2 - e)
    return Piecewise((nearly, e > 1 - _NEARLY_ELASTIC), ((1 - exp(-s)) / b, True))


def _text(step: int) -> str:
    return f"iterate {step} of -ln(1 - e c speed), for the damping that e asks for"
