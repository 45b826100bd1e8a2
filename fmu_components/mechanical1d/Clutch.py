"""Friction clutch between two shafts."""

import sympy

from fmu_components.declare.heat import fading
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import ROTATIONAL
from fmu_components.declare.rubbing import Losing
from fmu_components.declare.switched import friction


class Clutch(Losing):
    """Friction clutch: the shafts turn as one up to the torque that it can carry, the input `capacity`, and slip against it beyond.

    A capacity of 0 or less lets go. The multiplier is the torque on N; M gets its opposite. The output `loss` is the power
    that is lost while it slips.
    """

    kind = ROTATIONAL
    drawing = Drawing(
        line((-0.9, 0), (-0.12, 0), width=0.12),
        line((0.12, 0), (0.9, 0), width=0.12),
        box(-0.2, -0.6, -0.06, 0.6, fill=0.85),
        box(0.06, -0.6, 0.2, 0.6, fill=0.85),
        line((0.8, 0.45), (0.35, 0.45)),
        arrowhead(0.3, 0.45, 180),
    )

    def velocity_constraint(self, M, N):
        capacity = self.input("capacity", 0.0, "N.m", "torque that it can carry while it slips")
        peak = self.parameter("peak", 1.0, "", "torque up to which it sticks, by that while it slips", at_least=1)
        carried = fading(self) * sympy.Max(capacity, 0)
        return [friction(N.w - M.w, carried, peak * carried)]
