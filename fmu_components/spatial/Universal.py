"""Universal joint."""

from fmu_components.declare.icon import Drawing, arc, circle, line
from fmu_components.declare.joint import Angle
from fmu_components.declare.picture import ball, picture
from fmu_components.declare.space import SpatialJoint


class Universal(SpatialJoint):
    """Universal joint: the points M and N coincide, and a cross turns about the axis x of M and the axis y of N, which stay at right angles.

    The constraint is MN = 0 and x_M.y_N = 0. Springs and dampers act along the rotation of the cross about x_M, and along that of N about
    y_N; both count turns. Where all axes of M and N are parallel both angles are 0.
    """

    drawing = Drawing(
        line((-0.95, 0), (-0.4, 0), width=0.2),
        arc(0, 0, 0.4, 90, 270, width=0.12),
        arc(0, 0, 0.4, -70, 70, width=0.12),
        line((0.4, 0), (0.95, 0), width=0.2),
        line((0, -0.4), (0, 0.4), width=0.09),
        line((-0.25, 0), (0.25, 0), width=0.09),
        circle(0, 0, 0.09, fill=0.0),
    )
    picture = picture(ball("N"))

    def constraint(self, M, N):
        return [*(N.point - M.point), M.x_axis.dot(N.y_axis)]

    def freedoms(self, M, N):
        turning = N.omega - M.omega
        return {
            "rotation1": Angle(M.z_axis.dot(N.y_axis), M.y_axis.dot(N.y_axis), turning.dot(M.x_axis)),
            "rotation2": Angle(M.x_axis.dot(N.z_axis), M.x_axis.dot(N.x_axis), turning.dot(N.y_axis)),
        }
