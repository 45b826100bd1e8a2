"""Planar joint in space."""

from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.picture import level, picture, pin
from fmu_components.declare.space import SpatialJoint, same_axis, turn


class Planar(SpatialJoint):
    """Planar joint: N moves in the plane through M at right angles to the axis z of M, about which it also turns.

    The constraint is MN.z_M = 0, x_M.z_N = 0 and y_M.z_N = 0. Springs and dampers act along MN.x_M, MN.y_M and the rotation about z, which
    counts turns.
    """

    drawing = Drawing(
        line((-0.9, -0.5), (0.5, -0.5), (0.9, 0.1), (-0.5, 0.1), (-0.9, -0.5), fill=0.95), box(-0.25, -0.2, 0.25, 0.35, fill=0.75)
    )
    picture = picture(level("M", "N"), pin("N"))

    def constraint(self, M, N):
        return [(N.point - M.point).dot(M.z_axis), M.x_axis.dot(N.z_axis), M.y_axis.dot(N.z_axis)]

    def freedoms(self, M, N):
        MN = N.point - M.point
        return {"translation1": MN.dot(M.x_axis), "translation2": MN.dot(M.y_axis), "rotation": turn(M, N)}

    def validity(self, M, N):
        return same_axis(M, N, "z")
