"""Gain."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, line


class Gain(Component):
    """Gain: y = k u."""

    drawing = Drawing(line((-0.6, -0.7), (0.7, 0), (-0.6, 0.7), (-0.6, -0.7), fill=0.85))

    def declare(self):
        k = self.parameter("k", 1.0, "", "factor")
        self.output("y", k * self.input("u", 0.0, "", "the signal that is multiplied"), "", "the product")
