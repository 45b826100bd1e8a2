"""Resistance of a medium to a mass on a line, or to a shaft."""

from sympy import Abs

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arc, arrowhead, box, circle, line
from fmu_components.declare.ports import ROTATIONAL, TRANSLATIONAL, Side


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


class RotationalDrag(Component):
    """Drag on a shaft: a torque against its angular velocity through a medium, b + c times the angular speed, times the angular velocity."""

    drawing = Drawing(
        circle(0, 0, 0.4, fill=0.85),
        arc(0, 0, 0.62, 30, 150),
        arrowhead(0.54, 0.31, -60),
        arc(0, 0, 0.62, 210, 330),
        arrowhead(-0.54, -0.31, 120),
    )

    def declare(self):
        flange = self.port("flange", ROTATIONAL, Side.EFFORT, "the shaft")
        b = self.parameter("b", 0.0, "N.m.s/rad", "torque per angular speed", at_least=0)
        c = self.parameter("c", 0.0, "N.m.s2/rad2", "torque per angular speed squared", at_least=0)
        relative = flange.w - self.input("medium.w", 0.0, "rad/s", "angular velocity of the medium")
        torque = self.output("torque", -(b + c * Abs(relative)) * relative, "N.m", "torque on the shaft")
        self.gives(flange, torque)
        self.output("power", torque * flange.w, "W", "power given to the shaft")
