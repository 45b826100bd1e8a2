"""Screw joint."""

from sympy import pi

from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.space import SpatialJoint, same_axis, turn


class Screw(SpatialJoint):
    """Screw joint: N slides along the axis z of M in proportion to its turn about it.

    The constraint is that of a cylindrical joint, and MN.z_M - h q/(2 pi) = 0 with the pitch h, positive for a right-handed thread, and the
    angle q, which counts turns. A spring and a damper act along the rotation.
    """

    drawing = Drawing(
        box(-0.45, -0.35, 0.45, 0.35, fill=0.85),
        line((-0.95, 0), (0.95, 0), width=0.24),
        *(line((x - 0.06, -0.12), (x + 0.06, 0.12), width=0.05) for x in (-0.8, -0.65, 0.6, 0.75)),
    )

    def constraint(self, M, N):
        pitch = self.parameter("pitch", 0.01, "m", "travel of one turn", nominal=0.01)
        MN = N.point - M.point
        advance = MN.dot(M.z_axis) - pitch * self.angle("rotation", turn(M, N)) / (2 * pi)
        return [MN.dot(M.x_axis), MN.dot(M.y_axis), M.x_axis.dot(N.z_axis), M.y_axis.dot(N.z_axis), advance]

    def freedoms(self, M, N):
        return {"rotation": self["rotation.q"]}

    def validity(self, M, N):
        return same_axis(M, N, "z")
