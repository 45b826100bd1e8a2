"""Given heat flow."""

from fmu_components.declare.component import Component
from fmu_components.declare.heat import ROOM
from fmu_components.declare.icon import Drawing, arrowhead, circle, line
from fmu_components.declare.ports import THERMAL, Side


class PrescribedFlow(Component):
    """Heat flow that is given by a signal, or constant, at any temperature: a heater, or a cooler with a negative flow."""

    drawing = Drawing(line((-0.9, 0), (-0.45, 0)), circle(0.1, 0, 0.55, fill=0.92), line((0.5, 0), (-0.3, 0)), arrowhead(-0.3, 0, 180, 0.3))

    def declare(self):
        port = self.port("port", THERMAL, Side.EFFORT, "where the heat goes", {"temperature": ROOM})
        flow = self.input("flow", 0.0, "W", "heat flow into the port")
        self.gives(port, flow)
        self.output("temperature", port.temperature, "K", "temperature at the port")
