"""Given torque."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arc, arrowhead, circle, line
from fmu_components.declare.ports import ROTATIONAL, Side


class Torque(Component):
    """Torque on a rotational flange, given by a signal."""

    drawing = Drawing(
        line((-0.9, 0), (0.1, 0), width=0.12),
        circle(0.1, 0, 0.14, fill=0.85),
        arc(0.1, 0, 0.55, -140, 135, width=0.12),
        arrowhead(-0.29, 0.39, 232, 0.34, width=0.12),
    )

    def declare(self):
        flange = self.port("flange", ROTATIONAL, Side.EFFORT, "the shaft on which the torque acts")
        torque = self.input("torque", 0.0, "N.m", "torque on the flange")
        self.gives(flange, torque)
        self.output("power", torque * flange.w, "W", "power given to the flange")
