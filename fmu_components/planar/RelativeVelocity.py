"""Prescribed relative velocity (first example of the non-holonomic paper)."""

from sympy import Matrix, cos, sin

from fmu_components.declare.icon import Drawing, circle, line
from fmu_components.declare.joint import Joint


class RelativeVelocity(Joint):
    """Relative velocity: the velocity of N relative to M along a fixed direction is prescribed, 0 by default.

    The prescribed velocity and its time derivative are inputs that belong together: what drives the velocity gives
    both. The multiplier is the force on body j along the direction.
    """

    drawing = Drawing(
        circle(-0.55, 0, 0.2, fill=0.85),
        circle(0.55, 0, 0.2, fill=0.85),
        line((-0.35, 0), (0.35, 0)),
        line((-0.3, 0.45), (0.3, 0.45)),
        line((0.16, 0.57), (0.3, 0.45), (0.16, 0.33)),
    )

    def velocity_constraint(self, M, N):
        direction = self.parameter("direction", 0.0, "rad", "absolute direction along which the velocity is prescribed")
        velocity = self.signal("velocity", "m/s", "velocity of N relative to M along the direction")
        return [(N.velocity - M.velocity).dot(Matrix([cos(direction), sin(direction)])) - velocity]

    def declare(self):
        super().declare()
        force = self.output("force", self["multiplier[1]"], "N", "force on body j along the direction")
        self.output("power", force * self["velocity"], "W", "power given to the bodies")
