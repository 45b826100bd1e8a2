"""A force and a torque that turn with a body."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arrowhead, box, line
from fmu_components.declare.ports import SPATIAL, Side
from fmu_components.declare.space import vector


class FollowerWrench(Component):
    """Follower wrench: a force and a torque on a body, given by six signals along the axes of the port's frame, about its point."""

    drawing = Drawing(
        line((-0.5, -0.7), (0.2, -0.5), (0.0, 0.1), (-0.7, -0.1), (-0.5, -0.7), fill=0.85),
        line((-0.25, -0.3), (0.55, 0.45), width=0.12),
        arrowhead(0.6, 0.5, 43, 0.34, width=0.12),
        box(-0.33, -0.38, -0.17, -0.22, fill=1.0),
    )

    def declare(self):
        M = self.port("M", SPATIAL, Side.EFFORT, "on the body")
        force = M.R * vector(self, self.input, "F%", (0, 0, 0), "N", "force along the port’s axis %")
        torque = M.R * vector(self, self.input, "C%", (0, 0, 0), "N.m", "torque along the port’s axis %")
        self.gives(M, *force, *torque)
        self.output("power", force.dot(M.velocity) + torque.dot(M.omega), "W", "power given to the body")
