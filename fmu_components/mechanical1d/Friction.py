"""Dry friction between two masses on a line."""

from fmu_components.declare.icon import Drawing, arrowhead, box, ground, line
from fmu_components.declare.ports import TRANSLATIONAL
from fmu_components.declare.rubbing import Rubbing


class Friction(Rubbing):
    """Dry friction: M and N stick together up to the static force, and slip against the kinetic one.

    The multiplier is the force on N; M gets its opposite. The output `loss` is the power that is lost. While it slips at the speed v, the
    size of the force is kinetic + (static - kinetic) exp(-(v/stribeck)^2) + viscous v; with a `stribeck` of 0 it is kinetic + viscous v.
    """

    kind = TRANSLATIONAL
    drawing = Drawing(
        *ground(-0.9, 0.9, -0.35, 9),
        box(-0.4, -0.35, 0.4, 0.25, fill=0.85),
        line((-0.4, 0.55), (0.4, 0.55)),
        arrowhead(0.45, 0.55, 0),
    )

    def velocity_constraint(self, M, N):
        return [self.rubs(N.v - M.v, "force", "N", "m/s")]
