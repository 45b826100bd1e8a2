"""Resistance of a medium by a table, to a body in the plane."""

from sympy import Max

from fmu_components.declare.icon import Drawing, axes, line
from fmu_components.planar.Drag import Drag


class TableDrag(Drag):
    """Drag by a table: the force resistance(speed) against the velocity of a point through a medium, and a torque against turning.

    The table `resistance` gives the size of the force by the speed relative to the medium, whose own velocity is two signals. Such a table comes
    from a wind tunnel, or from the drag coefficient by the Mach number. Below the speed `slow` the force is proportional to the speed and joins
    on. Beyond the end of the table the last value is held.
    """

    drawing = Drawing(*Drag.drawing.shapes, *axes(-0.85), line((-0.6, -0.8), (-0.1, -0.7), (0.2, -0.2), (0.6, 0.75), width=0.1))

    def law(self):
        """Declares the table, and returns the force per speed as a function of the speed."""
        points = ((0.0, 10.0, 20.0, 30.0), (0.0, 50.0, 200.0, 450.0))
        resistance = self.table("resistance", points, ("m/s", "N"), "size of the force by speed", at_least=0, least=0)
        slow = self.parameter("slow", 1e-3, "m/s", "speed below which the force is proportional to the speed", above=0, nominal=1e-3)
        return lambda speed: resistance(Max(speed, slow)) / Max(speed, slow)
