"""Ramp."""

from sympy import Piecewise, true

from fmu_components.declare.component import TIME, Component, reaches
from fmu_components.declare.icon import Drawing, axes, line


class Ramp(Component):
    """Ramp: the signal y rises linearly from the start on and then stays; both ends of the ramp are time events."""

    drawing = Drawing(*axes(-0.6), line((-0.7, -0.3), (-0.3, -0.3), (0.3, 0.4), (0.7, 0.4), width=0.12))

    def declare(self):
        start = self.parameter("start", 0.0, "s", "time at which the ramp begins", fixed=True)
        duration = self.parameter("duration", 1.0, "s", "time that the ramp takes", above=0, fixed=True)
        offset = self.parameter("offset", 0.0, "", "value before the ramp")
        height = self.parameter("height", 1.0, "", "height of the ramp")
        begun = self.discrete("begun", False, "", "the ramp has begun")
        ended = self.discrete("ended", False, "", "the ramp has ended")
        part = Piecewise((1, ended), ((TIME - start) / duration, begun), (0, True))
        self.output("y", offset + height * part, "", "the signal")
        self.when(reaches(start), {begun: true}, "the ramp begins")
        self.when(reaches(start + duration), {ended: true}, "the ramp ends")
