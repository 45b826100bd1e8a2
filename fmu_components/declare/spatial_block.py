"""Blocks in space: a joint and a rigid body in one."""

from __future__ import annotations

from typing import ClassVar

import sympy
from sympy import Matrix, Rational

from fmu_components.declare.block import Block
from fmu_components.declare.picture import Picture, block
from fmu_components.declare.ports import SPATIAL, Side
from fmu_components.declare.space import arm_of, attitude, axes_of_port, inertia_tensor, place_of_port, vector


class SpatialBlock(Block):
    """One declaration for every joint, whose axis is the axis z of P."""

    joint: ClassVar[str]
    children: ClassVar[int] = 2

    def symbol(self) -> Picture:
        return block(self.joint, "xyz")

    def declare(self) -> None:
        P = self.port("P", SPATIAL, Side.EFFORT, "the joint on the parent")
        m = self.parameter("m", 1.0, "kg", "mass", at_least=0)
        J = inertia_tensor(self, at_least=0)  # which may vanish: of a point mass, or of a link without mass
        g = vector(self, self.parameter, "g%", (0, 0, -9.81), "m/s2", "gravity along the absolute % axis", nominal=10)
        place = vector(self, self.parameter, "r%", (0, 0, 0), "m", "% of the mass centre in the body frame, whose origin is P")
        frame = axes_of_port(self, "P", "body frame")
        turns, slides = self.joint == "revolute", self.joint == "prismatic"
        q = self.freedom(turns) if turns or slides else sympy.Integer(0)
        z = P.z_axis
        omega = P.omega + self.D(q) * z if turns else P.omega
        R = attitude(self, P.R * (sympy.rot_axis3(-q) if turns else sympy.eye(3)) * frame.T, omega)
        arm = arm_of(self, "centre", R * place, omega, "the joint")
        centre = P.point + arm + (q * z if slides else sympy.zeros(3, 1))
        velocity = centre.applyfunc(self.D)
        w = R.T * omega
        force, points = m * (velocity.applyfunc(self.D) - g), []
        torque = R * (J * (R.T * omega.applyfunc(self.D)) + w.cross(J * w))
        for number in range(1, self.children + 1):
            name = f"C{number}"
            C = self.port(name, SPATIAL, Side.MOTION, f"point {number} of the body, where a child may hang")
            point, axes = place_of_port(self, name, "body frame")
            reach = arm_of(self, name, R * (point - place), omega)
            on_child = Matrix(C.efforts[:3])
            force -= on_child
            torque -= Matrix(C.efforts[3:]) + reach.cross(on_child)
            points.append((C, centre + reach, R * axes))
        moment = torque + (centre - P.point).cross(force)  # about P
        if turns:
            axis = frame[:, 2]
            self.balance(moment.dot(z), axis.dot(J * axis) + m * (place.dot(place) - axis.dot(place) ** 2))
        elif slides:
            self.balance(force.dot(z), m)
        self.gives(P, *-force, *-moment)
        for C, point, axes in points:
            self.moves(C, *point, *omega, *axes)
        self.output("energy.kinetic", Rational(1, 2) * (m * velocity.dot(velocity) + w.dot(J * w)), "J", "kinetic energy")
        self.output("energy.potential", -m * g.dot(centre), "J", "potential energy in the field of gravity, zero at the origin")
