"""Screw and nut with losses."""

from sympy import atan, pi

from fmu_components.declare.icon import Drawing, box, line
from fmu_components.declare.lossy_mesh import LossyMesh, efficiencies
from fmu_components.declare.ports import ROTATIONAL, TRANSLATIONAL


class PowerScrew(LossyMesh):
    """Screw: one turn of the screw M moves the nut N by the lead, with losses by the friction of its thread.

    The lead angle is atan(lead/(pi diameter)). With c = cos(flank) and s the tangent of the lead angle, the efficiency is
    (c - mu s)/(c + mu/s) when the screw drives, and (c - mu/s)/(c + mu s) when the nut drives. If mu is greater than c s, the screw locks
    itself. Multiplier 1 is the torque of the load on the screw.
    """

    kinds = (ROTATIONAL, TRANSLATIONAL)
    drawing = Drawing(
        line((-0.9, 0), (0.9, 0), width=0.2),
        *(line((x, -0.12), (x + 0.1, 0.12), width=0.04) for x in (-0.8, -0.6, -0.4, 0.35, 0.55, 0.75)),
        box(-0.25, -0.45, 0.25, 0.45, fill=0.85),
    )

    def velocity_constraint(self, M, N):
        lead = self.parameter("lead", 5e-3, "m", "travel of the nut for one turn", above=0, nominal=1e-3)
        diameter = self.parameter("diameter", 0.02, "m", "mean diameter of the thread", above=0, nominal=0.01)
        angle = self.local("angle", atan(lead / (pi * diameter)), "rad", "lead angle of the thread")
        return [M.w - 2 * pi / lead * N.v, self.rubs(M.w, *efficiencies(self, angle), "N.m")]
