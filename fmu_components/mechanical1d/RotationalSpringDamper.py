"""Spring and damper between rotational flanges."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arc, arrowhead, damper, line, spring
from fmu_components.declare.ports import ROTATIONAL, Side


class RotationalSpringDamper(Component):
    """Spring and damper between two shafts, with a rest value of N.phi - M.phi."""

    drawing = Drawing(
        line((-0.9, 0), (-0.65, 0)),
        line((0.9, 0), (0.65, 0)),
        line((-0.65, 0.22), (-0.65, -0.4)),
        line((0.65, 0.22), (0.65, -0.4)),
        spring(-0.65, 0.65, 0.22),
        *damper(-0.65, 0.65, -0.4),
        arc(0, 0.15, 0.68, 50, 130),
        arrowhead(-0.44, 0.67, 220),
        arrowhead(0.44, 0.67, -40),
    )

    def declare(self):
        M = self.port("M", ROTATIONAL, Side.EFFORT, "first shaft")
        N = self.port("N", ROTATIONAL, Side.EFFORT, "second shaft")
        k = self.parameter("k", 100.0, "N.m/rad", "stiffness", at_least=0, nominal=100)
        b = self.parameter("b", 0.0, "N.m.s/rad", "viscous damping", at_least=0)
        rest = self.parameter("rest", 0.0, "rad", "N.phi - M.phi at rest")
        q = self.output("q", N.phi - M.phi, "rad", "angle of N relative to M")
        qd = self.output("qd", N.w - M.w, "rad/s", "angular velocity of N relative to M")
        pull = self.output("tension", k * (q - rest) + b * qd, "N.m", "torque with which spring and damper turn N towards M")
        self.gives(M, pull)
        self.gives(N, -pull)
        self.output("energy", k * (q - rest) ** 2 / 2, "J", "energy stored in the spring")
        self.output("power", -pull * qd, "W", "power that spring and damper give to the shafts")
