"""Spherical joint."""

from fmu_components.declare.icon import Drawing, arc, circle, line
from fmu_components.declare.space import SpatialJoint


class Spherical(SpatialJoint):
    """Spherical joint: the points M and N coincide, the bodies turn freely about them.

    The constraint is MN = 0, along the absolute axes. A damper acts on the relative angular velocity.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.4, 0), width=0.2),
        arc(0, 0, 0.4, 50, 310, width=0.12),
        circle(0, 0, 0.26, fill=0.85),
        line((0.26, 0), (0.9, 0), width=0.2),
    )

    def constraint(self, M, N):
        return list(N.point - M.point)

    def loads(self, M, N):
        b = self.parameter("rotation.b", 0.0, "N.m.s/rad", "viscous damping of the relative angular velocity", at_least=0)
        turning = N.omega - M.omega
        self.output("rotation.power", -b * turning.dot(turning), "W", "power that the damper gives to the bodies")
        return [(rate, -b * rate) for rate in turning]
