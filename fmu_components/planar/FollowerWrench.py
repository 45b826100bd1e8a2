"""A force and a torque that turn with a body."""

from fmu_components.declare.component import Component
from fmu_components.declare.drawings import FOLLOWER
from fmu_components.declare.ports import PLANAR, Side


class FollowerWrench(Component):
    """Follower wrench: a force along the axes of the port's frame, which turns with the body, and a torque, given by three signals."""

    drawing = FOLLOWER

    def declare(self):
        M = self.port("M", PLANAR, Side.EFFORT, "on the body")
        Fx = self.input("Fx", 0.0, "N", "force along the port’s axis x")
        Fy = self.input("Fy", 0.0, "N", "force along the port’s axis y")
        Cz = self.input("Cz", 0.0, "N.m", "torque")
        force = Fx * M.x_axis + Fy * M.y_axis
        self.gives(M, *force, Cz)
        self.output("power", force.dot(M.velocity) + Cz * M.omega, "W", "power given to the body")
