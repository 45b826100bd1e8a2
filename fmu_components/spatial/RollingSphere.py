"""Sphere that rolls on a plane."""

from fmu_components.declare.icon import Drawing, arc, arrowhead, circle, line
from fmu_components.declare.picture import ball, picture
from fmu_components.declare.space import SpatialJoint


class RollingSphere(SpatialJoint):
    """Rolling sphere: a sphere about N rolls without slipping on the plane through M at right angles to the axis z of M.

    The constraint is MN.z_M = radius, and that the material of the sphere at the contact point does not move against the plane's, along x_M and
    y_M. The multipliers are the contact force on the sphere, along z_M, x_M and y_M.
    """

    drawing = Drawing(
        line((-0.85, -0.7), (0.85, -0.7)),
        circle(0, -0.15, 0.52, fill=0.85),
        circle(0, -0.15, 0.07, fill=0.0),
        arc(0, -0.15, 0.72, 50, 130),
        arrowhead(0.46, 0.4, -40),
    )
    picture = picture(ball("N", "radius"))
    starts_N = {"z": 0.5}

    def constraint(self, M, N):
        radius = self.parameter("radius", 0.5, "m", "radius of the sphere", above=0)
        return [(N.point - M.point).dot(M.z_axis) - radius]

    def velocity_constraint(self, M, N):
        down = -self["radius"] * M.z_axis
        slip = N.velocity + N.omega.cross(down) - M.velocity - M.omega.cross(N.point - M.point + down)
        return [slip.dot(M.x_axis), slip.dot(M.y_axis)]

    def declare(self):
        super().declare()
        self.holds(self["multiplier[1]"], least=0)
