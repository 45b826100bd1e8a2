"""Fixed flanges."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.ports import ROTATIONAL, TRANSLATIONAL, Side


class Fixed1D(Component):
    """Wall for one-dimensional mechanics: a translational flange and a shaft at rest."""

    drawing = Drawing(
        line((-0.9, 0), (0.9, 0), width=0.12),
        box(-0.2, -0.7, 0.2, 0.7, fill=0.85),
        *(line((-0.2, i / 4 - 0.7), (0.2, i / 4 - 0.4), width=0.04) for i in range(5)),
    )

    def declare(self):
        position = self.parameter("position", 0.0, "m", "position of the flange")
        angle = self.parameter("angle", 0.0, "rad", "angle of the shaft")
        self.moves(self.port("flange", TRANSLATIONAL, Side.MOTION, "fixed point of a line"), position)
        self.moves(self.port("shaft", ROTATIONAL, Side.MOTION, "fixed shaft"), angle)
