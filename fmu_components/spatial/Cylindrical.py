"""Cylindrical joint."""

from fmu_components.declare.icon import Drawing, box, circle, line
from fmu_components.declare.space import SpatialJoint, same_axis, turn


class Cylindrical(SpatialJoint):
    """Cylindrical joint: N slides along the axis z of M and turns about it.

    The constraint is MN.x_M = 0, MN.y_M = 0, x_M.z_N = 0 and y_M.z_N = 0. Springs and dampers act along the rotation, which counts turns,
    and along the translation MN.z_M.
    """

    drawing = Drawing(
        box(-0.45, -0.3, 0.45, 0.3, fill=0.85),
        line((-0.95, 0), (0.95, 0), width=0.2),
        circle(0, 0, 0.16, fill=1.0),
    )

    def constraint(self, M, N):
        MN = N.point - M.point
        return [MN.dot(M.x_axis), MN.dot(M.y_axis), M.x_axis.dot(N.z_axis), M.y_axis.dot(N.z_axis)]

    def freedoms(self, M, N):
        return {"rotation": turn(M, N), "translation": (N.point - M.point).dot(M.z_axis)}

    def validity(self, M, N):
        return same_axis(M, N, "z")
