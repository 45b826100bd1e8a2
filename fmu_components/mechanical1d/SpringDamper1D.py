"""Spring and damper between translational flanges."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, damper, line, spring
from fmu_components.declare.ports import TRANSLATIONAL, Side


class SpringDamper1D(Component):
    """Spring and damper between two masses on a line, with a rest value of N.s - M.s."""

    drawing = Drawing(
        line((-0.9, 0), (-0.65, 0)),
        line((0.9, 0), (0.65, 0)),
        line((-0.65, 0.32), (-0.65, -0.35)),
        line((0.65, 0.32), (0.65, -0.35)),
        spring(-0.65, 0.65, 0.32),
        *damper(-0.65, 0.65, -0.35),
    )

    def declare(self):
        M = self.port("M", TRANSLATIONAL, Side.EFFORT, "first mass")
        N = self.port("N", TRANSLATIONAL, Side.EFFORT, "second mass")
        k = self.parameter("k", 1000.0, "N/m", "stiffness", at_least=0, nominal=1000)
        b = self.parameter("b", 0.0, "N.s/m", "viscous damping", at_least=0)
        rest = self.parameter("rest", 0.0, "m", "N.s - M.s at rest")
        q = self.output("q", N.s - M.s, "m", "position of N relative to M")
        qd = self.output("qd", N.v - M.v, "m/s", "velocity of N relative to M")
        pull = self.output("tension", k * (q - rest) + b * qd, "N", "force with which spring and damper pull N towards M")
        self.gives(M, pull)
        self.gives(N, -pull)
        self.output("energy", k * (q - rest) ** 2 / 2, "J", "energy stored in the spring")
        self.output("power", -pull * qd, "W", "power that spring and damper give to the masses")
