"""Friction brake of a mass on a line."""

import sympy

from fmu_components.declare.heat import fading
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import TRANSLATIONAL
from fmu_components.declare.rubbing import Losing
from fmu_components.declare.switched import friction


class LineBrake(Losing):
    """Friction brake on a line: pads on M, usually the ground, hold the mass N up to mu surfaces times the input `force`.

    A force of 0 or less lets go. The multiplier is the force on N; M gets its opposite. The output `loss` is the power that is lost while
    it slips. Brakes of rails and clamps of rods are examples.
    """

    kind = TRANSLATIONAL
    drawing = Drawing(
        line((-0.9, 0), (0.9, 0), width=0.12),
        box(-0.3, 0.1, 0.3, 0.35, fill=0.5),
        box(-0.3, -0.35, 0.3, -0.1, fill=0.5),
        line((0, 0.85), (0, 0.45)),
        arrowhead(0, 0.4, -90),
        line((0, -0.85), (0, -0.45)),
        arrowhead(0, -0.4, 90),
    )

    def velocity_constraint(self, M, N):
        force = self.input("force", 0.0, "N", "force that presses the pads on")
        mu = self.parameter("mu", 0.4, "", "coefficient of friction", at_least=0)
        self.expect(1 - mu, "mu is at most 1, as of linings and pads")
        peak = self.parameter("peak", 1.0, "", "coefficient up to which it sticks, by mu", at_least=1)
        surfaces = self.parameter("surfaces", 2.0, "", "number of surfaces that rub", above=0)
        limit = fading(self) * mu * surfaces * sympy.Max(force, 0)
        return [friction(N.v - M.v, limit, peak * limit)]
