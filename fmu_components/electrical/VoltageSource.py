"""Voltage source."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.ports import ELECTRICAL, Side


class VoltageSource(Component):
    """Ideal source of the voltage that a signal gives."""

    drawing = Drawing(
        line((-0.9, 0), (-0.5, 0)),
        circle(0, 0, 0.5, fill=0.85),
        line((-0.3, 0.1), (-0.3, -0.1)),
        line((-0.4, 0), (-0.2, 0)),
        line((0.2, 0), (0.4, 0)),
    )

    def declare(self):
        pin = self.port("pin", ELECTRICAL, Side.MOTION, "the source")
        voltage = self.input("voltage", 0.0, "V", "voltage of the source")
        self.moves(pin, voltage)
        self.output("power", -voltage * pin.i, "W", "power that the source gives")
