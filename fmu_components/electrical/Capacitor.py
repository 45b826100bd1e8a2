"""Capacitor."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, line
from fmu_components.declare.ports import ELECTRICAL, Side


class Capacitor(Component):
    """Capacitor: a node whose voltage rises with the current that flows into it."""

    drawing = Drawing(
        line((-0.9, 0), (-0.15, 0)),
        line((-0.15, -0.55), (-0.15, 0.55), width=0.12),
        line((0.15, -0.55), (0.15, 0.55), width=0.12),
        line((0.15, 0), (0.6, 0), (0.6, -0.3)),
        line((0.4, -0.3), (0.8, -0.3)),
    )

    def declare(self):
        C = self.parameter("C", 1e-3, "F", "capacitance", above=0, nominal=1e-3)
        v = self.state("v", 0.0, "V", "voltage")
        pin = self.port("pin", ELECTRICAL, Side.MOTION, "the node")
        self.rate(v, pin.i / C)
        self.moves(pin, v)
        self.output("energy", C * v**2 / 2, "J", "energy stored in the field")
