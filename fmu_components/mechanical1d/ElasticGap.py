"""Linear contact with a gap between two masses."""

from fmu_components.declare.component import Component
from fmu_components.declare.elastic_gap import contact
from fmu_components.declare.icon import Drawing, line, spring
from fmu_components.declare.ports import TRANSLATIONAL, Side


class ElasticGap(Component):
    """Linear contact with a gap on a line: if N.s - M.s is less than `gap`, the force k depth - c speed pushes N and M apart.

    Here depth is gap - (N.s - M.s), and speed is N.v - M.v. The contact never pulls: it opens where this force falls to zero. Touching and
    opening are events. With damping the force jumps at the first touch.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.6, 0)),
        spring(-0.6, 0.2, 0),
        line((0.2, 0.35), (0.2, -0.35)),
        line((0.45, 0.35), (0.45, -0.35)),
        line((0.45, 0), (0.9, 0)),
    )

    def declare(self):
        M = self.port("M", TRANSLATIONAL, Side.EFFORT, "lower side")
        N = self.port("N", TRANSLATIONAL, Side.EFFORT, "upper side")
        force = contact(self, N.s - M.s, N.v - M.v, "m", "force", "N")
        self.gives(M, -force)
        self.gives(N, force)
