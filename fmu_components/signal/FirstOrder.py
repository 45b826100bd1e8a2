"""First-order lag."""

from math import exp

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, axes, line


class FirstOrder(Component):
    """First-order lag: T y' + y = k u."""

    drawing = Drawing(*axes(-0.6), line(*((-0.7 + i / 20, 0.5 - 1.1 * exp(-i / 6)) for i in range(29)), width=0.12))

    def declare(self):
        k = self.parameter("k", 1.0, "", "factor")
        T = self.parameter("T", 1.0, "s", "time constant", above=0)
        u = self.input("u", 0.0, "", "the signal that is followed")
        x = self.state("x", 0.0, "", "the delayed signal")
        self.rate(x, (k * u - x) / T)
        self.output("y", x, "", "the delayed signal")
