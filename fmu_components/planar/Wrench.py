"""A given force and torque (Part II, section 3.3)."""

from fmu_components.component import Component
from fmu_components.icon import Drawing, line
from fmu_components.ports import PLANAR, Side


class Wrench(Component):
    """Wrench: a force and a torque on a body, given by three signals in the absolute frame, about the point of the port."""

    drawing = Drawing(line((-0.7, 0.5), (-0.1, 0), width=0.1), line((-0.38, 0.06), (-0.1, 0), (-0.18, 0.28)), line((0.55, -0.35), (0.75, 0), (0.55, 0.35), (0.15, 0.45)),
                      line((0.3, 0.6), (0.15, 0.45), (0.32, 0.3)))

    def declare(self):
        M = self.port("M", PLANAR, Side.EFFORT, "on the body")
        Fx = self.input("Fx", 0.0, "N", "force along the absolute x axis")
        Fy = self.input("Fy", 0.0, "N", "force along the absolute y axis")
        Cz = self.input("Cz", 0.0, "N.m", "torque")
        self.gives(M, Fx, Fy, Cz)
        self.output("power", Fx * M.vx + Fy * M.vy + Cz * M.omega, "W", "power given to the body")
