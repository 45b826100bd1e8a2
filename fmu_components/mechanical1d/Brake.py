"""Friction brake of a shaft."""

import sympy

from fmu_components.declare.heat import fading
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import ROTATIONAL
from fmu_components.declare.rubbing import Losing
from fmu_components.declare.switched import friction


class Brake(Losing):
    """Friction brake: pads on M, as a rule the ground, hold the shaft N up to mu radius surfaces times the input `force`.

    A force of 0 or less lets go. The multiplier is the torque on N; M gets its opposite. The output `loss` is the power
    that is lost while it slips.
    """

    kind = ROTATIONAL
    drawing = Drawing(
        line((-0.9, 0), (0.9, 0), width=0.12),
        box(-0.1, -0.65, 0.1, 0.65, fill=0.85),
        box(-0.35, 0.4, -0.14, 0.62, fill=0.5),
        box(0.14, 0.4, 0.35, 0.62, fill=0.5),
        line((-0.8, 0.51), (-0.45, 0.51)),
        arrowhead(-0.4, 0.51, 0),
        line((0.8, 0.51), (0.45, 0.51)),
        arrowhead(0.4, 0.51, 180),
    )

    def velocity_constraint(self, M, N):
        force = self.input("force", 0.0, "N", "force that presses the pads on")
        mu = self.parameter("mu", 0.4, "", "coefficient of friction", at_least=0)
        peak = self.parameter("peak", 1.0, "", "coefficient up to which it sticks, by mu", at_least=1)
        radius = self.parameter("radius", 0.1, "m", "radius at which the pads act", above=0)
        surfaces = self.parameter("surfaces", 2.0, "", "number of surfaces that rub", above=0)
        limit = fading(self) * mu * radius * surfaces * sympy.Max(force, 0)
        return [friction(N.w - M.w, limit, peak * limit)]
