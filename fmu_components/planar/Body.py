"""Rigid bodies in the plane with one to five connecting points (Part II, equations 1 to 5)."""

from __future__ import annotations

from typing import ClassVar

from sympy import Matrix, Rational, cos, sin

from fmu_components.declare.component import Component
from fmu_components.declare.icon import Drawing, Shape, circle, line
from fmu_components.declare.ports import PLANAR, Side

_POINTS = ((-0.75, 0.0), (0.75, 0.0), (0.0, 0.75), (0.0, -0.75), (0.53, 0.53))


def _drawing(points: int) -> Drawing:
    arms: list[Shape] = [line((0, 0), point, width=0.22) for point in _POINTS[:points]]
    return Drawing(*arms, *(circle(*point, 0.14, fill=1.0) for point in _POINTS[:points]), circle(0, 0, 0.2, fill=0.75))


class _Body(Component):
    """One declaration for every number of points."""

    points: ClassVar[int]

    def declare(self) -> None:
        m = self.parameter("m", 1.0, "kg", "mass", above=0)
        I = self.parameter("I", 1.0, "kg.m2", "moment of inertia about the mass centre", above=0)  # noqa: E741
        gx = self.parameter("gx", 0.0, "m/s2", "gravity along the absolute x axis", nominal=10)
        gy = self.parameter("gy", -9.81, "m/s2", "gravity along the absolute y axis", nominal=10)
        x = self.state("x", 0.0, "m", "absolute x of the mass centre")
        y = self.state("y", 0.0, "m", "absolute y of the mass centre")
        theta = self.state("theta", 0.0, "rad", "absolute angle of the body")
        vx = self.state("vx", 0.0, "m/s", "absolute x velocity of the mass centre")
        vy = self.state("vy", 0.0, "m/s", "absolute y velocity of the mass centre")
        omega = self.state("omega", 0.0, "rad/s", "absolute angular velocity")

        to_absolute = Matrix([[cos(theta), -sin(theta)], [sin(theta), cos(theta)]])
        force, torque, points = Matrix([m * gx, m * gy]), 0, []
        for number in range(1, self.points + 1):
            port = self.port(f"p{number}", PLANAR, Side.MOTION, f"point {number} of the body")
            rx = self.parameter(f"p{number}.rx", 0.0, "m", f"x of point {number} in the body frame")
            ry = self.parameter(f"p{number}.ry", 0.0, "m", f"y of point {number} in the body frame")
            angle = self.parameter(f"p{number}.angle", 0.0, "rad", f"direction of the joint axis of point {number} in the body frame")
            arm = to_absolute * Matrix([rx, ry])
            force += Matrix([port.Fx, port.Fy])
            torque += port.Cz + arm[0] * port.Fy - arm[1] * port.Fx
            points.append((port, arm, angle))

        self.rate(x, vx)
        self.rate(y, vy)
        self.rate(theta, omega)
        self.rate(vx, force[0] / m)
        self.rate(vy, force[1] / m)
        self.rate(omega, torque / I)
        for port, arm, angle in points:
            self.moves(port, x + arm[0], y + arm[1], theta + angle)

        self.output("energy.kinetic", Rational(1, 2) * (m * (vx**2 + vy**2) + I * omega**2), "J", "kinetic energy")
        self.output("energy.potential", -m * (gx * x + gy * y), "J", "potential energy in the field of gravity, zero at the origin")


class Body1(_Body):
    """Rigid body with one connecting point.

    States are the absolute position and velocity of the mass centre and the angle of the body. The wrench at each point acts
    on the body, in the absolute frame, about the point.
    """

    points = 1
    drawing = _drawing(1)


class Body2(_Body):
    """Rigid body with two connecting points.

    States are the absolute position and velocity of the mass centre and the angle of the body. The wrench at each point acts
    on the body, in the absolute frame, about the point.
    """

    points = 2
    drawing = _drawing(2)


class Body3(_Body):
    """Rigid body with three connecting points.

    States are the absolute position and velocity of the mass centre and the angle of the body. The wrench at each point acts
    on the body, in the absolute frame, about the point.
    """

    points = 3
    drawing = _drawing(3)


class Body4(_Body):
    """Rigid body with four connecting points.

    States are the absolute position and velocity of the mass centre and the angle of the body. The wrench at each point acts
    on the body, in the absolute frame, about the point.
    """

    points = 4
    drawing = _drawing(4)


class Body5(_Body):
    """Rigid body with five connecting points.

    States are the absolute position and velocity of the mass centre and the angle of the body. The wrench at each point acts
    on the body, in the absolute frame, about the point.
    """

    points = 5
    drawing = _drawing(5)
