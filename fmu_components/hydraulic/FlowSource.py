"""Given flow."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.ports import HYDRAULIC, Side


class FlowSource(Component):
    """Flow that is given by a signal, or constant, against any pressure."""

    drawing = Drawing(
        line((-0.9, 0), (-0.45, 0)),
        circle(0.1, 0, 0.55, fill=0.92),
        line((-0.45, 0), (-0.12, 0.2), (-0.12, -0.2), (-0.45, 0), fill=0.0),
        line((0.1, 0.55), (0.1, -0.55)),
    )

    def declare(self):
        port = self.port("port", HYDRAULIC, Side.EFFORT, "where the flow goes")
        flow = self.input("flow", 0.0, "m3/s", "flow out of the source")
        self.gives(port, flow)
        self.output("power", port.p * flow, "W", "power given to the port")
