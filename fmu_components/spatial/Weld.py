"""Rigid connection in space."""

from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.space import SpatialJoint, same_attitude, same_axis


class Weld(SpatialJoint):
    """Weld in space: no relative motion; the points M and N coincide and their frames stay parallel.

    The constraint is MN = 0, x_M.y_N = 0, y_M.z_N = 0 and z_M.x_N = 0. Two bodies are welded at an angle by the frames of their ports.
    """

    drawing = Drawing(line((-0.95, 0), (0.95, 0), width=0.2), box(-0.2, -0.2, 0.2, 0.2, fill=0.0), box(-0.3, -0.3, 0.3, 0.3))

    def constraint(self, M, N):
        return [*(N.point - M.point), *same_attitude(M, N)]

    def validity(self, M, N):
        return same_axis(M, N, "x", "y", "z")
