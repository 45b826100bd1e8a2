"""Coupling of a planar mechanism to a spatial one."""

from sympy import cos, sin

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arrowhead, circle, line
from fmu_components.declare.picture import picture
from fmu_components.declare.ports import PLANAR, SPATIAL, Side


class PlanarFrame(Component):
    """Planar frame: a point of a planar body as a point in space, in the plane z = 0, or in that plane turned about the axis x.

    What acts in the plane is passed on to the planar body. What acts at right angles to the plane, and torques about axes in the plane, are
    borne by what keeps the body in its plane, and have no effect.
    """

    drawing = Drawing(
        line((-0.85, -0.5), (0.45, -0.5), (0.85, 0.1), (-0.45, 0.1), (-0.85, -0.5), fill=0.85),
        circle(0, -0.2, 0.1, fill=0.0),
        line((0, -0.2), (0, 0.6)),
        arrowhead(0, 0.65, 90),
    )
    picture = picture()

    def declare(self):
        planar = self.port("planar", PLANAR, Side.EFFORT, "on the planar body")
        spatial = self.port("spatial", SPATIAL, Side.MOTION, "the same point in space")
        angle = self.parameter("angle", 0.0, "rad", "angle by which the plane is turned about the absolute axis x", fixed=True)
        c, s, upright, across = cos(planar.theta), sin(planar.theta), cos(angle), sin(angle)
        turned = (c, -s, 0, s * upright, c * upright, -across, s * across, c * across, upright)
        self.moves(spatial, planar.x, planar.y * upright, planar.y * across, 0, -planar.omega * across, planar.omega * upright, *turned)
        self.gives(planar, spatial.Fx, spatial.Fy * upright + spatial.Fz * across, spatial.Cz * upright - spatial.Cy * across)
