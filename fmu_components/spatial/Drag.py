"""Resistance of a medium to a body in space."""

from fmu_components.declare.component import Component
from fmu_components.declare.drawings import DRAG
from fmu_components.declare.functions import Magnitude
from fmu_components.declare.ports import SPATIAL, Side
from fmu_components.declare.space import vector


class Drag(Component):
    """Drag: a force against the velocity of a point through a medium, and a torque against the turning of its body.

    The force is b + c times the speed, times the velocity relative to the medium, whose own velocity is three signals. For a body of frontal area
    A and coefficient C_D in a fluid of density rho, c is rho C_D A/2. The torque is that of the angular velocity, likewise.
    """

    drawing = DRAG

    def law(self):
        """Declares the law, and returns the force per speed as a function of the speed."""
        b = self.parameter("b", 0.0, "N.s/m", "force per speed", at_least=0)
        c = self.parameter("c", 0.0, "N.s2/m2", "force per speed squared", at_least=0)
        return lambda speed: b + c * speed

    def declare(self):
        M = self.port("M", SPATIAL, Side.EFFORT, "on the body")
        by_speed = self.law()
        turning = self.parameter("rotation.b", 0.0, "N.m.s/rad", "torque per angular speed", at_least=0)
        square = self.parameter("rotation.c", 0.0, "N.m.s2/rad2", "torque per angular speed squared", at_least=0)
        relative = M.velocity - vector(self, self.input, "medium.v%", (0, 0, 0), "m/s", "absolute % velocity of the medium")
        speed = self.output("speed", Magnitude(*relative), "m/s", "speed relative to the medium")
        per_speed = by_speed(speed)
        force = -per_speed * relative
        torque = -(turning + square * Magnitude(*M.omega)) * M.omega
        self.gives(M, *force, *torque)
        self.output("force", per_speed * speed, "N", "magnitude of the force")
        self.output("power", force.dot(M.velocity) + torque.dot(M.omega), "W", "power given to the body")
