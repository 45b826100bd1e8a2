"""Point on a line that it can leave."""

from fmu_components.declare.icon import Drawing, circle, ground, line
from fmu_components.declare.joint import Joint
from fmu_components.declare.picture import level, picture
from fmu_components.declare.switched import friction, unilateral


class PointContact(Joint):
    """Point contact: N stays on the side y of the axis x of M, and rubs on it where it touches.

    Multiplier 1 is the force that pushes N away, at least 0; multiplier 2 the friction on N along the axis, at most mu times the former. An
    impact gives back the share `e` of the speed.
    """

    drawing = Drawing(*ground(-0.9, 0.9, -0.4, 9), line((0.5, 0.75), (0.0, -0.26), (-0.5, 0.75)), circle(0, -0.3, 0.1, fill=0.0))
    picture = picture(level("M", "N"))

    def constraint(self, M, N):
        e = self.parameter("e", 0.0, "", "coefficient of restitution", at_least=0, at_most=1)
        return [unilateral((N.point - M.point).dot(M.y_axis), e)]

    def velocity_constraint(self, M, N):
        """The velocity of N relative to the line's material there."""
        mu = self.parameter("mu", 0.3, "", "coefficient of friction", at_least=0)
        gap = (N.point - M.point).dot(M.y_axis)
        return [friction((N.velocity - M.velocity).dot(M.x_axis) + gap * M.omega, mu * self.multiplier(1))]
