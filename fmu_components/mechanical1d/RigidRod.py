"""Rigid coupling of two masses on a line."""

from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import TRANSLATIONAL


class RigidRod(Joint):
    """Rigid coupling: the masses M and N move as one, N ahead of M by the length.

    The multiplier is the force on N; M gets its opposite.
    """

    kind = TRANSLATIONAL
    drawing = Drawing(
        box(-0.9, -0.3, -0.4, 0.3, fill=0.85),
        line((-0.4, 0), (0.4, 0), width=0.12),
        box(0.4, -0.3, 0.9, 0.3, fill=0.85),
    )

    def constraint(self, M, N):
        return [N.s - M.s - self.parameter("length", 0.0, "m", "position of N less that of M")]
