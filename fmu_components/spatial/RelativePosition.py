"""Prescribed relative position in space."""

from fmu_components.declare.icon import Drawing, arrowhead, circle, line
from fmu_components.declare.space import SpatialJoint


class RelativePosition(SpatialJoint):
    """Relative position: how far N lies from M along the axis z of M is prescribed, 0 by default, as by a linear motor.

    The distance, its rate and its acceleration are inputs that belong together: what drives the distance gives all three. The
    multiplier is the force on body j along the axis.
    """

    drawing = Drawing(
        circle(-0.55, 0, 0.2, fill=0.85),
        circle(0.55, 0, 0.2, fill=0.85),
        line((-0.35, 0), (0.35, 0), width=0.16),
        line((-0.55, 0.3), (-0.55, 0.7)),
        line((0.55, 0.3), (0.55, 0.7)),
        line((-0.55, 0.5), (0.45, 0.5)),
        arrowhead(0.5, 0.5, 0, 0.24),
    )

    def constraint(self, M, N):
        return [(N.point - M.point).dot(M.z_axis) - self.signal("distance", "m", "how far N lies from M along the axis z of M", rates=2)]

    def declare(self):
        super().declare()
        force = self.output("force", self["multiplier[1]"], "N", "force on body j along the axis")
        self.output("power", force * self["distance.rate"], "W", "power given to the bodies")
