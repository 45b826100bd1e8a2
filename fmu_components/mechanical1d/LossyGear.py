"""Gear with losses."""

from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.lossy_mesh import LossyMesh
from fmu_components.declare.ports import ROTATIONAL


class LossyGear(LossyMesh):
    """Gear with losses by direction and load: the shaft M turns ratio times as fast as the shaft N.

    With a load L on M, M needs L/`efficiency` when it drives, and bears L `back` when N drives. A value `back` of 0 or less locks the gear:
    N cannot drive it. The torque `bearing` is lost in addition. Multiplier 1 is the torque of the ideal gear on M, and multiplier 2 that of
    the friction.
    """

    kind = ROTATIONAL
    drawing = Drawing(
        line((-0.9, 0), (-0.35, 0), width=0.12),
        line((0.35, 0), (0.9, 0), width=0.12),
        line((-0.35, 0.5), (0.35, 0.5), width=0.12),
        box(-0.5, -0.2, -0.2, 0.2, fill=0.6),
        box(-0.5, 0.2, -0.2, 0.8, fill=0.6),
        box(0.2, 0.32, 0.5, 0.68, fill=0.6),
        box(0.2, -0.32, 0.5, 0.32, fill=0.6),
    )

    def velocity_constraint(self, M, N):
        ratio = self.parameter("ratio", 1.0, "", "speed of M over speed of N; negative where they turn against each other")
        efficiency = self.parameter("efficiency", 0.95, "", "power at N over power at M, when M drives", above=0, at_most=1)
        back = self.parameter("back", 0.95, "", "power at M over power at N, when N drives; 0 or less locks", at_most=1)
        return [M.w - ratio * N.w, self.rubs(M.w, efficiency, back, "N.m")]

    def validity(self, M, N):
        return [(self["ratio"] ** 2, "the ratio is not 0")]
