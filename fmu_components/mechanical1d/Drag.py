"""Resistance of a medium to a mass on a line."""

from sympy import Abs

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import TRANSLATIONAL, Side


class Drag(Component):
    """Drag on a mass: a force against its velocity through a medium, b + c times the speed, times the velocity."""

    drawing = Drawing(
        box(-0.1, -0.45, 0.75, 0.45, fill=0.85),
        *(line((-0.85, y), (-0.3, y)) for y in (-0.3, 0.0, 0.3)),
        *(arrowhead(-0.3, y, 0, 0.2) for y in (-0.3, 0.0, 0.3)),
    )

    def declare(self):
        flange = self.port("flange", TRANSLATIONAL, Side.EFFORT, "the mass")
        b = self.parameter("b", 0.0, "N.s/m", "force per speed", at_least=0)
        c = self.parameter("c", 0.0, "N.s2/m2", "force per speed squared", at_least=0)
        relative = flange.v - self.input("medium.v", 0.0, "m/s", "velocity of the medium")
        force = self.output("force", -(b + c * Abs(relative)) * relative, "N", "force on the mass")
        self.gives(flange, force)
        self.output("power", force * flange.v, "W", "power given to the mass")
