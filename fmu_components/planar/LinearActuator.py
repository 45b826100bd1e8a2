"""Massless linear actuator between two bodies (Part II, section 3.3)."""

from sympy import sqrt

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, box, circle, line
from fmu_components.declare.picture import picture, piston
from fmu_components.declare.ports import PLANAR, TRANSLATIONAL, Side


class LinearActuator(Component):
    """Linear actuator: a force along the line from M to N, with revolute joints at both ends and no mass.

    It stands for a revolute, a translational and a revolute joint in a row; no constraint is left. The force enters at the
    translational flange, positive where it pushes the points apart. The flange gives the length less `offset`, and its rates.
    """

    drawing = Drawing(
        line((-0.7, 0), (-0.45, 0), width=0.12),
        box(-0.45, -0.25, 0.25, 0.25, fill=0.85),
        line((-0.1, -0.21), (-0.1, 0.21), width=0.12),
        line((-0.1, 0), (0.7, 0), width=0.1),
        circle(-0.7, 0, 0.14, fill=1.0),
        circle(0.7, 0, 0.14, fill=1.0),
    )
    picture = picture(piston("M", "N"))

    def declare(self):
        M = self.port("M", PLANAR, Side.EFFORT, "on body i")
        N = self.port("N", PLANAR, Side.EFFORT, "on body j", {"x": 1.0})
        offset = self.parameter("offset", 0.0, "m", "length at which the position of the flange is 0")
        flange = self.port("flange", TRANSLATIONAL, Side.MOTION, "rod of the actuator: length less offset")
        MN = N.point - M.point
        length = sqrt(MN.dot(MN))
        self.moves(flange, length - offset)
        self.output("length", length, "m", "distance of M and N")
        force = flange.f * MN / length
        self.gives(M, -force[0], -force[1], 0)
        self.gives(N, force[0], force[1], 0)
        self.output("power", flange.f * flange.v, "W", "power that the actuator gives to the bodies")
        self.require(length, "M lies apart from N, since the force acts along the line between them")
