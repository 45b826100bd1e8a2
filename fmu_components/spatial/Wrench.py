"""A given force and torque in space."""

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, arc, arrowhead, circle, line
from fmu_components.declare.ports import SPATIAL, Side
from fmu_components.declare.space import vector


class Wrench(Component):
    """Wrench: a force and a torque on a body, given by six signals along the absolute axes, about the point of the port."""

    drawing = Drawing(
        line((0, 0), (0.65, 0.6), width=0.12),
        arrowhead(0.67, 0.62, 43, 0.34, width=0.12),
        arc(0, 0, 0.52, -155, 0, width=0.09),
        arrowhead(0.52, 0.02, 95, 0.28, width=0.09),
        circle(0, 0, 0.12, fill=1.0),
    )

    def declare(self):
        M = self.port("M", SPATIAL, Side.EFFORT, "on the body")
        force = vector(self, self.input, "F%", (0, 0, 0), "N", "force along the absolute % axis")
        torque = vector(self, self.input, "C%", (0, 0, 0), "N.m", "torque along the absolute % axis")
        self.gives(M, *force, *torque)
        self.output("power", force.dot(M.velocity) + torque.dot(M.omega), "W", "power given to the body")
