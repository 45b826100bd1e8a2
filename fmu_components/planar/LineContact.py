"""Side of a body on a line that it can leave."""

from fmu_components.declare.icon import Drawing, box, ground
from fmu_components.declare.joint import Joint
from fmu_components.declare.picture import level, picture
from fmu_components.declare.switched import friction, unilateral


class LineContact(Joint):
    """Line contact: a side with its middle at N, along the axis x of N, stays on the side y of the axis x of M.

    Multipliers 1 and 2 push at its ends, at -length/2 and at length/2, and are at least 0, so that it can rest, tip or leave; multiplier 3 is the
    friction on N, at most mu times the sum of both. An impact gives back the share `e` of the speed at the ends.
    """

    drawing = Drawing(*ground(-0.9, 0.9, -0.4, 9), box(-0.5, -0.4, 0.5, 0.6, fill=0.85))
    picture = picture(level("M", "N"))

    def constraint(self, M, N):
        e = self.parameter("e", 0.0, "", "coefficient of restitution", at_least=0, at_most=1)
        half = self.parameter("length", 1.0, "m", "length of the side", above=0) / 2
        return [unilateral((N.point + end * half * N.x_axis - M.point).dot(M.y_axis), e) for end in (-1, 1)]

    def velocity_constraint(self, M, N):
        """The velocity of N's material on the line, which is the same all along it, relative to the line's."""
        mu = self.parameter("mu", 0.3, "", "coefficient of friction", at_least=0)
        height = (N.point - M.point).dot(M.y_axis)
        slip = (N.velocity - M.velocity).dot(M.x_axis) + height * N.omega
        return [friction(slip, mu * (self.multiplier(1) + self.multiplier(2)))]
