"""Flat belt between two pulleys."""

import sympy

from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.ports import ROTATIONAL
from fmu_components.declare.rubbing import Losing
from fmu_components.declare.switched import friction


class BeltDrive(Losing):
    """Belt: the rims of the pulleys M and N run at one speed, up to the difference of tensions that friction can hold.

    The belt slips at 2 T0 (E - 1)/(E + 1) with E = exp(mu wrap) (Euler and Eytelwein), where T0 is the mean of both tensions. The
    multiplier is the force on the rim of N; centrifugal forces are neglected. A belt that is `crossed` turns N against M.
    """

    kind = ROTATIONAL
    drawing = Drawing(
        circle(-0.5, 0, 0.25, fill=0.85),
        circle(0.4, 0, 0.42, fill=0.85),
        line((-0.54, 0.25), (0.33, 0.42)),
        line((-0.54, -0.25), (0.33, -0.42)),
        circle(-0.5, 0, 0.06, fill=0.0),
        circle(0.4, 0, 0.06, fill=0.0),
    )

    def velocity_constraint(self, M, N):
        radius_M, radius_N = (self.parameter(f"radius_{name}", 0.1, "m", f"radius of the pulley {name}", above=0) for name in "MN")
        tension = self.parameter("tension", 100.0, "N", "mean tension of the belt", at_least=0, nominal=100)
        mu = self.parameter("mu", 0.3, "", "coefficient of friction", at_least=0)
        wrap = self.parameter("wrap", 3.14159265359, "rad", "angle over which the belt touches the smaller pulley", above=0)
        crossed = self.option("crossed", False, "the belt is crossed: the pulleys turn against each other")
        way = sympy.Piecewise((-1, crossed), (1, True))
        held = 2 * tension * sympy.tanh(mu * wrap / 2)
        return [friction(radius_N * N.w - way * radius_M * M.w, held)]
