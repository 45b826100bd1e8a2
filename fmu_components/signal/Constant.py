"""Constant signal."""

from fmu_components.component import Component
from fmu_components.icon import Drawing, arrowhead, line


class Constant(Component):
    """Constant: the signal y has one value."""

    drawing = Drawing(
        line((-0.7, -0.8), (-0.7, 0.75)),
        arrowhead(-0.7, 0.8, 90),
        line((-0.85, -0.6), (0.75, -0.6)),
        arrowhead(0.8, -0.6, 0),
        line((-0.7, 0.2), (0.7, 0.2), width=0.12),
    )

    def declare(self):
        self.output("y", self.parameter("value", 1.0, "", "value of the signal"), "", "the signal")
