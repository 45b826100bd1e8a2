"""A force and a torque that turn with a body."""

from fmu_components.declare.component import Component
from fmu_components.declare.drawings import FOLLOWER
from fmu_components.declare.ports import SPATIAL, Side
from fmu_components.declare.space import vector


class FollowerWrench(Component):
    """Follower wrench: a force and a torque on a body, given by six signals along the axes of the port's frame, about its point."""

    drawing = FOLLOWER

    def declare(self):
        M = self.port("M", SPATIAL, Side.EFFORT, "on the body")
        force = M.R * vector(self, self.input, "F%", (0, 0, 0), "N", "force along the port’s axis %")
        torque = M.R * vector(self, self.input, "C%", (0, 0, 0), "N.m", "torque along the port’s axis %")
        self.gives(M, *force, *torque)
        self.output("power", force.dot(M.velocity) + torque.dot(M.omega), "W", "power given to the body")
