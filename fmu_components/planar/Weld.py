"""Rigid connection."""

from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.joint import Joint, same_direction


class Weld(Joint):
    """Weld: no relative motion; the points M and N coincide and their axes stay parallel.

    The constraint is MN = 0 and x_jl.y_il = 0. Two bodies are welded at an angle by the angles of their joint axes.
    """

    drawing = Drawing(line((-0.95, 0), (0.95, 0), width=0.2), box(-0.2, -0.2, 0.2, 0.2, fill=0.0))

    def constraint(self, M, N):
        MN = N.point - M.point
        return [MN[0], MN[1], N.x_axis.dot(M.y_axis)]

    def validity(self, M, N):
        return [same_direction(M, N)]
