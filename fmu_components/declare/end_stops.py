"""End stops of a cylinder: springs with dampers that push the piston back and never pull at it."""

from __future__ import annotations

from dataclasses import dataclass

import sympy
from sympy import Max, Min, Piecewise

from fmu_components.declare.component import Component


@dataclass(frozen=True)
class EndStops:
    """The parameters of both end stops of a cylinder."""

    part: Component
    stiffness: sympy.Symbol
    damping: sympy.Symbol
    reach: sympy.Symbol

    @staticmethod
    def of(part: Component, stiffness: float, damping: float) -> EndStops:
        """Declares the parameters with these usual values."""
        k = part.parameter("stop.k", stiffness, "N/m", "stiffness of the end stops", above=0, nominal=1e7)
        c = part.parameter("stop.c", damping, "N.s/m", "damping of the end stops", at_least=0, nominal=1e3)
        reach = part.parameter("stop.length", 1e-3, "m", "length of a chamber at which its end stop begins", above=0, nominal=1e-3)
        return EndStops(part, k, c, reach)

    def at(self, number: int, length: sympy.Expr, speed: sympy.Expr) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
        """Returns the force of one end stop on the piston, away from it, the power that it dissipates and the energy that it stores."""
        depth = self.reach - length
        free = Min(depth, depth - self.damping / self.stiffness * speed)
        pushes = self.part.relation(f"stop{number}", free, f"the end stop of chamber {number} pushes")
        law = Piecewise((self.stiffness * depth - self.damping * speed, pushes), (0, True))
        force = self.part.local(f"stop{number}.force", law, "N", f"force of the end stop of chamber {number} on the piston")
        return force, (self.stiffness * Max(depth, 0) - force) * speed, self.stiffness * Max(depth, 0) ** 2 / 2
