"""Coupling of one-dimensional mechanics to the plane (Part II, section 3.3)."""

from sympy import cos, sin

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, box, circle, ground, line
from fmu_components.declare.picture import cart, picture
from fmu_components.declare.ports import PLANAR, TRANSLATIONAL, Side


class Carriage(Component):
    """Carriage: a translational mass, connected at the flange, carries a point of the plane along a straight line.

    The point gives motion to joints as a body does, and the part of their forces along the line acts on the mass. What the
    guide bears is given as outputs.
    """

    drawing = Drawing(
        box(-0.55, -0.25, 0.55, 0.3, fill=0.85),
        *ground(-0.85, 0.85, -0.5),
        circle(-0.3, -0.36, 0.12, fill=1.0),
        circle(0.3, -0.36, 0.12, fill=1.0),
        line((0, 0.3), (0, 0.7), width=0.12),
        circle(0, 0.7, 0.12, fill=1.0),
    )
    picture = picture(cart("p1", "direction"))

    def declare(self):
        flange = self.port("flange", TRANSLATIONAL, Side.EFFORT, "the mass that moves along the line")
        p1 = self.port("p1", PLANAR, Side.MOTION, "the point that is carried")
        rx = self.parameter("p1.rx", 0.0, "m", "absolute x of the point where the position of the flange is 0")
        ry = self.parameter("p1.ry", 0.0, "m", "absolute y of the point where the position of the flange is 0")
        angle = self.parameter("p1.angle", 0.0, "rad", "absolute direction of the joint axis at the point")
        direction = self.parameter("direction", 0.0, "rad", "absolute direction of the line")
        self.moves(p1, rx + flange.s * cos(direction), ry + flange.s * sin(direction), angle)
        self.gives(flange, p1.Fx * cos(direction) + p1.Fy * sin(direction))
        self.output("guide.force", -p1.Fx * sin(direction) + p1.Fy * cos(direction), "N", "force on the guide, at right angles to the line")
        self.output("guide.torque", p1.Cz, "N.m", "torque on the guide about the point")
