"""Prescribed relative position."""

from sympy import cos, sin

from fmu_components.declare.icon import Drawing, arrowhead, circle, line
from fmu_components.declare.joint import Joint


class RelativePosition(Joint):
    """Relative position: how far N lies from M along a direction in the frame of M is prescribed, 0 by default, as by a linear motor.

    The distance, its rate and its acceleration are inputs that belong together: what drives the distance gives all three. The
    multiplier is the force on body j along the direction.
    """

    drawing = Drawing(
        circle(-0.55, 0, 0.2, fill=0.85),
        circle(0.55, 0, 0.2, fill=0.85),
        line((-0.35, 0), (0.35, 0)),
        line((-0.55, 0.3), (-0.55, 0.7)),
        line((0.55, 0.3), (0.55, 0.7)),
        line((-0.55, 0.5), (0.45, 0.5)),
        arrowhead(0.5, 0.5, 0, 0.24),
    )

    def constraint(self, M, N):
        direction = self.parameter("direction", 0.0, "rad", "direction in the frame of M along which the distance is prescribed")
        distance = self.signal("distance", "m", "how far N lies from M along the direction", rates=2)
        return [(N.point - M.point).dot(cos(direction) * M.x_axis + sin(direction) * M.y_axis) - distance]

    def declare(self):
        super().declare()
        force = self.output("force", self["multiplier[1]"], "N", "force on body j along the direction")
        self.output("power", force * self["distance.rate"], "W", "power given to the bodies")
