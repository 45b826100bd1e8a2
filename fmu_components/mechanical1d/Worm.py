"""Worm gear."""

from fmu_components.declare.icon import Drawing, box, gearwheel, line
from fmu_components.declare.lossy_mesh import LossyMesh, efficiencies, worm
from fmu_components.declare.ports import ROTATIONAL


class Worm(LossyMesh):
    """Worm gear: the worm M turns teeth/starts times as fast as the wheel N, with losses by the friction of its thread.

    The lead angle is atan(starts module/diameter). With c = cos(flank) and s the tangent of the lead angle, the efficiency is
    (c - mu s)/(c + mu/s) when the worm drives, and (c - mu/s)/(c + mu s) when the wheel drives. If mu is greater than c s, the worm locks
    itself. A left-handed worm turns the wheel against.
    """

    kind = ROTATIONAL
    drawing = Drawing(
        line((-0.9, 0.55), (0.9, 0.55), width=0.12),
        box(-0.5, 0.35, 0.5, 0.75, fill=0.85),
        *(line((x, 0.35), (x + 0.15, 0.75)) for x in (-0.4, -0.2, 0.0, 0.2)),
        gearwheel(0, -0.25, 0.5, 14),
    )

    def velocity_constraint(self, M, N):
        starts, teeth, _, _, lead = worm(self)
        return [M.w - teeth / starts * N.w, self.rubs(M.w, *efficiencies(self, lead), "N.m")]

    def validity(self, M, N):
        return [(self["starts"] ** 2, "the number of starts is not 0")]
