"""Gear between two shafts."""

from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import ROTATIONAL


class Gear(Joint):
    """Gear: the shaft M turns ratio times as fast as the shaft N.

    The constraint is at velocity level, so that any angles can be start angles. Its multiplier is the torque on M; that on N
    is -ratio times as large. Bearings are not modelled: what the housing bears is the output `housing`.
    """

    kind = ROTATIONAL
    drawing = Drawing(
        line((-0.9, 0), (-0.35, 0), width=0.12),
        line((0.35, 0), (0.9, 0), width=0.12),
        line((-0.35, 0.5), (0.35, 0.5), width=0.12),
        box(-0.5, -0.2, -0.2, 0.2, fill=0.85),
        box(-0.5, 0.2, -0.2, 0.8, fill=0.85),
        box(0.2, 0.32, 0.5, 0.68, fill=0.85),
        box(0.2, -0.32, 0.5, 0.32, fill=0.85),
    )

    def velocity_constraint(self, M, N):
        ratio = self.parameter("ratio", 1.0, "", "speed of M over speed of N; negative where they turn against each other")
        return [M.w - ratio * N.w]

    def validity(self, M, N):
        return [(self["ratio"] ** 2, "the ratio is not 0")]

    def declare(self):
        super().declare()
        M, N = self.ports
        self.output("housing", -(M.tau + N.tau), "N.m", "torque on the housing")
