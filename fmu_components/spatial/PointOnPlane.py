"""Point on a plane."""

from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.picture import ball, level, picture
from fmu_components.declare.space import SpatialJoint


class PointOnPlane(SpatialJoint):
    """Point on a plane: N stays in the plane through M at right angles to the axis z of M; both bodies turn freely.

    The constraint is MN.z_M = 0. Springs and dampers act along the two translations MN.x_M and MN.y_M.
    """

    drawing = Drawing(
        line((-0.85, -0.5), (0.45, -0.5), (0.85, 0.2), (-0.45, 0.2), (-0.85, -0.5), fill=0.85), circle(0, -0.05, 0.16, fill=0.0)
    )
    picture = picture(level("M", "N"), ball("N"))

    def constraint(self, M, N):
        return [(N.point - M.point).dot(M.z_axis)]

    def freedoms(self, M, N):
        MN = N.point - M.point
        return {"translation1": MN.dot(M.x_axis), "translation2": MN.dot(M.y_axis)}
