"""Velocity that points at another body (second example of the non-holonomic paper)."""

from sympy import sqrt

from fmu_components.declare.icon import Drawing, arrowhead, circle, line
from fmu_components.declare.joint import Joint


class PointedVelocity(Joint):
    """Pointed velocity: the absolute velocity of M always points at N, or away from it.

    The constraint exists at velocity level only: (MN x V(M))/|MN| = 0. The multiplier is the force on body i at right angles
    to MN; the constraint does not act on body j.
    """

    drawing = Drawing(
        line((0.1, 0), (0.2, 0)),
        line((0.28, 0), (0.38, 0)),
        line((0.46, 0), (0.56, 0)),
        circle(-0.55, 0, 0.24, fill=0.85),
        line((-0.55, 0), (0.05, 0), width=0.12),
        arrowhead(0.07, 0, 0, 0.28, width=0.12),
        circle(0.66, 0, 0.2),
        circle(0.66, 0, 0.06, fill=0.0),
    )
    starts_N = {"x": 1.0}

    def velocity_constraint(self, M, N):
        MN = N.point - M.point
        return [(MN[0] * M.vy - MN[1] * M.vx) / sqrt(MN.dot(MN))]

    def validity(self, M, N):
        MN = N.point - M.point
        return [(MN.dot(MN), "M lies apart from N, since the velocity points from one to the other")]
