"""Velocity that points at another body (second example of the non-holonomic paper)."""

from sympy import sqrt

from fmu_components.icon import Drawing, circle, line
from fmu_components.joint import Joint


class PointedVelocity(Joint):
    """Pointed velocity: the absolute velocity of M always points at N, or away from it.

    The constraint exists at velocity level only: (MN x V(M))/|MN| = 0. The multiplier is the force on body i at right angles
    to MN; the constraint does not act on body j.
    """

    drawing = Drawing(circle(-0.5, -0.3, 0.18, fill=0.85), circle(0.6, 0.45, 0.18, fill=0.85), line((-0.5, -0.3), (0.2, 0.18), width=0.1), line((0.0, 0.19), (0.2, 0.18), (0.12, 0.0)))
    starts_N = {"x": 1.0}

    def velocity_constraint(self, M, N):
        MN = N.point - M.point
        return [(MN[0] * M.vy - MN[1] * M.vx) / sqrt(MN.dot(MN))]

    def validity(self, M, N):
        MN = N.point - M.point
        return [(MN.dot(MN), "M lies apart from N, since the velocity points from one to the other")]
