"""Thin disc that rolls on a plane."""

from sympy import Matrix

from fmu_components.declare.icon import Drawing, arc, arrowhead, circle, line
from fmu_components.declare.picture import picture, wheel
from fmu_components.declare.space import SpatialJoint, lean, not_at_right_angles


class RollingDisc(SpatialJoint):
    """Rolling disc: a thin disc about N, whose axis is z of N, rolls without slipping on the plane through M at right angles to z of M.

    The constraint is that its lowest point is in the plane, and that its material there does not move against the plane's, along x_M and y_M.
    The disc may lean but not lie. The multipliers are the contact force on the disc, along z_M, x_M and y_M.
    """

    drawing = Drawing(
        line((-0.9, -0.7), (0.5, -0.7), (0.9, -0.3), (-0.5, -0.3), (-0.9, -0.7), fill=0.95),
        circle(0, 0.02, 0.52, fill=0.85),
        circle(0, 0.02, 0.07, fill=0.0),
        arc(0, 0.02, 0.72, 50, 130),
        arrowhead(0.46, 0.57, -40),
    )
    picture = picture(wheel("N", "radius"))
    starts_N = {"z": 0.5, "R22": 0.0, "R33": 0.0, "R32": 1.0, "R23": -1.0}

    def constraint(self, M, N):
        radius = self.parameter("radius", 0.5, "m", "radius of the disc", above=0)
        *_, sine = lean(self, M, N)
        return [(N.point - M.point).dot(M.z_axis) - radius * sine]

    def velocity_constraint(self, M, N):
        arm = -self["radius"] * (M.z_axis - M.z_axis.dot(N.z_axis) * N.z_axis) / self["lean.sine"]
        down = Matrix(
            [
                self.local(f"contact.{a}", e, "m", f"absolute {a} of the contact point from N", rate=self.D(e))
                for a, e in zip("xyz", arm, strict=True)
            ]
        )
        slip = N.velocity + N.omega.cross(down) - M.velocity - M.omega.cross(N.point - M.point + down)
        return [slip.dot(M.x_axis), slip.dot(M.y_axis)]

    def validity(self, M, N):
        return not_at_right_angles(M, N, "on which the disc would lie")

    def declare(self):
        super().declare()
        self.holds(self["multiplier[1]"], least=0)
