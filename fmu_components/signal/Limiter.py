"""Limiter."""

from fmu_components.declare.component import Component
from fmu_components.declare.control import limited
from fmu_components.declare.icon import Drawing, line


class Limiter(Component):
    """Limiter: y is u between two limits; where u meets one of them is a state event."""

    drawing = Drawing(
        line((-0.8, 0), (0.8, 0)), line((0, -0.8), (0, 0.8)), line((-0.75, -0.5), (-0.4, -0.5), (0.4, 0.5), (0.75, 0.5), width=0.12)
    )

    def declare(self):
        lower = self.parameter("lower", -1.0, "", "lower limit")
        upper = self.parameter("upper", 1.0, "", "upper limit")
        u = self.input("u", 0.0, "", "the signal that is limited")
        self.output("y", limited(self, u, lower, upper), "", "the limited signal")
        self.require(upper - lower, "the upper limit is greater than the lower one")
