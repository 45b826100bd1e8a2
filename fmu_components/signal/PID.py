"""PID controller."""

from fmu_components.declare.component import Component
from fmu_components.declare.control import integral_rate, limited
from fmu_components.declare.icon import Drawing, box, line


class PID(Component):
    """PID controller with limits, whose integral part does not wind up.

    Without limits y is kp (b setpoint - measurement) + ki times the integral of setpoint - measurement + kd times the rate of
    c setpoint - measurement, which is filtered by 1/(1 + Tf s). What the limits take away draws the integral part back with the
    time constant Tt. A part is switched off by a gain of 0; with ki = 0 the integral part keeps its start value.
    """

    stop_time = 10.0
    drawing = Drawing(
        box(-0.8, -0.8, 0.8, 0.8, fill=0.85), line((-0.6, -0.55), (-0.55, 0.55), (-0.45, -0.2), (0.3, 0.35), (0.65, 0.35), width=0.1)
    )

    def declare(self):
        kp = self.parameter("kp", 1.0, "", "proportional gain")
        ki = self.parameter("ki", 1.0, "1/s", "integral gain, the proportional gain over Ti")
        kd = self.parameter("kd", 0.0, "s", "derivative gain, the proportional gain times Td")
        Tf = self.parameter("Tf", 0.01, "s", "time constant of the filter of the derivative, Td/N", above=0, nominal=0.01)
        b = self.parameter("b", 1.0, "", "weight of the set-point in the proportional part")
        c = self.parameter("c", 0.0, "", "weight of the set-point in the derivative part")
        lower = self.parameter("lower", -1e9, "", "lower limit of the output", nominal=1e9)
        upper = self.parameter("upper", 1e9, "", "upper limit of the output", nominal=1e9)
        Tt = self.parameter("Tt", 1.0, "s", "tracking time of the integral part while the output is limited", above=0)
        setpoint = self.input("setpoint", 0.0, "", "the wanted value of the measurement")
        measurement = self.input("measurement", 0.0, "", "what is controlled")
        integral = self.state("integral", 0.0, "", "the integral part")
        filtered = self.state("filtered", 0.0, "", "filtered value whose rate is the derivative part")
        slope = self.local("slope", (c * setpoint - measurement - filtered) / Tf, "1/s", "filtered rate of c setpoint - measurement")
        error = setpoint - measurement
        demand = self.output("demand", kp * (b * setpoint - measurement) + integral + kd * slope, "", "the output without limits")
        y = self.output("y", limited(self, demand, lower, upper), "", "the output within its limits")
        self.rate(filtered, slope)
        self.rate(integral, integral_rate(ki, error, y, demand, Tt))
        self.require(upper - lower, "the upper limit is greater than the lower one")
