"""Revolute joint with dry friction in its bearing."""

from fmu_components.declare.functions import Magnitude
from fmu_components.declare.icon import Drawing, arc, arrowhead, circle, line
from fmu_components.declare.switched import friction
from fmu_components.planar.Revolute import Revolute


class RevoluteFriction(Revolute):
    """Revolute joint with dry friction: it sticks up to the torque mu radius |reaction|, and turns against it beyond.

    The reaction is that of the joint itself, multipliers 1 and 2, and contains what friction adds to it; multiplier 3 is the torque of
    friction on body j.
    """

    drawing = Drawing(
        line((-0.9, 0), (0, 0), width=0.2),
        line((0, 0), (0.9, 0), width=0.2),
        circle(0, 0, 0.35, fill=0.6),
        circle(0, 0, 0.22, fill=1.0),
        arc(0, 0, 0.55, 50, 130),
        arrowhead(-0.39, 0.39, 230),
    )

    def velocity_constraint(self, M, N):
        mu = self.parameter("mu", 0.1, "", "coefficient of friction", at_least=0)
        peak = self.parameter("peak", 1.0, "", "coefficient up to which it sticks, by mu", at_least=1)
        radius = self.parameter("radius", 0.01, "m", "radius of the bearing", at_least=0, nominal=0.01)
        limit = mu * radius * Magnitude(self.multiplier(1), self.multiplier(2))
        return [friction(N.omega - M.omega, limit, peak * limit)]
