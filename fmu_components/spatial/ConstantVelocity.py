"""Constant-velocity joint."""

from fmu_components.declare.icon import Drawing, arc, circle, line
from fmu_components.declare.picture import ball, picture
from fmu_components.declare.space import SpatialJoint, same_axis


class ConstantVelocity(SpatialJoint):
    """Constant-velocity joint: the points M and N coincide, and both bodies turn equally fast about their axes z, which may bend.

    The constraint is MN = 0 and x_M.y_N - y_M.x_N = 0: the bodies turn against each other only about axes in the plane that bisects the
    bend, which has to be less than a right angle.
    """

    drawing = Drawing(
        line((-0.95, -0.3), (-0.35, -0.1), width=0.2),
        line((0.35, -0.1), (0.95, -0.3), width=0.2),
        circle(0, 0, 0.4, fill=0.85),
        circle(0, 0, 0.14, fill=0.0),
        arc(0, 0, 0.6, 60, 120),
    )
    picture = picture(ball("N"))

    def constraint(self, M, N):
        return [*(N.point - M.point), M.x_axis.dot(N.y_axis) - M.y_axis.dot(N.x_axis)]

    def validity(self, M, N):
        return same_axis(M, N, "z")
