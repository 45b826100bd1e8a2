"""Freewheel between two shafts."""

from fmu_components.declare.icon import Drawing, arc, arrowhead, circle, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import ROTATIONAL
from fmu_components.declare.switched import unilateral


class OneWayClutch(Joint):
    """Freewheel: M turns N along, which may overtake it.

    N.w - M.w is not negative. The multiplier is the torque on N, at least 0; M gets its opposite.
    """

    kind = ROTATIONAL
    drawing = Drawing(
        line((-0.9, 0), (-0.5, 0), width=0.12),
        line((0.2, 0), (0.9, 0), width=0.12),
        circle(0, 0, 0.5, fill=0.85),
        circle(0, 0, 0.22, fill=1.0),
        circle(0, 0.36, 0.12, fill=0.4),
        circle(0, -0.36, 0.12, fill=0.4),
        arc(0, 0, 0.7, 30, 100),
        arrowhead(0.6, 0.36, -60),
    )

    def velocity_constraint(self, M, N):
        return [unilateral(N.w - M.w)]
