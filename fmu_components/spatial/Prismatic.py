"""Prismatic joint."""

from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.space import SpatialJoint, same_attitude, same_axis


class Prismatic(SpatialJoint):
    """Prismatic joint: N slides along the axis z of M, and the two frames stay parallel.

    The constraint is MN.x_M = 0, MN.y_M = 0, x_M.y_N = 0, y_M.z_N = 0 and z_M.x_N = 0. A spring and a damper act on MN.z_M.
    """

    drawing = Drawing(
        box(-0.45, -0.35, 0.45, 0.35, fill=0.85),
        line((-0.95, 0), (0.95, 0), width=0.24),
        line((-0.95, 0), (0.95, 0), width=0.05),
        line((-0.45, 0.35), (0.45, 0.35)),
    )

    def constraint(self, M, N):
        MN = N.point - M.point
        return [MN.dot(M.x_axis), MN.dot(M.y_axis), *same_attitude(M, N)]

    def freedoms(self, M, N):
        return {"translation": (N.point - M.point).dot(M.z_axis)}

    def validity(self, M, N):
        return same_axis(M, N, "x", "y", "z")
