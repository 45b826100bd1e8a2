"""Current controller."""

from fmu_components.declare.component import Component
from fmu_components.declare.control import integral_rate, limited
from fmu_components.declare.icon import Drawing, box, line


class CurrentController(Component):
    """PI controller of a current, with a limited voltage and an integral part that does not wind up.

    The input `emf` is added to the voltage; connected with that of a motor it takes the rotation off the controller's hands. With
    kp = L a and ki = R a the current of a winding follows as a first-order lag with the time constant 1/a.
    """

    drawing = Drawing(
        box(-0.8, -0.8, 0.8, 0.8, fill=0.85),
        line((-0.6, -0.5), (-0.35, -0.5), (-0.1, 0.4), (0.65, 0.4), width=0.1),
        line((-0.6, 0.55), (0.65, 0.55)),
    )

    def declare(self):
        kp = self.parameter("kp", 1.0, "Ohm", "proportional gain")
        ki = self.parameter("ki", 500.0, "Ohm/s", "integral gain", nominal=100)
        limit = self.parameter("limit", 12.0, "V", "greatest voltage, of either sign", above=0, nominal=10)
        Tt = self.parameter("Tt", 2e-3, "s", "tracking time of the integral part while the voltage is limited", above=0, nominal=1e-3)
        setpoint = self.input("setpoint", 0.0, "A", "the wanted current")
        measurement = self.input("measurement", 0.0, "A", "the current")
        emf = self.input("emf", 0.0, "V", "voltage known to be needed besides")
        integral = self.state("integral", 0.0, "V", "the integral part")
        error = setpoint - measurement
        demand = self.output("demand", kp * error + integral + emf, "V", "the voltage without limits")
        voltage = self.output("voltage", limited(self, demand, -limit, limit), "V", "the voltage within its limits")
        self.rate(integral, integral_rate(ki, error, voltage, demand, Tt))
