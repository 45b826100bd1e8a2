"""Linear contact with a gap between two shafts."""

from fmu_components.declare.component import Component
from fmu_components.declare.elastic_gap import contact
from fmu_components.declare.icon import Drawing, arc, circle, line
from fmu_components.declare.ports import ROTATIONAL, Side


class RotationalElasticGap(Component):
    """Linear contact with a gap between shafts: if N.phi - M.phi is less than `gap`, the torque k depth - c speed pushes N and M apart.

    Here depth is gap - (N.phi - M.phi), and speed is N.w - M.w. The contact never pulls: it opens where this torque falls to zero. Touching
    and opening are events. Two of them, one from M to N and one from N to M, are a coupling with elastic claws.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.2, 0), width=0.12),
        line((0.2, 0), (0.9, 0), width=0.12),
        circle(0, 0, 0.2, fill=0.85),
        arc(0, 0, 0.6, 20, 90),
        line((0, 0.4), (0, 0.8), width=0.12),
        line((0.4, 0.15), (0.75, 0.3), width=0.12),
    )

    def declare(self):
        M = self.port("M", ROTATIONAL, Side.EFFORT, "lower side")
        N = self.port("N", ROTATIONAL, Side.EFFORT, "upper side")
        torque = contact(self, N.phi - M.phi, N.w - M.w, "rad", "torque", "N.m")
        self.gives(M, -torque)
        self.gives(N, torque)
