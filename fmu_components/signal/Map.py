"""Function of two signals by a table."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, box, line


class Map(Component):
    """Characteristic map: y is a function of u1 and u2 by the table `map`, bilinear or monotone cubic between its points.

    The table has a row for each value of u1 and a column for each value of u2. Beyond the points y keeps the value of the edge.
    """

    drawing = Drawing(
        box(-0.7, -0.7, 0.7, 0.7, fill=0.92),
        *(line((-0.7, y), (0.7, y), width=0.04) for y in (-0.35, 0.0, 0.35)),
        *(line((x, -0.7), (x, 0.7), width=0.04) for x in (-0.35, 0.0, 0.35)),
        line((-0.6, -0.3), (-0.1, -0.1), (0.1, 0.3), (0.6, 0.5), width=0.1),
    )

    def declare(self):
        value = self.table("map", ((0, 1), (0, 1), ((0, 0), (0, 1))), ("", "", ""), "y by u1 and u2")
        u1 = self.input("u1", 0.0, "", "the signal that chooses the row")
        u2 = self.input("u2", 0.0, "", "the signal that chooses the column")
        self.output("y", value(u1, u2), "", "value of the map")
