"""Constant signal."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, axes, line


class Constant(Component):
    """Constant: the signal y has one value."""

    drawing = Drawing(*axes(-0.6), line((-0.7, 0.2), (0.7, 0.2), width=0.12))

    def declare(self):
        self.output("y", self.parameter("value", 1.0, "", "value of the signal"), "", "the signal")
