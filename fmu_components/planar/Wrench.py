"""A given force and torque (Part II, section 3.3)."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arc, arrowhead, circle, line
from fmu_components.declare.ports import PLANAR, Side


class Wrench(Component):
    """Wrench: a force and a torque on a body, given by three signals in the absolute frame, about the point of the port."""

    drawing = Drawing(
        line((0, 0), (0.65, 0.6), width=0.12),
        arrowhead(0.67, 0.62, 43, 0.34, width=0.12),
        arc(0, 0, 0.52, -155, 0, width=0.09),
        arrowhead(0.52, 0.02, 95, 0.28, width=0.09),
        circle(0, 0, 0.12, fill=1.0),
    )

    def declare(self):
        M = self.port("M", PLANAR, Side.EFFORT, "on the body")
        Fx = self.input("Fx", 0.0, "N", "force along the absolute x axis")
        Fy = self.input("Fy", 0.0, "N", "force along the absolute y axis")
        Cz = self.input("Cz", 0.0, "N.m", "torque")
        self.gives(M, Fx, Fy, Cz)
        self.output("power", Fx * M.vx + Fy * M.vy + Cz * M.omega, "W", "power given to the body")
