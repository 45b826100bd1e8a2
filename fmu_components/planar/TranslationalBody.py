"""Rigid body on a translational joint, as one block."""

from fmu_components.declare.family import with_children
from fmu_components.declare.icon import Drawing, box, circle, line
from fmu_components.declare.planar_block import PlanarBlock


class TranslationalBody(PlanarBlock):
    """Body that slides on its parent: a translational joint along the axis x of P and a rigid body in one block.

    Motion comes in at P, a point of the parent, and a wrench goes back; children hang on C1 and C2. States are the distance q and its
    rate: nothing has to be assembled, and nothing drifts. The body frame has its origin at P and is
    parallel to the frame of P, unless P.angle says otherwise.
    """

    drawing = Drawing(
        line((-0.95, 0), (0.6, 0), width=0.08),
        box(-0.5, -0.3, 0.2, 0.3, fill=0.85),
        line((0.2, 0), (0.7, 0), width=0.22),
        circle(0.7, 0, 0.14, fill=1.0),
    )
    joint = "translational"


TranslationalBody3, TranslationalBody4, TranslationalBody5 = with_children(TranslationalBody)
