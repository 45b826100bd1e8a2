"""Rate limiter."""

from fmu_components.declare.component import Component
from fmu_components.declare.control import limited
from fmu_components.declare.icon import Drawing, axes, line


class RateLimiter(Component):
    """Rate limiter: y follows u, and neither rises nor falls faster than it may.

    The rate of y is (u - y)/T within its limits, so that y is u less what changes in the time constant T where it keeps up. Where the rate
    meets a limit is a state event.
    """

    drawing = Drawing(
        *axes(-0.6), line((-0.7, -0.5), (-0.3, -0.5), (-0.3, 0.5), (0.7, 0.5)), line((-0.3, -0.5), (0.4, 0.5), (0.7, 0.5), width=0.12)
    )

    def declare(self):
        rising = self.parameter("rising", 1.0, "1/s", "greatest rate", above=0)
        falling = self.parameter("falling", -1.0, "1/s", "least rate, which is negative", below=0)
        T = self.parameter("T", 1e-3, "s", "time constant with which y follows u", above=0, nominal=1e-3)
        u = self.input("u", 0.0, "", "the signal that is followed")
        x = self.state("x", 0.0, "", "the signal whose rate is limited")
        rate = self.output("rate", limited(self, (u - x) / T, falling, rising), "1/s", "rate of y")
        self.rate(x, rate)
        self.output("y", x, "", "the signal whose rate is limited")
