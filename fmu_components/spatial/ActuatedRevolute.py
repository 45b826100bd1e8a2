"""Revolute joint in space with an actuator."""

from fmu_components.declare.icon import Drawing, arc, arrowhead
from fmu_components.declare.ports import ROTATIONAL, Side
from fmu_components.spatial.Revolute import Revolute


class ActuatedRevolute(Revolute):
    """Actuated revolute joint in space: an actuator's torque turns N against M.

    The torque enters at the rotational flange, or as the signal `effort`; both add. The flange gives the relative angle, which counts turns,
    speed and acceleration.
    """

    drawing = Drawing(*Revolute.drawing.shapes, arc(0, 0, 0.6, 220, 320), arrowhead(0.46, -0.39, 48))

    def actuation(self, name, coordinate):
        flange = self.port("flange", ROTATIONAL, Side.MOTION, "shaft of the actuator: motion of N relative to M")
        self.moves(flange, coordinate)
        return flange.tau + self.input("effort", 0.0, "N.m", "torque on body j, its opposite on body i")
