"""Given angle."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arc, arrowhead, circle, line
from fmu_components.declare.ports import ROTATIONAL, Side


class Angle(Component):
    """Shaft whose angle is given by a signal, whatever torque that takes.

    The angle, its rate and its acceleration are inputs that belong together: what drives the angle gives all three.
    """

    drawing = Drawing(
        circle(-0.2, 0, 0.62, fill=1.0),
        line((-0.2, 0), (0.9, 0), width=0.16),
        line((-0.2, 0), (0.24, 0.44), width=0.1),
        arc(-0.2, 0, 0.34, 0, 45),
        arrowhead(0.02, 0.26, 140, 0.2),
        circle(-0.2, 0, 0.09, fill=0.0),
    )

    def declare(self):
        flange = self.port("flange", ROTATIONAL, Side.MOTION, "the shaft that turns by the prescribed angle")
        self.moves(flange, self.signal("angle", "rad", "angle of the shaft", rates=2))
        torque = self.output("torque", -flange.tau, "N.m", "torque that the source gives to the shaft")
        self.output("power", torque * self["angle.rate"], "W", "power that the source gives to the shaft")
