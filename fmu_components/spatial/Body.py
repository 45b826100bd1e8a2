"""Rigid bodies in space with one to five connecting points."""

from __future__ import annotations

from typing import ClassVar

from sympy import Matrix, Rational

from fmu_components.declare.component import Component
from fmu_components.declare.family import with_points
from fmu_components.declare.functions import GreatestMoment
from fmu_components.declare.icon import circle
from fmu_components.declare.picture import body
from fmu_components.declare.ports import SPATIAL, Side
from fmu_components.declare.space import arm_of, attitude, inertia_tensor, place_of_port, quaternion_rate, rotation_matrix, vector

_ROUNDING = 1e-7
"""Relative error that a principal moment may have. Of a flat plate it equals the sum of the two others."""


class _Body(Component):
    """Rigid body in space.

    States are the absolute position and velocity of the mass centre, the quaternion of the attitude and the absolute angular
    velocity. The tensor of inertia is that about the mass centre in the body frame. The wrench at each point acts on the body, in
    the absolute frame, about the point.
    """

    points: ClassVar[int]
    picture = body(*"xyz", "q0", "q1", "q2", "q3")

    def declare(self) -> None:
        m = self.parameter("m", 1.0, "kg", "mass", above=0)
        J = self._inertia()
        g = vector(self, self.parameter, "g%", (0, 0, -9.81), "m/s2", "gravity along the absolute % axis", nominal=10)
        r = vector(self, self.state, "%", (0, 0, 0), "m", "absolute % of the mass centre")
        q = [self.state(f"q{i}", float(i == 0), "", f"component {i} of the quaternion of the body’s attitude") for i in range(4)]
        v = vector(self, self.state, "v%", (0, 0, 0), "m/s", "absolute % velocity of the mass centre")
        omega = vector(self, self.state, "omega%", (0, 0, 0), "rad/s", "angular velocity about the absolute % axis")
        self.require(sum(each**2 for each in q), "the quaternion (q0, q1, q2, q3) is not zero")
        R = attitude(self, rotation_matrix(q), omega)

        force, torque, points = m * g, Matrix([0, 0, 0]), []
        for number in range(1, self.points + 1):
            name = f"p{number}"
            port = self.port(name, SPATIAL, Side.MOTION, f"point {number} of the body")
            place, frame = place_of_port(self, name, "body frame")
            arm = arm_of(self, name, R * place, omega)
            force += Matrix(port.efforts[:3])
            torque += Matrix(port.efforts[3:]) + arm.cross(Matrix(port.efforts[:3]))
            points.append((port, arm, frame))

        for state, rate in zip([*r, *q], [*v, *quaternion_rate(q, omega)], strict=True):
            self.rate(state, rate)
        # In the body frame the tensor is constant.
        w = vector(self, self.output, "w%", R.T * omega, "rad/s", "angular velocity about the body’s axis %")
        moment = vector(
            self, self.local, "moment.%", R.T * torque - w.cross(J * w), "N.m", "torque less gyroscopic torque about the body’s axis %"
        )
        alpha = R * (J.cofactor_matrix() * moment / self["inertia.det"])
        for state, rate in zip([*v, *omega], [*(force / m), *alpha], strict=True):
            self.rate(state, rate)
        for port, arm, frame in points:
            self.moves(port, *(r + arm), *omega, *(R * frame))

        self.output("energy.kinetic", Rational(1, 2) * (m * v.dot(v) + w.dot(J * w)), "J", "kinetic energy")
        self.output("energy.potential", -m * g.dot(r), "J", "potential energy in the field of gravity, zero at the origin")

    def _inertia(self) -> Matrix:
        J = inertia_tensor(self, above=0)
        xx, yy, zz, xy, xz, yz = (J[i, j] for i, j in ((0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)))
        det = self.local("inertia.det", J.det(), "kg3.m6", "determinant of the tensor of inertia")
        text = "the tensor of inertia (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) is positive definite: its leading minor of order"
        self.require(xx * yy - xy**2, f"{text} 2 is positive")
        self.require(det, f"{text} 3 is positive")
        self.expect(
            (1 + _ROUNDING) * J.trace() - 2 * GreatestMoment(xx, yy, zz, xy, xz, yz),
            "the tensor of inertia (Ixx, Iyy, Izz, Ixy, Ixz, Iyz) is that of a distribution of mass, of which no principal moment exceeds the sum "
            "of the two others",
        )
        return J


Body1, Body2, Body3, Body4, Body5 = (with_points(_Body, "Body", n, circle(0, 0, 0.2, fill=0.75)) for n in range(1, 6))
