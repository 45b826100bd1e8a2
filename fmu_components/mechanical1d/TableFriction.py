"""Dry friction by a table, between two masses on a line."""

from fmu_components.declare.icon import Drawing, axes, line
from fmu_components.declare.rubbing import RubbingByTable
from fmu_components.mechanical1d.Friction import Friction


class TableFriction(RubbingByTable, Friction):
    """Dry friction by a table: M and N stick together up to peak force(0), and slip at the speed v against force(v).

    The table `force` gives the size of the force by the speed of slip, such as a measured Stribeck curve. It holds for both directions, and
    beyond its end the last value is held. The multiplier is the force on N; M gets its opposite. The output `loss` is the power that is lost.
    """

    drawing = Drawing(*Friction.drawing.shapes[:-2], *axes(-0.85), line((-0.6, 0.85), (-0.45, 0.55), (-0.1, 0.5), (0.6, 0.75), width=0.1))
