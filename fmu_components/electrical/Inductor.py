"""Inductor."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arc, line
from fmu_components.declare.ports import ELECTRICAL, Side


class Inductor(Component):
    """Inductor, or winding with a resistance, between two sides that give their voltages."""

    drawing = Drawing(line((-0.9, 0), (-0.6, 0)), *(arc(x, 0, 0.2, 180, 0, width=0.08) for x in (-0.4, 0.0, 0.4)), line((0.6, 0), (0.9, 0)))

    def declare(self):
        M = self.port("M", ELECTRICAL, Side.EFFORT, "first side")
        N = self.port("N", ELECTRICAL, Side.EFFORT, "second side")
        L = self.parameter("L", 1e-3, "H", "inductance", above=0, nominal=1e-3)
        R = self.parameter("R", 0.0, "Ohm", "resistance of the winding; 0 for none", at_least=0)
        i = self.state("i", 0.0, "A", "current from M to N")
        voltage = self.output("voltage", M.v - N.v, "V", "voltage from M to N")
        self.rate(i, (voltage - R * i) / L)
        self.gives(M, -i)
        self.gives(N, i)
        self.output("current", i, "A", "current from M to N")
        self.output("energy", L * i**2 / 2, "J", "energy stored in the field")
        self.output("loss", R * i**2, "W", "power that becomes heat")
