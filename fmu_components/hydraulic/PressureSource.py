"""Given pressure."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arrowhead, circle, line
from fmu_components.declare.ports import HYDRAULIC, Side


class PressureSource(Component):
    """Pressure that is given by a signal, or constant, whatever flows.

    It stands for a supply whose own dynamics do not matter.
    """

    drawing = Drawing(line((-0.9, 0), (-0.45, 0)), circle(0.1, 0, 0.55, fill=0.92), line((0.5, 0), (-0.3, 0)), arrowhead(-0.3, 0, 180, 0.3))

    def declare(self):
        pressure = self.input("pressure", 1e7, "Pa", "absolute pressure", order=0)
        port = self.port("port", HYDRAULIC, Side.MOTION, "what is supplied")
        self.moves(port, pressure)
        self.holds(self["port.p"], least=0)
        self.output("power", -pressure * port.q, "W", "power given to the port")
