"""Translational joint with an actuator (Part II, figure 5)."""

from fmu_components.declare.icon import Drawing, line
from fmu_components.declare.ports import TRANSLATIONAL, Side
from fmu_components.planar.Translational import Translational


class ActuatedTranslational(Translational):
    """Actuated translational joint: an actuator's force moves N along the axis of M.

    The force enters at the translational flange, or as the signal `effort`; both add. The flange gives the coordinate
    MN.x_il, its speed and acceleration.
    """

    drawing = Drawing(*Translational.drawing.shapes, line((-0.3, -0.6), (0.3, -0.6)), line((0.16, -0.72), (0.3, -0.6), (0.16, -0.48)))

    def actuation(self, name, coordinate):
        flange = self.port("flange", TRANSLATIONAL, Side.MOTION, "rod of the actuator: motion of N along the axis of M")
        self.moves(flange, coordinate)
        return flange.f + self.input("effort", 0.0, "N", "force on body j along the axis, its opposite on body i")
