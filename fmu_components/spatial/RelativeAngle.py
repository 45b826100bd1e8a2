"""Prescribed relative angle in space."""

from sympy import cos, sin

from fmu_components.declare.icon import Drawing, arc, arrowhead, circle, line
from fmu_components.declare.space import SpatialJoint


class RelativeAngle(SpatialJoint):
    """Relative angle: the angle of N relative to M about the axis z that both share is prescribed, 0 by default.

    It stands beside a joint that keeps the axes together, as a motor does. The angle, its rate and its acceleration are inputs that
    belong together: what drives the angle gives all three. The constraint is the sine of what is left between both angles, so that whole
    turns make no difference. The multiplier is the torque on body j about the axis.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.2, 0), width=0.2),
        line((0.2, 0), (0.9, 0), width=0.2),
        circle(0, 0, 0.2, fill=0.85),
        arc(0, 0, 0.5, 30, 150),
        arrowhead(0.44, 0.25, -55),
        line((0, 0.2), (0, 0.62)),
    )

    def constraint(self, M, N):
        angle = self.signal("angle", "rad", "angle of the axis x of N against that of M", rates=2)
        return [M.y_axis.dot(N.x_axis) * cos(angle) - M.x_axis.dot(N.x_axis) * sin(angle)]

    def validity(self, M, N):
        angle = self["angle"]
        along = M.x_axis.dot(N.x_axis) * cos(angle) + M.y_axis.dot(N.x_axis) * sin(angle)
        return [
            (along, "N is turned less than a right angle away from the given angle, since the constraint holds as well half a turn away")
        ]

    def declare(self):
        super().declare()
        torque = self.output("torque", self["multiplier[1]"], "N.m", "torque on body j about the axis")
        self.output("power", torque * self["angle.rate"], "W", "power given to the bodies, where the axes z of M and N are the same")
