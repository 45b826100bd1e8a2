"""Spherical joint."""

from fmu_components.declare.icon import Drawing, arc, circle, line
from fmu_components.declare.picture import ball, picture
from fmu_components.declare.space import SpatialJoint, rotation_vector


class Spherical(SpatialJoint):
    """Spherical joint: the points M and N coincide, the bodies turn freely about them.

    The constraint is MN = 0, along the absolute axes. A spring acts on the turn of N against M: its torque is the stiffness times the angle, about
    the axis of the turn, up to half a turn, where that axis changes over. A damper acts on the relative angular velocity.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.4, 0), width=0.2),
        arc(0, 0, 0.4, 50, 310, width=0.12),
        circle(0, 0, 0.26, fill=0.85),
        line((0.26, 0), (0.9, 0), width=0.2),
    )
    picture = picture(ball("N"))

    def constraint(self, M, N):
        return list(N.point - M.point)

    def loads(self, M, N):
        k = self.parameter("rotation.k", 0.0, "N.m/rad", "stiffness of the spring that turns the frames of M and N parallel", at_least=0)
        b = self.parameter("rotation.b", 0.0, "N.m.s/rad", "viscous damping of the relative angular velocity", at_least=0)
        turning, turned = N.omega - M.omega, rotation_vector(self, M, N)
        torque = -k * M.R * turned - b * turning
        self.output("rotation.energy", k * turned.dot(turned) / 2, "J", "energy stored in the spring")
        self.output("rotation.power", torque.dot(turning), "W", "power that spring and damper give to the bodies")
        return list(zip(turning, torque, strict=True))
