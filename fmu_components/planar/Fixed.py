"""A point of the frame of reference."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.picture import fixed, rest
from fmu_components.declare.ports import PLANAR, Side


class Fixed(Component):
    """Point fixed to the absolute frame.

    It gives a motion at rest; whatever wrench it takes has no effect, and is there to be read.
    """

    drawing = Drawing(
        line((0, 0.2), (-0.45, -0.4), (0.45, -0.4), (0, 0.2), fill=0.85),
        circle(0, 0.2, 0.14, fill=1.0),
        line((-0.75, -0.4), (0.75, -0.4)),
        *(line((i / 4 - 0.35, -0.4), (i / 4 - 0.6, -0.7)) for i in range(5)),
    )
    picture = rest(fixed("p1"))

    def declare(self) -> None:
        p1 = self.port("p1", PLANAR, Side.MOTION, "the fixed point")
        rx = self.parameter("p1.rx", 0.0, "m", "absolute x of the point")
        ry = self.parameter("p1.ry", 0.0, "m", "absolute y of the point")
        angle = self.parameter("p1.angle", 0.0, "rad", "absolute direction of the joint axis")
        self.moves(p1, rx, ry, angle)
