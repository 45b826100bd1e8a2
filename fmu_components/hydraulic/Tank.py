"""Tank."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, line
from fmu_components.declare.ports import HYDRAULIC, Side


class Tank(Component):
    """Tank: constant pressure, however much flows in or out."""

    drawing = Drawing(
        line((-0.9, 0), (0, 0), (0, -0.3)), line((-0.6, 0.1), (-0.6, -0.55), (0.6, -0.55), (0.6, 0.1)), line((-0.6, -0.2), (0.6, -0.2))
    )

    def declare(self):
        pressure = self.parameter("pressure", 1e5, "Pa", "absolute pressure", above=0, nominal=1e5)
        port = self.port("port", HYDRAULIC, Side.MOTION, "any number of lines")
        self.moves(port, pressure)
        self.output("power", -pressure * port.q, "W", "power given to the port, negative where the tank is filled")
