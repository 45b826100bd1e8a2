"""Knife edge, a non-holonomic constraint."""

from sympy import Matrix

from fmu_components.declare.icon import Drawing, arrowhead, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.picture import blade, picture


class KnifeEdge(Joint):
    """Knife edge: the point N moves, relative to body i, only along the axis x of its own body.

    A skate or a thin wheel. The constraint exists at velocity level only: the relative velocity has no part along y_jl. Where
    M is on a body that moves, relative velocity means against the material of that body below the point.
    """

    drawing = Drawing(
        line((-0.75, -0.45), (0.55, -0.45), (0.72, -0.4), (0.82, -0.25), (0.72, -0.15), (0.6, -0.3), (-0.75, -0.3), fill=0.0, width=0.04),
        line((-0.45, -0.3), (-0.45, -0.02)),
        line((0.3, -0.3), (0.3, -0.02)),
        line((-0.6, -0.02), (0.5, -0.02), width=0.12),
        line((-0.9, -0.5), (0.9, -0.5)),
        line((-0.4, 0.35), (0.45, 0.35)),
        arrowhead(-0.4, 0.35, 180),
        arrowhead(0.45, 0.35, 0),
    )
    picture = picture(blade("N"))

    def velocity_constraint(self, M, N):
        MN = N.point - M.point
        below = M.velocity + M.omega * Matrix([-MN[1], MN[0]])
        return [(N.velocity - below).dot(N.y_axis)]
