"""Speed controller."""

from fmu_components.declare.component import Component
from fmu_components.declare.control import integral_rate, limited
from fmu_components.declare.icon import Drawing, arc, arrowhead, box, circle


class SpeedController(Component):
    """PI controller of an angular velocity, with a limited torque and an integral part that does not wind up.

    It gives the torque, and the current that makes it in a motor of k newton metres per ampere, for a current controller.
    """

    drawing = Drawing(
        box(-0.8, -0.8, 0.8, 0.8, fill=0.85),
        circle(0, 0, 0.1, fill=0.0),
        arc(0, 0, 0.5, -120, 120, width=0.1),
        arrowhead(-0.25, 0.43, 215, 0.3, width=0.1),
    )

    def declare(self):
        kp = self.parameter("kp", 0.1, "N.m.s/rad", "proportional gain", nominal=0.1)
        ki = self.parameter("ki", 1.0, "N.m/rad", "integral gain")
        limit = self.parameter("limit", 1.0, "N.m", "greatest torque, of either sign", above=0)
        Tt = self.parameter("Tt", 0.1, "s", "tracking time of the integral part while the torque is limited", above=0, nominal=0.1)
        k = self.parameter("k", 0.05, "N.m/A", "torque of the motor per current", above=0, nominal=0.1)
        setpoint = self.input("setpoint", 0.0, "rad/s", "the wanted angular velocity")
        measurement = self.input("measurement", 0.0, "rad/s", "the angular velocity")
        integral = self.state("integral", 0.0, "N.m", "the integral part")
        error = setpoint - measurement
        demand = self.output("demand", kp * error + integral, "N.m", "the torque without limits")
        torque = self.output("torque", limited(self, demand, -limit, limit), "N.m", "the torque within its limits")
        self.output("current", torque / k, "A", "the current that makes the torque")
        self.rate(integral, integral_rate(ki, error, torque, demand, Tt))
