"""Translational joint with dry friction in its guide."""

from sympy import Abs, Max

from fmu_components.declare.icon import Drawing, arrowhead, box, ground, line
from fmu_components.declare.switched import friction
from fmu_components.planar.Translational import Translational


class TranslationalFriction(Translational):
    """Translational joint with dry friction: both ends of its guide press on the slide, with mu times the force there against the motion.

    The ends are `length` apart, N in the middle: the limit is mu max(|force across|, 2 |torque|/length), from multipliers 1 and 2 of the joint
    itself. It jams where a force acts farther than length/(2 mu) from the axis. Multiplier 3 is the friction on body j.
    """

    drawing = Drawing(
        *ground(-0.95, 0.95, -0.42, 9),
        box(-0.45, -0.42, 0.45, 0.3, fill=0.85),
        line((-0.95, 0.42), (0.95, 0.42), width=0.12),
        line((-0.25, 0), (0.2, 0)),
        arrowhead(0.25, 0, 0),
    )

    def velocity_constraint(self, M, N):
        mu = self.parameter("mu", 0.1, "", "coefficient of friction", at_least=0)
        peak = self.parameter("peak", 1.0, "", "coefficient up to which it sticks, by mu", at_least=1)
        length = self.parameter("length", 0.1, "m", "length of the guide", above=0)
        limit = mu * Max(Abs(self.multiplier(1)), 2 * Abs(self.multiplier(2)) / length)
        return [friction((N.velocity - M.velocity).dot(M.x_axis), limit, peak * limit)]
