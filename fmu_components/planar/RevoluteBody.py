"""Rigid body on a revolute joint, as one block."""

from fmu_components.declare.family import with_children
from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.planar_block import PlanarBlock


class RevoluteBody(PlanarBlock):
    """Body that turns on its parent: a revolute joint and a rigid body in one block.

    Motion comes in at P, a point of the parent, and a wrench goes back; children hang on C1 and C2. States are the angle q of the joint
    and its rate: nothing has to be assembled, and nothing drifts. The body frame has its origin at P and is
    parallel to the frame of P at q = 0, unless P.angle says otherwise.
    """

    drawing = Drawing(
        circle(-0.6, 0, 0.22), circle(-0.6, 0, 0.08, fill=0.0), line((-0.38, 0), (0.7, 0), width=0.22), circle(0.7, 0, 0.14, fill=1.0)
    )
    joint = "revolute"


RevoluteBody3, RevoluteBody4, RevoluteBody5 = with_children(RevoluteBody)
