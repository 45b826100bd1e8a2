"""Rigid coupling of two shafts."""

from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import ROTATIONAL


class RigidShaft(Joint):
    """Rigid coupling: the shafts M and N turn as one, N ahead of M by the offset.

    The multiplier is the torque on N; M gets its opposite.
    """

    kind = ROTATIONAL
    drawing = Drawing(
        line((-0.9, 0), (-0.15, 0), width=0.12),
        line((0.15, 0), (0.9, 0), width=0.12),
        box(-0.25, -0.45, 0.0, 0.45, fill=0.85),
        box(0.0, -0.45, 0.25, 0.45, fill=0.85),
    )

    def constraint(self, M, N):
        return [N.phi - M.phi - self.parameter("offset", 0.0, "rad", "angle of N less that of M")]
