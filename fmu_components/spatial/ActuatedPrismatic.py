"""Prismatic joint in space with an actuator."""

from fmu_components.declare.icon import Drawing, arrowhead, line
from fmu_components.declare.ports import TRANSLATIONAL, Side
from fmu_components.spatial.Prismatic import Prismatic


class ActuatedPrismatic(Prismatic):
    """Actuated prismatic joint in space: an actuator's force moves N along the axis z of M.

    The force enters at the translational flange, or as the signal `effort`; both add. The flange gives the relative position,
    speed and acceleration.
    """

    drawing = Drawing(*Prismatic.drawing.shapes, line((-0.4, -0.6), (0.35, -0.6)), arrowhead(0.4, -0.6, 0))

    def actuation(self, name, coordinate):
        flange = self.port("flange", TRANSLATIONAL, Side.MOTION, "rod of the actuator: motion of N relative to M")
        self.moves(flange, coordinate)
        return flange.f + self.input("effort", 0.0, "N", "force on body j, its opposite on body i")
