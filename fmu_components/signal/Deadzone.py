"""Dead zone."""

from sympy import Piecewise

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, line


class Deadzone(Component):
    """Dead zone: y is 0 while u is between two limits, and beyond them what is in excess; where u meets a limit is a state event."""

    drawing = Drawing(
        line((-0.8, 0), (0.8, 0)), line((0, -0.8), (0, 0.8)), line((-0.75, -0.5), (-0.3, 0), (0.3, 0), (0.75, 0.5), width=0.12)
    )

    def declare(self):
        lower = self.parameter("lower", -1.0, "", "lower limit")
        upper = self.parameter("upper", 1.0, "", "upper limit")
        u = self.input("u", 0.0, "", "the signal")
        above = self.relation("above", u - upper, "the signal lies above the upper limit")
        below = self.relation("below", lower - u, "the signal lies below the lower limit")
        self.output("y", Piecewise((u - upper, above), (u - lower, below), (0, True)), "", "the part of the input beyond the limits")
        self.require(upper - lower, "the upper limit is greater than the lower one")
