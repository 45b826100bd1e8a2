"""Common return of a circuit."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, line
from fmu_components.declare.ports import ELECTRICAL, Side


class Ground(Component):
    """Ground: gives the voltage 0, to which the far ends of resistors and windings are connected."""

    drawing = Drawing(
        line((-0.9, 0), (0, 0), (0, -0.2)),
        line((-0.6, -0.2), (0.6, -0.2), width=0.12),
        line((-0.38, -0.45), (0.38, -0.45), width=0.12),
        line((-0.16, -0.7), (0.16, -0.7), width=0.12),
    )

    def declare(self):
        pin = self.port("pin", ELECTRICAL, Side.MOTION, "the common return")
        self.moves(pin, 0)
        self.output("current", pin.i, "A", "current into the ground")
