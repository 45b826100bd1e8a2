"""Linear contact with a gap between two flanges, which pushes and never pulls."""

from __future__ import annotations

import sympy
from sympy import Max, Min, Piecewise

from fmu_components.declare.component import Component


def contact(part: Component, position: sympy.Expr, speed: sympy.Expr, length: str, force: str, unit: str) -> sympy.Symbol:
    """Declares the contact, and returns the effort that pushes N up.

    ``length`` is the unit of the ``position`` of N relative to M, ``force`` the noun of the effort and ``unit`` its unit.
    """
    gap = part.parameter("gap", 0.0, length, "position of N relative to M at which they touch")
    k = part.parameter("k", 1e5, f"{unit}/{length}", "stiffness", above=0, nominal=1e5)
    c = part.parameter("c", 0.0, f"{unit}.s/{length}", "damping", at_least=0, nominal=100)
    q = part.output("q", position, length, "position of N relative to M")
    depth = part.local("depth", gap - q, length, "penetration, negative while they are apart")
    pushes = part.relation("pushes", Min(depth, depth - c / k * speed), "N and M push each other")
    law = Piecewise((k * depth - c * speed, pushes), (0, True))
    effort = part.output(force, law, unit, f"{force} that pushes N away from M")
    stored = k * Max(depth, 0)
    part.output("energy", stored * Max(depth, 0) / 2, "J", "energy stored in the contact")
    part.output("loss", (stored - effort) * speed, "W", "power dissipated")
    return effort
