"""Translational mass."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, box, ground, line
from fmu_components.declare.ports import TRANSLATIONAL, Side


class Mass(Component):
    """Mass that moves along a line, under the sum of the forces at its flange."""

    drawing = Drawing(line((-0.9, 0), (-0.45, 0)), box(-0.45, -0.35, 0.55, 0.4, fill=0.85), *ground(-0.7, 0.8, -0.42))

    def declare(self):
        m = self.parameter("m", 1.0, "kg", "mass", above=0)
        s = self.state("s", 0.0, "m", "position")
        v = self.state("v", 0.0, "m/s", "velocity")
        flange = self.port("flange", TRANSLATIONAL, Side.MOTION, "the mass")
        self.rate(s, v)
        self.rate(v, flange.f / m)
        self.moves(flange, s)
        self.output("energy.kinetic", m * v**2 / 2, "J", "kinetic energy")
