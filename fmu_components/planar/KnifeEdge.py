"""Knife edge, a non-holonomic constraint."""

from sympy import Matrix

from fmu_components.icon import Drawing, line
from fmu_components.joint import Joint


class KnifeEdge(Joint):
    """Knife edge: the point N moves, relative to body i, only along the axis x of its own body.

    A skate or a thin wheel. The constraint exists at velocity level only: the relative velocity has no part along y_jl. Where
    M is on a body that moves, relative velocity means against the material of that body below the point.
    """

    drawing = Drawing(line((-0.8, -0.3), (0.5, -0.3), (0.75, 0.05), (0.55, 0.1), (-0.8, 0.1), (-0.8, -0.3), fill=0.85), line((-0.9, -0.42), (0.9, -0.42)), line((0, 0.1), (0, 0.6), width=0.12))

    def velocity_constraint(self, M, N):
        MN = N.point - M.point
        below = M.velocity + M.omega * Matrix([-MN[1], MN[0]])
        return [(N.velocity - below).dot(N.y_axis)]
