"""Spring and damper between two points (Part II, section 3.3)."""

from sympy import sqrt

from fmu_components.component import Component
from fmu_components.icon import Drawing, line
from fmu_components.ports import PLANAR, Side


class SpringDamper(Component):
    """Spring and damper between points M and N of two bodies, with a rest length.

    The force acts along MN. It is bounded and smooth where the points come together: lengths are computed as
    sqrt(MN.MN + smoothing^2), which differs from |MN| by less than smoothing^2/(2 |MN|).
    """

    drawing = Drawing(line((-0.9, 0.2), (-0.6, 0.2), (-0.5, 0.45), (-0.3, -0.05), (-0.1, 0.45), (0.1, -0.05), (0.3, 0.45), (0.5, -0.05), (0.6, 0.2), (0.9, 0.2)),
                      line((-0.9, 0.2), (-0.9, -0.45), (-0.15, -0.45)), line((-0.15, -0.65), (-0.15, -0.25)), line((0.25, -0.65), (-0.3, -0.65)),
                      line((0.25, -0.25), (-0.3, -0.25)), line((0.25, -0.65), (0.25, -0.25)), line((0.25, -0.45), (0.9, -0.45), (0.9, 0.2)))

    def declare(self):
        M = self.port("M", PLANAR, Side.EFFORT, "on body i")
        N = self.port("N", PLANAR, Side.EFFORT, "on body j")
        k = self.parameter("k", 1000.0, "N/m", "stiffness", at_least=0, nominal=1000)
        b = self.parameter("b", 0.0, "N.s/m", "viscous damping", at_least=0)
        rest = self.parameter("rest", 0.0, "m", "length at rest", at_least=0)
        smoothing = self.parameter("smoothing", 1e-6, "m", "length below which the direction of the force fades", above=0, nominal=1e-6)
        MN, velocity = N.point - M.point, N.velocity - M.velocity
        length = self.output("length", sqrt(MN.dot(MN) + smoothing**2), "m", "length of the spring")
        rate = self.output("rate", MN.dot(velocity) / length, "m/s", "time derivative of the length")
        tension = self.output("tension", k * (length - rest) + b * rate, "N", "force with which spring and damper pull the points together")
        pull = tension * MN / length
        self.gives(M, pull[0], pull[1], 0)
        self.gives(N, -pull[0], -pull[1], 0)
        self.output("energy", k * (length - rest) ** 2 / 2, "J", "energy stored in the spring")
        self.output("power", -tension * rate, "W", "power that spring and damper give to the bodies")
