"""Disc on a line that it can leave."""

from fmu_components.declare.icon import Drawing, circle, ground, line
from fmu_components.declare.switched import friction, unilateral
from fmu_components.planar.RollingDisc import RollingDisc


class DiscContact(RollingDisc):
    """Disc contact: a disc with centre N stays on the side y of the axis x of M, rolls or slips on it, and bounces.

    Multiplier 1 is the force that pushes it away, at least 0; multiplier 2 the friction on it along the line, at most mu times the former. An
    impact gives back the share `e` of the speed.
    """

    drawing = Drawing(
        *ground(-0.9, 0.9, -0.55, 9), circle(0, 0.1, 0.5, fill=0.85), circle(0, 0.1, 0.08, fill=0.0), line((0, 0.1), (0.35, 0.45))
    )

    def constraint(self, M, N):
        e = self.parameter("e", 0.0, "", "coefficient of restitution", at_least=0, at_most=1)
        return [unilateral(gap, e) for gap in super().constraint(M, N)]

    def velocity_constraint(self, M, N):
        mu = self.parameter("mu", 0.3, "", "coefficient of friction", at_least=0)
        return [friction(slip, mu * self.multiplier(1)) for slip in super().velocity_constraint(M, N)]
