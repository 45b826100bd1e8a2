"""Play between two masses."""

from fmu_components.declare.icon import Drawing, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import TRANSLATIONAL
from fmu_components.declare.switched import unilateral


class Backlash(Joint):
    """Play between two masses: N.s - M.s stays within half the play on either side of the offset.

    An impact gives back the share `e` of the speed. Multiplier 1 pushes N up at the lower end, multiplier 2 down at the upper one.

    The compliant mode suits stiff drives that change sides all the time; `compliant.k` and `compliant.c` are those of the flanks.
    """

    kind = TRANSLATIONAL
    drawing = Drawing(
        line((-0.9, 0), (-0.5, 0)),
        line((0.15, 0.35), (-0.5, 0.35), (-0.5, -0.35), (0.15, -0.35)),
        line((0.15, 0.35), (0.15, 0.15)),
        line((0.15, -0.35), (0.15, -0.15)),
        line((-0.05, 0.2), (-0.05, -0.2), width=0.12),
        line((-0.05, 0), (0.9, 0)),
    )

    def constraint(self, M, N):
        play = self.parameter("play", 0.01, "m", "free travel from end to end", at_least=0)
        offset = self.parameter("offset", 0.0, "m", "N.s - M.s in the middle")
        e = self.parameter("e", 0.0, "", "coefficient of restitution", at_least=0, at_most=1)
        q = N.s - M.s - offset
        return [unilateral(q + play / 2, e), unilateral(play / 2 - q, e)]
