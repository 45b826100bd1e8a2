"""Rigid body in space on a prismatic joint, as one block."""

from fmu_components.declare.family import with_children
from fmu_components.declare.icon import Drawing, box, circle, line
from fmu_components.declare.spatial_block import SpatialBlock


class PrismaticBody(SpatialBlock):
    """Body in space that slides on its parent: a prismatic joint along the axis z of P and a rigid body in one block.

    Motion comes in at P, a point of the parent, and a wrench goes back; children hang on C1 and C2. States are the distance q and its
    rate: nothing has to be assembled, and nothing drifts. The body frame has its origin at P and is
    parallel to the frame of P, unless P.z and P.x say otherwise.
    """

    drawing = Drawing(
        line((-0.95, 0), (0.6, 0), width=0.08),
        box(-0.5, -0.3, 0.2, 0.3, fill=0.85),
        line((0.2, 0), (0.7, 0), width=0.22),
        circle(0.7, 0, 0.14, fill=1.0),
    )
    joint = "prismatic"


PrismaticBody3, PrismaticBody4, PrismaticBody5 = with_children(PrismaticBody)
