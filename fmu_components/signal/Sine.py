"""Sine."""

from math import pi, sin

from sympy import Piecewise, true
from sympy import pi as PI
from sympy import sin as SIN

from fmu_components.declare.component import TIME, Component, reaches
from fmu_components.declare.icon import Drawing, axes, line


class Sine(Component):
    """Sine: the signal y is its offset up to the start, which is a time event, and from then on oscillates about it.

    y = offset + amplitude sin(2 pi frequency (time - start) + phase).
    """

    stop_time = 2.0
    drawing = Drawing(*axes(0), line(*((-0.7 + i / 20, 0.5 * sin(pi * i / 13)) for i in range(27)), width=0.12))

    def declare(self):
        start = self.parameter("start", 0.0, "s", "time at which the oscillation begins", fixed=True)
        offset = self.parameter("offset", 0.0, "", "value about which the signal oscillates")
        amplitude = self.parameter("amplitude", 1.0, "", "amplitude")
        frequency = self.parameter("frequency", 1.0, "Hz", "periods per second", at_least=0)
        phase = self.parameter("phase", 0.0, "rad", "phase at the start")
        begun = self.discrete("begun", False, "", "the oscillation has begun")
        oscillation = amplitude * SIN(2 * PI * frequency * (TIME - start) + phase)
        self.output("y", offset + Piecewise((oscillation, begun), (0, True)), "", "the signal")
        self.when(reaches(start), {begun: true}, "the oscillation begins")
