"""Spring and damper between two points (Part II, section 3.3)."""

from sympy import sqrt

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, circle, damper, line, spring
from fmu_components.declare.picture import coil, dashpot, picture
from fmu_components.declare.ports import PLANAR, Side


class SpringDamper(Component):
    """Spring and damper between points M and N of two bodies, with a rest length.

    The force acts along MN. It is bounded and smooth where the points come together: lengths are computed as
    sqrt(MN.MN + smoothing^2), which differs from |MN| by less than smoothing^2/(2 |MN|).
    """

    drawing = Drawing(
        line((-0.72, 0.3), (-0.72, -0.35)),
        line((0.72, 0.3), (0.72, -0.35)),
        spring(-0.72, 0.72, 0.3),
        *damper(-0.72, 0.72, -0.35),
        circle(-0.72, 0, 0.13, fill=1.0),
        circle(0.72, 0, 0.13, fill=1.0),
    )
    picture = picture(coil("M", "N"), dashpot("M", "N"))

    def declare(self):
        M = self.port("M", PLANAR, Side.EFFORT, "on body i")
        N = self.port("N", PLANAR, Side.EFFORT, "on body j")
        k = self.parameter("k", 1000.0, "N/m", "stiffness", at_least=0, nominal=1000)
        b = self.parameter("b", 0.0, "N.s/m", "viscous damping", at_least=0)
        rest = self.parameter("rest", 0.0, "m", "length at rest", at_least=0)
        smoothing = self.parameter("smoothing", 1e-9, "m", "length below which the direction of the force fades", above=0, nominal=1e-9)
        MN, velocity = N.point - M.point, N.velocity - M.velocity
        length = self.output("length", sqrt(MN.dot(MN) + smoothing**2), "m", "length of the spring")
        rate = self.output("rate", MN.dot(velocity) / length, "m/s", "time derivative of the length")
        tension = self.output("tension", k * (length - rest) + b * rate, "N", "force with which spring and damper pull the points together")
        pull = tension * MN / length
        self.gives(M, pull[0], pull[1], 0)
        self.gives(N, -pull[0], -pull[1], 0)
        self.output("energy", k * (length - rest) ** 2 / 2, "J", "energy stored in the spring")
        self.output("power", -tension * rate, "W", "power that spring and damper give to the bodies")
