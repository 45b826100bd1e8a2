"""Atmosphere at an exhaust."""

from fmu_components.declare.component import Component
from fmu_components.declare.gas import ATMOSPHERE
from fmu_components.declare.icon import Drawing, line
from fmu_components.declare.ports import PNEUMATIC, Side


class Atmosphere(Component):
    """Atmosphere: a constant pressure at any flow, into which exhausts blow and from which air is drawn."""

    drawing = Drawing(line((-0.9, 0), (-0.2, 0)), line((-0.2, 0.4), (0.5, 0), (-0.2, -0.4), (-0.2, 0.4), fill=0.92))

    def declare(self):
        pressure = self.parameter("pressure", ATMOSPHERE, "Pa", "absolute pressure", above=0, nominal=1e5)
        port = self.port("port", PNEUMATIC, Side.MOTION, "any number of exhausts")
        self.moves(port, pressure)
        self.output("flow", port.mass_flow, "kg/s", "mass flow into the atmosphere")
