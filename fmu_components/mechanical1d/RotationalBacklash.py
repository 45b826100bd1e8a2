"""Play between two shafts."""

from fmu_components.declare.icon import Drawing, circle, gearwheel, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import ROTATIONAL
from fmu_components.declare.switched import unilateral


class RotationalBacklash(Joint):
    """Play between two shafts: N.phi - M.phi stays within half the play on either side of the offset.

    An impact gives back the share `e` of the speed. Multiplier 1 pushes N up at the lower end, multiplier 2 down at the upper one.

    The compliant mode suits stiff drives that change sides all the time; `compliant.k` and `compliant.c` are those of the flanks.
    """

    kind = ROTATIONAL
    drawing = Drawing(
        line((-0.9, 0), (-0.6, 0), width=0.12),
        line((0.6, 0), (0.9, 0), width=0.12),
        gearwheel(-0.27, 0, 0.36, 10),
        gearwheel(0.36, 0, 0.3, 8, turn=10),
        circle(-0.27, 0, 0.1, fill=1.0),
        circle(0.36, 0, 0.1, fill=1.0),
    )

    def constraint(self, M, N):
        play = self.parameter("play", 0.01, "rad", "free travel from end to end", at_least=0)
        offset = self.parameter("offset", 0.0, "rad", "N.phi - M.phi in the middle")
        e = self.parameter("e", 0.0, "", "coefficient of restitution", at_least=0, at_most=1)
        q = N.phi - M.phi - offset
        return [unilateral(q + play / 2, e), unilateral(play / 2 - q, e)]
