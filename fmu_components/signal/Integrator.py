"""Integrator."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arc, box, line


class Integrator(Component):
    """Integrator: y' = k u. Fed with a power it counts the energy."""

    drawing = Drawing(
        box(-0.8, -0.8, 0.8, 0.8, fill=0.85),
        arc(0.15, 0.4, 0.15, 0, 180, width=0.1),
        line((0, 0.4), (0, -0.4), width=0.1),
        arc(-0.15, -0.4, 0.15, 180, 360, width=0.1),
    )

    def declare(self):
        k = self.parameter("k", 1.0, "1/s", "factor")
        x = self.state("x", 0.0, "", "the integral")
        self.rate(x, k * self.input("u", 0.0, "", "the signal that is integrated"))
        self.output("y", x, "", "the integral")
