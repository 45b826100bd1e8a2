"""Fixed flanges."""

from fmu_components.component import Component
from fmu_components.icon import Drawing, line
from fmu_components.ports import ROTATIONAL, TRANSLATIONAL, Side


class Fixed1D(Component):
    """Wall for one-dimensional mechanics: a translational flange and a shaft at rest."""

    drawing = Drawing(line((0, -0.6), (0, 0.6), width=0.12), *(line((0, i / 4 - 0.5), (0.35, i / 4 - 0.25)) for i in range(4)), line((-0.95, 0), (0, 0)))

    def declare(self):
        position = self.parameter("position", 0.0, "m", "position of the flange")
        angle = self.parameter("angle", 0.0, "rad", "angle of the shaft")
        self.moves(self.port("flange", TRANSLATIONAL, Side.MOTION, "fixed point of a line"), position)
        self.moves(self.port("shaft", ROTATIONAL, Side.MOTION, "fixed shaft"), angle)
