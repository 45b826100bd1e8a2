"""Stops at both ends of a stroke."""

from fmu_components.declare.icon import Drawing, box, ground, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import TRANSLATIONAL
from fmu_components.declare.switched import unilateral


class EndStop(Joint):
    """Stops at both ends of a stroke: N.s - M.s stays between low and high.

    An impact gives back the share `e` of the speed. Multiplier 1 pushes N up at the lower end, multiplier 2 down at the upper one;
    neither pulls.

    In compliant mode `compliant.k` and `compliant.c` are those of the stops, and `e` has no effect.
    """

    kind = TRANSLATIONAL
    drawing = Drawing(
        *ground(-0.9, 0.9, -0.35, 9),
        line((-0.8, -0.35), (-0.8, 0.4), width=0.12),
        line((0.8, -0.35), (0.8, 0.4), width=0.12),
        box(-0.3, -0.35, 0.3, 0.25, fill=0.85),
    )

    def constraint(self, M, N):
        q = N.s - M.s
        low = self.parameter("low", 0.0, "m", "least N.s - M.s")
        high = self.parameter("high", 1.0, "m", "greatest N.s - M.s")
        e = self.parameter("e", 0.0, "", "coefficient of restitution", at_least=0, at_most=1)
        return [unilateral(q - low, e), unilateral(high - q, e)]

    def validity(self, M, N):
        return [(self["high"] - self["low"], "high is greater than low; swap them")]
