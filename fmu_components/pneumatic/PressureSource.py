"""Given pressure of a gas."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.ports import PNEUMATIC, Side


class PressureSource(Component):
    """Pressure of a gas that is given by a signal, or constant, at any flow.

    It stands for a supply, such as a large receiver, whose own dynamics do not matter.
    """

    drawing = Drawing(line((-0.9, 0), (-0.45, 0)), circle(0.1, 0, 0.55, fill=0.92), line((-0.45, 0), (-0.1, 0.2), (-0.1, -0.2), (-0.45, 0)))

    def declare(self):
        pressure = self.input("pressure", 7e5, "Pa", "absolute pressure", order=0)
        port = self.port("port", PNEUMATIC, Side.MOTION, "any number of lines")
        self.moves(port, pressure)
        self.holds(self["port.pressure"], least=0)
        self.output("flow", -port.mass_flow, "kg/s", "mass flow out of the source")
