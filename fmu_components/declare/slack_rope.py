"""Rope between two points, in the plane or in space."""

from sympy import sqrt

from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.picture import picture, rod
from fmu_components.declare.switched import unilateral


class RopeJoint(Joint):
    """Base of ropes, of any kind of ports that have points."""

    drawing = Drawing(
        circle(-0.8, 0.3, 0.12, fill=0.85),
        circle(0.8, 0.3, 0.12, fill=0.85),
        line(*((x / 10, 0.3 - 0.5 * (1 - (x / 7) ** 2)) for x in range(-7, 8))),
    )
    picture = picture(rod("M", "N"))
    starts_N = {"x": 0.5}

    def constraint(self, M, N):
        MN = N.point - M.point
        length = self.parameter("length", 1.0, "m", "length of the rope", above=0)
        e = self.parameter("e", 0.0, "", "coefficient of restitution", at_least=0, at_most=1)
        return [unilateral(length - sqrt(MN.dot(MN)), e)]

    def validity(self, M, N):
        MN = N.point - M.point
        return [(MN.dot(MN), "M lies apart from N, since the rope has a direction")]
