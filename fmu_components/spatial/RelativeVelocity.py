"""Prescribed relative angular velocity."""

from fmu_components.declare.icon import Drawing, arc, arrowhead, circle, line
from fmu_components.declare.space import SpatialJoint


class RelativeVelocity(SpatialJoint):
    """Relative velocity: the angular velocity of N relative to M about the axis z of M is prescribed, 0 by default.

    The prescribed angular velocity and its time derivative are inputs that belong together: what drives the velocity
    gives both. The multiplier is the torque on body j about the axis.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.2, 0), width=0.2),
        line((0.2, 0), (0.9, 0), width=0.2),
        circle(0, 0, 0.2, fill=0.85),
        arc(0, 0, 0.5, 30, 150),
        arrowhead(0.44, 0.25, -55),
    )

    def velocity_constraint(self, M, N):
        velocity = self.signal("velocity", "rad/s", "angular velocity of N relative to M about the axis z of M")
        return [(N.omega - M.omega).dot(M.z_axis) - velocity]

    def declare(self):
        super().declare()
        torque = self.output("torque", self["multiplier[1]"], "N.m", "torque on body j about the axis")
        self.output("power", torque * self["velocity"], "W", "power given to the bodies")
