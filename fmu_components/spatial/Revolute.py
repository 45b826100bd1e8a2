"""Revolute joint."""

from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.space import SpatialJoint, same_axis, turn


class Revolute(SpatialJoint):
    """Revolute joint: the points M and N coincide, and so do the axes z of both ports, about which the bodies turn.

    The constraint is MN = 0, x_M.z_N = 0 and y_M.z_N = 0. A spring and a damper act along the rotation, which is that of x_N against
    x_M about the axis and counts turns.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.3, 0), width=0.2),
        line((0.3, 0), (0.9, 0), width=0.2),
        circle(0, 0, 0.35, fill=0.85),
        line((0, -0.8), (0, 0.8), width=0.08),
    )

    def constraint(self, M, N):
        return [*(N.point - M.point), M.x_axis.dot(N.z_axis), M.y_axis.dot(N.z_axis)]

    def freedoms(self, M, N):
        return {"rotation": turn(M, N)}

    def validity(self, M, N):
        return same_axis(M, N, "z")
