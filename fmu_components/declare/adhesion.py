"""Friction of a tyre or a wheel: it grows with the slip up to adhesion, and falls from there to sliding."""

from __future__ import annotations

import sympy

from fmu_components.declare.component import Component


def _smooth(x: sympy.Expr) -> sympy.Expr:
    """Rises from -1 at x = -1 to 1 at x = 1, with slope 0 at both ends."""
    return (3 * x - x**3) / 2


def friction_per_slip(speed: sympy.Expr, adhesion: sympy.Expr, sliding: sympy.Expr, peak: sympy.Expr, final: sympy.Expr) -> sympy.Expr:
    """The coefficient of friction over the speed of slip, which is at least 0: finite, and smooth, where there is no slip.

    The coefficient rises from 0 to ``peak`` at the speed ``adhesion`` and falls to ``final`` at ``sliding``, with a slope of 0 at both.
    """
    risen = sympy.Min(speed / adhesion, 1)
    fallen = sympy.Max(-1, sympy.Min(1, (2 * speed - adhesion - sliding) / (sliding - adhesion)))
    return (peak * (3 - risen**2) / 2 + (final - peak) * (1 + _smooth(fallen)) / 2) / sympy.Max(speed, adhesion)


def coefficients(part: Component) -> tuple[sympy.Symbol, sympy.Symbol]:
    """The parameters of a wheel's friction: at adhesion, and when it slides."""
    return (
        part.parameter("adhesion.mu", 0.8, "", "greatest coefficient of friction", at_least=0),
        part.parameter("sliding.mu", 0.4, "", "coefficient of friction when all slides", at_least=0),
    )


def speeds(part: Component, text: str = "") -> tuple[sympy.Symbol, sympy.Symbol]:
    """The speeds of slip at which friction is greatest, and from which on it is that of sliding."""
    adhesion = part.parameter("adhesion.speed", 0.1, "m/s", f"speed of slip at which friction is greatest{text}", above=0, nominal=0.1)
    sliding = part.parameter("sliding.speed", 0.3, "m/s", f"speed of slip from which on all slides{text}", above=0, nominal=0.1)
    part.require(sliding - adhesion, "sliding.speed is greater than adhesion.speed")
    return adhesion, sliding
