"""Point on a line."""

from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.space import SpatialJoint


class PointOnLine(SpatialJoint):
    """Point on a line: N stays on the axis z of M; both bodies turn freely.

    The constraint is MN.x_M = 0 and MN.y_M = 0. A spring and a damper act along the translation MN.z_M.
    """

    drawing = Drawing(line((-0.9, -0.3), (0.9, 0.3), width=0.12), circle(0.15, 0.05, 0.2, fill=0.85))

    def constraint(self, M, N):
        MN = N.point - M.point
        return [MN.dot(M.x_axis), MN.dot(M.y_axis)]

    def freedoms(self, M, N):
        return {"translation": (N.point - M.point).dot(M.z_axis)}
