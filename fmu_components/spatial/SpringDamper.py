"""Spring and damper between two points in space."""

from sympy import sqrt

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, circle, damper, spring
from fmu_components.declare.picture import coil, dashpot, picture
from fmu_components.declare.ports import SPATIAL, Side


class SpringDamper(Component):
    """Spring and damper in parallel between the points M and N in space, along the line between them.

    The direction is undefined where M and N coincide; there the force fades within the length `smoothing`.
    """

    drawing = Drawing(
        spring(-0.72, 0.72, 0.3),
        *damper(-0.72, 0.72, -0.35),
        circle(-0.72, 0, 0.16, fill=0.85),
        circle(0.72, 0, 0.16, fill=0.85),
    )
    picture = picture(coil("M", "N"), dashpot("M", "N"))

    def declare(self):
        M = self.port("M", SPATIAL, Side.EFFORT, "on body i")
        N = self.port("N", SPATIAL, Side.EFFORT, "on body j")
        k = self.parameter("k", 1000.0, "N/m", "stiffness", at_least=0, nominal=1000)
        b = self.parameter("b", 0.0, "N.s/m", "viscous damping", at_least=0)
        rest = self.parameter("rest", 0.0, "m", "length at rest", at_least=0)
        smoothing = self.parameter("smoothing", 1e-9, "m", "length below which the direction of the force fades", above=0, nominal=1e-9)
        MN = N.point - M.point
        length = self.output("length", sqrt(MN.dot(MN) + smoothing**2), "m", "length of the spring")
        rate = self.output("rate", MN.dot(N.velocity - M.velocity) / length, "m/s", "time derivative of the length")
        tension = self.output("tension", k * (length - rest) + b * rate, "N", "force with which spring and damper pull the points together")
        pull = tension * MN / length
        for port, force in ((M, pull), (N, -pull)):
            self.gives(port, *force, 0, 0, 0)
        self.output("energy", k * (length - rest) ** 2 / 2, "J", "energy stored in the spring")
        self.output("power", -tension * rate, "W", "power that spring and damper give to the bodies")
