"""Three turns after one another, with springs and dampers."""

import sympy

from fmu_components.declare.icon import Drawing, arc, circle, line
from fmu_components.declare.joint import Angle
from fmu_components.declare.picture import picture
from fmu_components.declare.space import SpatialJoint, lean

_LOCKED = 1e-12
"""Added to a square that vanishes where heading and spin are the same: rates, which only tell how often an angle has turned, are finite there."""


class Gimbal(SpatialJoint):
    """Gimbal: heading, lean and spin of N against M, with springs and dampers on them. It constrains nothing.

    Heading (rotation1) is about z_M, lean (rotation2) about the line that is at right angles to z_M and z_N, and spin (rotation3) about z_N, each
    after the one before. Heading and spin count turns. All are 0 where z_N is y_M and x_N is x_M. Heading and spin are the same where
    z_N points along z_M, which is refused at the start: turn the frame of a port so that this is far away.
    """

    drawing = Drawing(
        circle(0, 0, 0.85),
        arc(0, 0, 0.6, -60, 240),
        line((-0.95, 0), (-0.6, 0), width=0.15),
        line((0, -0.95), (0, -0.3), width=0.15),
        line((0.3, 0), (0.6, 0), width=0.15),
        circle(0, 0, 0.3, fill=0.85),
    )
    starts_N = {"R22": 0.0, "R33": 0.0, "R32": -1.0, "R23": 1.0}
    picture = picture()

    def freedoms(self, M, N):
        x, y, sine = lean(self, M, N)
        turning, z = N.omega - M.omega, M.z_axis.dot(N.z_axis)
        heading = (y * self.D(-x) + x * self.D(y)) / (sine**2 + _LOCKED)
        across = y * N.x_axis.dot(M.x_axis) - x * N.x_axis.dot(M.y_axis)
        return {
            "rotation1": Angle(-x, y, heading),
            "rotation2": sympy.atan2(z, sine),
            "rotation3": Angle(-N.x_axis.dot(M.z_axis), across, turning.dot(N.z_axis) - heading * z),
        }

    def validity(self, M, N):
        square = M.x_axis.dot(N.z_axis) ** 2 + M.y_axis.dot(N.z_axis) ** 2
        return [(square, "the axis z of N does not point along the axis z of M, where heading and spin are the same")]
