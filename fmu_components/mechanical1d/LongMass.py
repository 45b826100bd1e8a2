"""Translational mass with a length."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, box, ground, line
from fmu_components.declare.ports import TRANSLATIONAL, Side


class LongMass(Component):
    """Mass with a length on a line: its ends are at s - length/2 and s + length/2, and m s'' is the sum of the forces at both.

    A row of such masses needs no offsets in springs and contacts between them.
    """

    drawing = Drawing(
        line((-0.9, 0), (-0.6, 0)), box(-0.6, -0.35, 0.6, 0.4, fill=0.85), line((0.6, 0), (0.9, 0)), *ground(-0.8, 0.8, -0.42)
    )

    def declare(self):
        m = self.parameter("m", 1.0, "kg", "mass", above=0)
        length = self.parameter("length", 0.1, "m", "distance from the lower end to the upper one", at_least=0)
        s = self.state("s", 0.0, "m", "position of the middle")
        v = self.state("v", 0.0, "m/s", "velocity")
        lower = self.port("lower", TRANSLATIONAL, Side.MOTION, "end at s - length/2")
        upper = self.port("upper", TRANSLATIONAL, Side.MOTION, "end at s + length/2")
        self.rate(s, v)
        self.rate(v, (lower.f + upper.f) / m)
        self.moves(lower, s - length / 2)
        self.moves(upper, s + length / 2)
        self.output("energy.kinetic", m * v**2 / 2, "J", "kinetic energy")
