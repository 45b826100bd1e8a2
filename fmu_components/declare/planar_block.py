"""Blocks in the plane: a joint and a rigid body in one."""

from __future__ import annotations

from typing import ClassVar

from sympy import Matrix, Rational, cos, sin

from fmu_components.declare.block import Block
from fmu_components.declare.picture import Picture, block
from fmu_components.declare.ports import PLANAR, Side


class PlanarBlock(Block):
    """One declaration for every joint."""

    joint: ClassVar[str]
    children: ClassVar[int] = 2

    def symbol(self) -> Picture:
        return block(self.joint, "xy")

    def declare(self) -> None:
        P = self.port("P", PLANAR, Side.EFFORT, "the joint on the parent")
        m = self.parameter("m", 1.0, "kg", "mass", at_least=0)
        inertia = self.parameter("I", 1.0, "kg.m2", "moment of inertia about the mass centre", at_least=0)
        g = Matrix(
            [
                self.parameter(f"g{a}", start, "m/s2", f"gravity along the absolute {a} axis", nominal=10)
                for a, start in (("x", 0.0), ("y", -9.81))
            ]
        )
        place = Matrix([self.parameter(f"r{a}", 0.0, "m", f"{a} of the mass centre in the body frame, whose origin is P") for a in "xy"])
        direction = self.parameter("P.angle", 0.0, "rad", "direction of the axis of P in the body frame")
        turns = self.joint == "revolute"
        q = self.freedom(turns)
        theta = P.theta - direction + (q if turns else 0)
        turned = Matrix([[cos(theta), -sin(theta)], [sin(theta), cos(theta)]])
        centre = P.point + (Matrix([0, 0]) if turns else q * P.x_axis) + turned * place
        velocity, omega = centre.applyfunc(self.D), self.D(theta)
        force, torque, points = m * (velocity.applyfunc(self.D) - g), inertia * self.D(omega), []
        for number in range(1, self.children + 1):
            name = f"C{number}"
            C = self.port(name, PLANAR, Side.MOTION, f"point {number} of the body, where a child may hang")
            point = Matrix([self.parameter(f"{name}.r{a}", 0.0, "m", f"{a} of point {number} in the body frame") for a in "xy"])
            reach = turned * (point - place)
            angle = self.parameter(f"{name}.angle", 0.0, "rad", f"direction of the joint axis of point {number} in the body frame")
            force -= Matrix([C.Fx, C.Fy])
            torque -= C.Cz + reach[0] * C.Fy - reach[1] * C.Fx
            points.append((C, centre + reach, theta + angle))
        arm = centre - P.point
        moment = torque + arm[0] * force[1] - arm[1] * force[0]  # about P
        if turns:
            moment = self.balance(moment, inertia + m * place.dot(place))
        else:
            self.balance(force.dot(P.x_axis), m)
        self.gives(P, -force[0], -force[1], -moment)
        for C, point, angle in points:
            self.moves(C, *point, angle)
        self.output("energy.kinetic", Rational(1, 2) * (m * velocity.dot(velocity) + inertia * omega**2), "J", "kinetic energy")
        self.output("energy.potential", -m * g.dot(centre), "J", "potential energy in the field of gravity, zero at the origin")
