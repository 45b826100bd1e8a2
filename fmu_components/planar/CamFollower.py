"""Point follower on a cam (named as future work in Part II)."""

from sympy import atan2, cos, sin, sqrt

from fmu_components.declare.icon import Drawing, arc, box, circle, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.picture import cam, picture, pin

HARMONICS = 8


class CamFollower(Joint):
    """Cam follower: the point N follows the profile of a cam whose centre and axis are those of M.

    The profile is given in polar coordinates of the cam by a Fourier series, r(phi) = radius + sum of cos[k] cos(k phi) +
    sin[k] sin(k phi), with eight harmonics. The constraint is |MN| - r(phi) = 0; the point stays on the profile on both
    sides, so that a negative multiplier means that a real follower would lift off.
    """

    drawing = Drawing(
        line(*arc(-0.35, 0, 0.4, 70, 290).points, *arc(0.16, 0, 0.14, -70, 70).points, fill=0.85),
        circle(-0.35, 0, 0.1, fill=1.0),
        line((0.48, 0), (0.9, 0), width=0.12),
        circle(0.46, 0, 0.14, fill=1.0),
        box(0.66, 0.1, 0.84, 0.26, fill=0.0),
        box(0.66, -0.26, 0.84, -0.1, fill=0.0),
    )
    picture = picture(cam("M", "radius", HARMONICS), pin("N"))
    starts_N = {"x": 0.05}

    def profile(self, angle):
        """The radius of the cam in a direction of its frame."""
        radius = self.parameter("radius", 0.05, "m", "mean radius of the profile", above=0, nominal=0.05)
        series = radius
        for k in range(1, HARMONICS + 1):
            series += self.parameter(f"cos[{k}]", 0.0, "m", f"coefficient of cos({k} phi)", nominal=0.01) * cos(k * angle)
            series += self.parameter(f"sin[{k}]", 0.0, "m", f"coefficient of sin({k} phi)", nominal=0.01) * sin(k * angle)
        return series

    def constraint(self, M, N):
        MN = N.point - M.point
        angle = self.coordinate(
            "angle", atan2(MN.dot(M.y_axis), MN.dot(M.x_axis)), "rad", "direction of the follower in the frame of the cam, from -pi to pi"
        )
        return [sqrt(MN.dot(MN)) - self.coordinate("profile", self.profile(angle), "m", "radius of the cam in that direction")]

    def validity(self, M, N):
        MN = N.point - M.point
        return [
            (MN.dot(MN), "N lies apart from M, the centre of the cam"),
            (self["profile.q"], "the radius of the profile is positive where the follower is"),
        ]
