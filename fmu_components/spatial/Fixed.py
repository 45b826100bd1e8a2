"""A frame at rest."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arrowhead, circle, ground, line
from fmu_components.declare.picture import fixed, rest
from fmu_components.declare.ports import SPATIAL, Side
from fmu_components.declare.space import place_of_port


class Fixed(Component):
    """Point and frame fixed to absolute space.

    It gives a motion at rest; whatever wrench it takes has no effect, and is there to be read.
    """

    drawing = Drawing(
        *ground(-0.75, 0.75, -0.45),
        line((0, -0.45), (0, 0)),
        line((0, 0), (0, 0.75), width=0.05),
        arrowhead(0, 0.8, 90),
        line((0, 0), (0.65, -0.2), width=0.05),
        line((0, 0), (-0.5, -0.3), width=0.05),
        circle(0, 0, 0.14, fill=1.0),
    )
    picture = rest(fixed("p1"))

    def declare(self):
        p1 = self.port("p1", SPATIAL, Side.MOTION, "the fixed point")
        place, frame = place_of_port(self, "p1", "absolute frame")
        self.moves(p1, *place, 0, 0, 0, *frame)
