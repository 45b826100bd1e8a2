"""A force and a torque that turn with a body."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import PLANAR, Side


class FollowerWrench(Component):
    """Follower wrench: a force along the axes of the port's frame, which turns with the body, and a torque, given by three signals."""

    drawing = Drawing(
        line((-0.5, -0.7), (0.2, -0.5), (0.0, 0.1), (-0.7, -0.1), (-0.5, -0.7), fill=0.85),
        line((-0.25, -0.3), (0.55, 0.45), width=0.12),
        arrowhead(0.6, 0.5, 43, 0.34, width=0.12),
        box(-0.33, -0.38, -0.17, -0.22, fill=1.0),
    )

    def declare(self):
        M = self.port("M", PLANAR, Side.EFFORT, "on the body")
        Fx = self.input("Fx", 0.0, "N", "force along the port’s axis x")
        Fy = self.input("Fy", 0.0, "N", "force along the port’s axis y")
        Cz = self.input("Cz", 0.0, "N.m", "torque")
        force = Fx * M.x_axis + Fy * M.y_axis
        self.gives(M, *force, Cz)
        self.output("power", force.dot(M.velocity) + Cz * M.omega, "W", "power given to the body")
