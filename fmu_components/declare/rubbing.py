"""Friction between two flanges, and its losses."""

from __future__ import annotations

from typing import ClassVar

import sympy

from fmu_components.declare.functions import InSI
from fmu_components.declare.joint import Joint
from fmu_components.declare.switched import Friction, friction
from fmu_components.declare.tables import Item


class Losing(Joint):
    """Base of joints whose friction is one of their constraints: its power is their output ``loss``."""

    slipping: ClassVar[int] = 1
    """Number of this constraint, which slips."""

    def declare(self) -> None:
        super().declare()
        self.output("loss", -self[f"multiplier[{self.slipping}]"] * self[f"velocity[{self.slipping}]"], "W", "power lost as heat")


class Rubbing(Losing):
    """Base of frictions with a static and a kinetic limit, the curve of Stribeck between them, and viscous drag."""

    def rubs(self, slip: sympy.Expr, what: str, unit: str, speed: str) -> Friction:
        kinetic = self.parameter("kinetic", 1.0, unit, f"{what} while it slips", at_least=0)
        given = self.parameter("static", 0.0, unit, f"{what} up to which it sticks; 0 for the kinetic one", at_least=0)
        static = sympy.Max(given, kinetic)
        stribeck = self.parameter("stribeck", 0.0, speed, "speed of slip over which the static one turns into the kinetic one", at_least=0)
        viscous = self.parameter("viscous", 0.0, f"{unit}.s/{speed.removesuffix('/s')}", f"{what} per speed while it slips", at_least=0)

        def law(limit: sympy.Expr, v: sympy.Expr) -> sympy.Expr:
            fading = sympy.Piecewise((sympy.exp(-((v / stribeck) ** 2)), stribeck > 0), (0, True))
            return limit + (static - kinetic) * fading + viscous * v

        return friction(slip, kinetic, static, law)

    def validity(self, M, N):
        static, kinetic = self["static"], self["kinetic"]
        fits = sympy.Or(static >= kinetic, sympy.Eq(static, 0))
        return [(sympy.Piecewise((1, fits), (InSI(static - kinetic), True)), "static is at least kinetic; swap them")]


class RubbingByTable(Rubbing):
    """Base of frictions whose limit is a table of the speed of slip, instead of the curve of Stribeck."""

    def rubs(self, slip: sympy.Expr, what: str, unit: str, speed: str) -> Friction:
        curve = self.table(
            what, ((0.0, 0.01, 0.1, 1.0), (1.5, 1.2, 1.0, 1.1)), (speed, unit), f"{what} by speed of slip", at_least=0, least=0
        )
        peak = self.parameter("peak", 1.0, "", f"{what} up to which it sticks, by the first one of the table", at_least=1)
        at_rest = Item(0, curve.arrays[1])
        return friction(slip, at_rest, peak * at_rest, lambda _, v: curve(v))

    def validity(self, M, N):
        return []
