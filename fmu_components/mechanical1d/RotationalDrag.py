"""Resistance of a medium to a shaft."""

from sympy import Abs

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arc, arrowhead, circle
from fmu_components.declare.ports import ROTATIONAL, Side


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
