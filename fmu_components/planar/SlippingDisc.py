"""Disc that rolls on a straight line with friction."""

from sympy import Abs, Max

from fmu_components.declare.adhesion import coefficients, friction_per_slip, speeds
from fmu_components.declare.icon import Drawing, arrowhead, circle, ground, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.picture import level, picture, wheel
from fmu_components.planar.RollingDisc import contact_slip


class SlippingDisc(Joint):
    """Slipping disc: a disc with centre N touches the axis x of M, on the side of y, and friction acts against its slip.

    The height is a constraint, MN.y_il - radius = 0, whose multiplier is the normal force. Friction is in proportion to it; it grows with
    the slip up to adhesion and falls to sliding. The contact holds both ways: where the normal force is negative a real disc would lift off, and there is
    no friction.
    """

    drawing = Drawing(
        *ground(-0.9, 0.9, -0.5, 9),
        circle(0, 0.05, 0.52, fill=0.85),
        circle(0, 0.05, 0.1, fill=1.0),
        line((0.5, -0.36), (-0.35, -0.36)),
        arrowhead(-0.35, -0.36, 180),
    )
    picture = picture(level("M", "N"), wheel("N", "radius"))
    starts_N = {"y": 0.5}

    def constraint(self, M, N):
        radius = self.parameter("radius", 0.5, "m", "radius of the disc", above=0)
        return [(N.point - M.point).dot(M.y_axis) - radius]

    def loads(self, M, N):
        adhesion, sliding = speeds(self)
        peak, final = coefficients(self)
        normal = self.output(
            "contact.normal", self["multiplier[1]"], "N", "contact force on the disc at right angles to the line", holds=(0, None)
        )
        slip = self.output(
            "slip", contact_slip(M, N, self["radius"]), "m/s", "velocity of the disc’s material at the contact, along the line"
        )
        pull = Max(normal, 0) * friction_per_slip(Abs(slip), adhesion, sliding, peak, final)
        friction = self.output("contact.tangential", -pull * slip, "N", "contact force on the disc along the line")
        self.output("loss", -friction * slip, "W", "power dissipated")
        return [(slip, friction)]
