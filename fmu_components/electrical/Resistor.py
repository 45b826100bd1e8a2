"""Resistor."""

from fmu_components.declare.component import Component
from fmu_components.declare.heat import by_temperature
from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.ports import ELECTRICAL, Side


class Resistor(Component):
    """Resistor between two sides that give their voltages."""

    drawing = Drawing(line((-0.9, 0), (-0.55, 0)), box(-0.55, -0.2, 0.55, 0.2, fill=0.85), line((0.55, 0), (0.9, 0)))

    def declare(self):
        M = self.port("M", ELECTRICAL, Side.EFFORT, "first side")
        N = self.port("N", ELECTRICAL, Side.EFFORT, "second side")
        R = self.parameter("R", 1.0, "Ohm", "resistance", above=0)
        voltage = self.output("voltage", M.v - N.v, "V", "voltage from M to N")
        current = self.output("current", voltage / by_temperature(self, R), "A", "current from M to N")
        self.gives(M, -current)
        self.gives(N, current)
        self.output("loss", voltage * current, "W", "power that becomes heat")
