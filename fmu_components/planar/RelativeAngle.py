"""Prescribed relative angle."""

from fmu_components.declare.icon import Drawing, arc, arrowhead, circle, line
from fmu_components.declare.joint import Joint


class RelativeAngle(Joint):
    """Relative angle: the angle of N relative to M is prescribed, 0 by default, as by a motor between two parts that a joint holds together.

    The angle, its rate and its acceleration are inputs that belong together: what drives the angle gives all three. The multiplier is
    the torque on body j.
    """

    drawing = Drawing(
        line((-0.9, -0.3), (0, -0.3), width=0.16),
        line((0, -0.3), (0.62, 0.42), width=0.16),
        arc(0, -0.3, 0.62, 52, 176),
        arrowhead(0.42, 0.24, -42, 0.26),
        circle(0, -0.3, 0.14, fill=1.0),
    )

    def constraint(self, M, N):
        return [N.theta - M.theta - self.signal("angle", "rad", "angle of N relative to M", rates=2)]

    def declare(self):
        super().declare()
        torque = self.output("torque", self["multiplier[1]"], "N.m", "torque on body j; body i gets its opposite")
        self.output("power", torque * self["angle.rate"], "W", "power given to the bodies")
