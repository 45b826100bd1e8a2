"""Given speed of a shaft."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arc, arrowhead, circle, line
from fmu_components.declare.ports import ROTATIONAL, Side


class Speed(Component):
    """Shaft whose angular velocity is given by a signal, whatever torque that takes; its angle is a state, with a value at the start.

    The speed and its rate are inputs that belong together: what drives the speed gives both.
    """

    drawing = Drawing(
        circle(-0.2, 0, 0.62, fill=1.0),
        line((-0.2, 0), (0.9, 0), width=0.16),
        arc(-0.2, 0, 0.36, -120, 120, width=0.1),
        arrowhead(-0.38, 0.31, 210, 0.26, width=0.1),
    )

    def declare(self):
        flange = self.port("flange", ROTATIONAL, Side.MOTION, "the shaft that turns at the prescribed speed")
        angle = self.state("angle", 0.0, "rad", "angle of the shaft")
        speed = self.signal("speed", "rad/s", "angular velocity of the shaft")
        self.rate(angle, speed)
        self.moves(flange, angle)
        torque = self.output("torque", -flange.tau, "N.m", "torque that the source gives to the shaft")
        self.output("power", torque * speed, "W", "power that the source gives to the shaft")
