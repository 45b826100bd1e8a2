"""Rigid body in space that is part of its parent, as one block."""

from fmu_components.declare.family import with_children
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.spatial_block import SpatialBlock


class WeldedBody(SpatialBlock):
    """Body in space that is fixed to its parent: its mass and inertia are added there.

    Motion comes in at P, a point of the parent, and a wrench goes back; children hang on C1 and C2. It has no states and no unknowns. The body
    frame is the frame of P. A welded body without mass gives a parent more points for children.
    """

    drawing = Drawing(line((-0.8, -0.3), (-0.8, 0.3), width=0.16), line((-0.72, 0), (0.7, 0), width=0.22), circle(0.7, 0, 0.14, fill=1.0))
    joint = "weld"


WeldedBody3, WeldedBody4, WeldedBody5 = with_children(WeldedBody)
