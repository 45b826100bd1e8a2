"""Rigid bodies in the plane: what those with mass and those without share."""

from __future__ import annotations

from typing import Any, ClassVar

from sympy import Matrix, cos, sin

from fmu_components.declare.component import Component
from fmu_components.declare.ports import PLANAR, Side


class PlanarRigid(Component):
    """Base of rigid bodies with any number of points, whose states are those of their origin."""

    points: ClassVar[int]

    def place(self, what: str, origin: str) -> tuple[Matrix, Matrix]:
        """The states: x, y, theta and their rates."""
        texts = (f"absolute x of {origin}", f"absolute y of {origin}", f"absolute angle of the {what}")
        rates = (f"absolute x velocity of {origin}", f"absolute y velocity of {origin}", "absolute angular velocity")
        q = [self.state(n, 0.0, u, text) for n, u, text in zip(("x", "y", "theta"), ("m", "m", "rad"), texts, strict=True)]
        v = [self.state(n, 0.0, u, text) for n, u, text in zip(("vx", "vy", "omega"), ("m/s", "m/s", "rad/s"), rates, strict=True)]
        for coordinate, rate in zip(q, v, strict=True):
            self.rate(coordinate, rate)
        return Matrix(q), Matrix(v)

    def wrench(self, q: Matrix, what: str) -> tuple[Matrix, list[tuple[Any, ...]]]:
        """The ports; what acts at them, about the origin, and where each of them is."""
        x, y, theta = q
        to_absolute = Matrix([[cos(theta), -sin(theta)], [sin(theta), cos(theta)]])
        total, placed = Matrix([0, 0, 0]), []
        for number in range(1, self.points + 1):
            port = self.port(f"p{number}", PLANAR, Side.MOTION, f"point {number} of the {what}")
            rx = self.parameter(f"p{number}.rx", 0.0, "m", f"x of point {number} in the {what} frame")
            ry = self.parameter(f"p{number}.ry", 0.0, "m", f"y of point {number} in the {what} frame")
            angle = self.parameter(f"p{number}.angle", 0.0, "rad", f"direction of the joint axis of point {number} in the {what} frame")
            arm = to_absolute * Matrix([rx, ry])
            total += Matrix([port.Fx, port.Fy, port.Cz + arm[0] * port.Fy - arm[1] * port.Fx])
            placed.append((port, x + arm[0], y + arm[1], theta + angle))
        return total, placed
