"""Dry friction by a table, between two shafts."""

from fmu_components.declare.icon import Drawing, axes, line
from fmu_components.declare.rubbing import RubbingByTable
from fmu_components.mechanical1d.RotationalFriction import RotationalFriction


class RotationalTableFriction(RubbingByTable, RotationalFriction):
    """Dry friction by a table: the shafts M and N stick together up to peak torque(0), and slip at the speed w against torque(w).

    The table `torque` gives the size of the torque by the speed of slip, such as that of a seal or a bearing. It holds for both directions,
    and beyond its end the last value is held. The multiplier is the torque on N; M gets its opposite. The output `loss` is the power that is
    lost.
    """

    drawing = Drawing(
        *RotationalFriction.drawing.shapes, *axes(-0.85), line((-0.6, -0.4), (-0.45, -0.7), (-0.1, -0.75), (0.6, -0.5), width=0.1)
    )
