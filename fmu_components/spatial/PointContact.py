"""Point or sphere on a plane that it can leave."""

from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.picture import ball, level, picture
from fmu_components.declare.space import SpatialJoint
from fmu_components.declare.switched import unilateral


class PointContact(SpatialJoint):
    """Point contact without friction: N, or a sphere about it, stays on the side z of the plane through M at right angles to that axis.

    The multiplier is the force that pushes N away, at least 0. An impact gives back the share `e` of the speed. For friction take
    CompliantContact: Coulomb's law in a plane has two directions that depend on each other.
    """

    drawing = Drawing(
        line((-0.85, -0.6), (0.45, -0.6), (0.85, 0.1), (-0.45, 0.1), (-0.85, -0.6), fill=0.85), circle(0, 0.25, 0.3, fill=0.5)
    )
    picture = picture(level("M", "N"), ball("N", "radius"))

    def constraint(self, M, N):
        radius = self.parameter("radius", 0.0, "m", "radius of the sphere; 0 for a point", at_least=0)
        e = self.parameter("e", 0.0, "", "coefficient of restitution", at_least=0, at_most=1)
        return [unilateral((N.point - M.point).dot(M.z_axis) - radius, e)]
