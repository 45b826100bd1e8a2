"""Step."""

from sympy import Piecewise, true

from fmu_components.declare.component import Component, reaches
from fmu_components.declare.icon import Drawing, axes, line


class Step(Component):
    """Step: the signal y jumps by its height at the start, which is a time event."""

    drawing = Drawing(*axes(-0.6), line((-0.7, -0.3), (-0.1, -0.3), (-0.1, 0.4), (0.7, 0.4), width=0.12))

    def declare(self):
        start = self.parameter("start", 0.0, "s", "time of the step", fixed=True)
        offset = self.parameter("offset", 0.0, "", "value before the step")
        height = self.parameter("height", 1.0, "", "height of the step")
        stepped = self.discrete("stepped", False, "", "the step has come")
        self.output("y", Piecewise((offset + height, stepped), (offset, True)), "", "the signal")
        self.when(reaches(start), {stepped: true}, "the step comes")
