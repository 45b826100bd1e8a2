"""Given torque."""

from fmu_components.component import Component
from fmu_components.icon import Drawing, line
from fmu_components.ports import ROTATIONAL, Side


class Torque(Component):
    """Torque on a rotational flange, given by a signal."""

    drawing = Drawing(line((0.4, -0.5), (0.65, 0), (0.4, 0.5), (-0.1, 0.62), (-0.5, 0.4), width=0.12), line((-0.45, 0.72), (-0.5, 0.4), (-0.15, 0.35), width=0.12))

    def declare(self):
        flange = self.port("flange", ROTATIONAL, Side.EFFORT, "what the torque acts on")
        torque = self.input("torque", 0.0, "N.m", "torque on the flange")
        self.gives(flange, torque)
        self.output("power", torque * flange.w, "W", "power given to the flange")
