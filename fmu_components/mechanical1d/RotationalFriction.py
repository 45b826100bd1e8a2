"""Dry friction between two shafts."""

from fmu_components.declare.icon import Drawing, arc, arrowhead, box, line
from fmu_components.declare.ports import ROTATIONAL
from fmu_components.declare.rubbing import Rubbing


class RotationalFriction(Rubbing):
    """Dry friction between shafts: M and N stick together up to the static torque, and slip against the kinetic one.

    The multiplier is the torque on N; M gets its opposite. The output `loss` is the power that is lost. While it slips at the speed w, the
    size of the torque is kinetic + (static - kinetic) exp(-(w/stribeck)^2) + viscous w; with a `stribeck` of 0 it is kinetic + viscous w.
    """

    kind = ROTATIONAL
    drawing = Drawing(
        line((-0.9, 0), (0.9, 0), width=0.12),
        box(-0.35, 0.1, 0.35, 0.35, fill=0.85),
        box(-0.35, -0.35, 0.35, -0.1, fill=0.85),
        arc(0, 0.3, 0.5, 40, 140),
        arrowhead(-0.38, 0.62, 230),
    )

    def velocity_constraint(self, M, N):
        return [self.rubs(N.w - M.w, "torque", "N.m", "rad/s")]
