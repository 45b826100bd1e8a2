"""Thermal capacity."""

from fmu_components.declare.component import Component
from fmu_components.declare.heat import ROOM
from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.ports import THERMAL, Side


class Capacity(Component):
    """Thermal capacity: C T' is the sum of the heat flows into it.

    It has one temperature. Its heat is counted from the temperature `reference` on.
    """

    drawing = Drawing(line((-0.9, 0), (-0.5, 0)), box(-0.5, -0.5, 0.5, 0.5, fill=0.75))

    def declare(self):
        C = self.parameter("C", 1000.0, "J/K", "heat capacity: mass times specific heat", above=0, nominal=1000)
        reference = self.parameter("reference", ROOM, "K", "temperature at which its heat is 0", nominal=300)
        T = self.state("T", ROOM, "K", "temperature", nominal=300, holds=(0, None))
        port = self.port("port", THERMAL, Side.MOTION, "any number of heat flows")
        self.rate(T, port.heat_flow / C)
        self.moves(port, T)
        self.output("heat", C * (T - reference), "J", "heat that is stored")
        self.require(T, "the absolute temperature T is greater than 0")
