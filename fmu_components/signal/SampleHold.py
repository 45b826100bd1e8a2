"""Sample and hold."""

from sympy import Max, floor

from fmu_components.declare.component import TIME, Component, reaches
from fmu_components.declare.icon import Drawing, axes, line


class SampleHold(Component):
    """Sample and hold: y is u as it was at the last multiple of the period, from the offset on.

    The digital side of a controller: what comes before it is computed from values of one instant, what comes after it is constant in between.
    Before the first sample y is the start value of `held`.
    """

    drawing = Drawing(
        *axes(-0.6),
        line((-0.7, -0.4), (-0.35, -0.4), (-0.35, 0.05), (0, 0.05), (0, 0.35), (0.35, 0.35), (0.35, 0.5), (0.7, 0.5), width=0.12),
    )

    def declare(self):
        period = self.parameter("period", 0.01, "s", "time from one sample to the next", above=0, nominal=0.01)
        offset = self.parameter("offset", 0.0, "s", "time of the first sample", nominal=0.01)
        u = self.input("u", 0.0, "", "the signal that is sampled")
        held = self.discrete("held", 0.0, "", "the value of the last sample")
        count = self.discrete("count", 0, "", "number of the next sample")
        # A simulation that starts late goes to its period at once.
        self.when(
            reaches(offset + count * period),
            {held: u, count: Max(count + 1, floor((TIME - offset) / period) + 1)},
            "a sample is due",
        )
        self.output("y", held, "", "the signal as it was sampled")
