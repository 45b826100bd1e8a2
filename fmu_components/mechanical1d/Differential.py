"""Differential gear."""

from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import ROTATIONAL, Side


class Differential(Joint):
    """Differential: the shafts left and right turn against each other freely, and on average as fast as the shaft drive over the ratio.

    The constraint is drive.w = ratio (left.w + right.w)/2, at velocity level, so that any angles can be start angles. The multiplier is the torque on
    the drive; left and right get half of ratio times its opposite each. What the housing bears is the output `housing`.
    """

    kind = ROTATIONAL
    drawing = Drawing(
        box(-0.45, -0.45, 0.45, 0.45),
        line((-0.9, 0), (-0.3, 0), width=0.12),
        line((0.9, 0), (0.3, 0), width=0.12),
        line((0, -0.9), (0, -0.45), width=0.12),
        line((-0.3, -0.2), (-0.3, 0.2), (-0.15, 0.1), (-0.15, -0.1), (-0.3, -0.2), fill=0.85),
        line((0.3, -0.2), (0.3, 0.2), (0.15, 0.1), (0.15, -0.1), (0.3, -0.2), fill=0.85),
        line((-0.2, 0.3), (0.2, 0.3), (0.1, 0.15), (-0.1, 0.15), (-0.2, 0.3), fill=0.85),
    )

    def ends(self):
        return [self.port(name, ROTATIONAL, Side.EFFORT, f"shaft {name}") for name in ("drive", "left", "right")]

    def velocity_constraint(self, drive, left, right):
        ratio = self.parameter("ratio", 1.0, "", "speed of the drive over the mean of left and right; negative where they turn against it")
        return [drive.w - ratio * (left.w + right.w) / 2]

    def validity(self, drive, left, right):
        return [(self["ratio"] ** 2, "the ratio is not 0")]

    def declare(self):
        super().declare()
        self.output("housing", -sum(shaft.tau for shaft in self.ports), "N.m", "torque on the housing")
