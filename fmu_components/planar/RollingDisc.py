"""Disc that rolls on a straight line (the example of the successive-algorithm paper)."""

from fmu_components.declare.icon import Drawing, arc, arrowhead, circle, ground, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.picture import level, picture, wheel


def contact_slip(M, N, radius):
    """The velocity of the disc's material at the contact point, relative to the line's."""
    height = (N.point - M.point).dot(M.y_axis)
    return (N.velocity - M.velocity).dot(M.x_axis) + radius * N.omega + (height - radius) * M.omega


class RollingDisc(Joint):
    """Rolling disc: a disc with centre N rolls without slip on the axis x of M, on the side of y.

    The height is a constraint at position level, MN.y_il - radius = 0; rolling is one at velocity level, so that no start
    position is special. The multipliers are the contact forces on the disc, normal and tangential to the line; the contact
    holds both ways, so that a negative normal force means that a real disc would lift off.
    """

    drawing = Drawing(
        *ground(-0.9, 0.9, -0.5, 9),
        circle(0, 0.05, 0.52, fill=0.85),
        circle(0, 0.05, 0.1, fill=1.0),
        line((0.07, 0.12), (0.36, 0.42)),
        arc(0, 0.05, 0.72, 60, 120),
        arrowhead(0.37, 0.67, -32),
    )
    picture = picture(level("M", "N"), wheel("N", "radius"))
    starts_N = {"y": 0.5}

    def constraint(self, M, N):
        radius = self.parameter("radius", 0.5, "m", "radius of the disc", above=0)
        return [(N.point - M.point).dot(M.y_axis) - radius]

    def velocity_constraint(self, M, N):
        return [contact_slip(M, N, self["radius"])]

    def declare(self):
        super().declare()
        normal, tangential = (self[f"multiplier[{k}]"] for k in (1, 2))
        self.output("contact.normal", normal, "N", "contact force on the disc at right angles to the line", holds=(0, None))
        self.output("contact.tangential", tangential, "N", "contact force on the disc along the line")
