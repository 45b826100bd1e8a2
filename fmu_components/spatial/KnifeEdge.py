"""Knife edge on a plane, a non-holonomic constraint."""

from fmu_components.declare.icon import Drawing, arrowhead, line
from fmu_components.declare.picture import blade, picture
from fmu_components.declare.space import SpatialJoint, lean, not_at_right_angles


class KnifeEdge(SpatialJoint):
    """Knife edge: the point N moves, in the plane at right angles to the axis z of M, only along its own edge.

    A skate or a thin wheel. The axis z of N is at right angles to the blade, which may lean. The constraint exists at velocity level only: the
    velocity of N against the material of body i below it has no part along what z_N has in the plane. It does not keep N in the plane;
    PointOnPlane does, or Planar.
    """

    drawing = Drawing(
        line((-0.85, -0.6), (0.45, -0.6), (0.85, 0.0), (-0.45, 0.0), (-0.85, -0.6), fill=0.95),
        line((-0.4, -0.3), (0.4, -0.3), (0.5, -0.1), (-0.4, -0.1), (-0.4, -0.3), fill=0.0, width=0.04),
        line((0, -0.1), (0, 0.3), width=0.1),
        line((-0.4, 0.55), (0.45, 0.55)),
        arrowhead(-0.4, 0.55, 180),
        arrowhead(0.45, 0.55, 0),
    )
    picture = picture(blade("N"))
    starts_N = {"R22": 0.0, "R33": 0.0, "R32": 1.0, "R23": -1.0}

    def velocity_constraint(self, M, N):
        below = M.velocity + M.omega.cross(N.point - M.point)
        x, y, sine = lean(self, M, N)
        return [(N.velocity - below).dot(x * M.x_axis + y * M.y_axis) / sine]

    def validity(self, M, N):
        return not_at_right_angles(M, N, "in which the blade would lie")
