"""Elastic bodies in the plane whose shapes are over any frame: the general case of a beam in its mean frame, from numbers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import ClassVar

import numpy as np
from numpy.typing import NDArray
from sympy import Matrix, cos, sin

from jourdain import Component
from jourdain.declare import PLANAR, Side

Array = NDArray[np.float64]


@dataclass(frozen=True, kw_only=True)
class Modes:
    """Integrals over the n shapes of an elastic body, in kg, m and s. Axes are those of its frame, from whose origin places are."""

    mass: float
    first: float
    """First moment of mass along x."""
    inertia: float
    M: Array
    K: Array
    along: Array
    """Mass by the displacement along x, for each shape."""
    across: Array
    stretched: Array
    """Mass by place and displacement along x."""
    turned: Array
    """Mass by place along x and displacement along y."""
    B: Array
    """Moment of momentum of two shapes, which is skew."""
    ends: dict[str, tuple[float, Array]]
    """Places of the ports along x, and their displacement along x per amplitude. No shape moves or turns them otherwise."""


class ModalBody(Component):
    """Elastic body in the plane in a frame of any kind.

    The shapes are linear: the body does not shorten as it bends.
    """

    modes: ClassVar[Modes]

    def declare(self) -> None:
        d, n = self.modes, len(self.modes.K)
        kg, metre, second = (self.parameter(f"unit.{name}", 1.0, name, f"one {name}") for name in ("kg", "m", "s"))
        x, y, theta = (self.state(name, 0.0, unit, f"{name} of the frame") for name, unit in (("x", "m"), ("y", "m"), ("theta", "rad")))
        vx, vy, omega = (self.state(name, 0.0, f"{unit}/s", f"rate {name}") for name, unit in (("vx", "m"), ("vy", "m"), ("omega", "rad")))
        q = Matrix([self.state(f"q[{k}]", 0.0, "m", f"amplitude {k}") for k in range(1, n + 1)])
        rate = Matrix([self.state(f"q.rate[{k}]", 0.0, "m/s", f"rate of amplitude {k}") for k in range(1, n + 1)])
        for state, change in zip((x, y, theta, *q), (vx, vy, omega, *rate), strict=True):
            self.rate(state, change)
        R = Matrix([[cos(theta), -sin(theta)], [sin(theta), cos(theta)]])
        M, B = Matrix(d.M), Matrix(d.B)
        drawn, turning, stretched = (Matrix(each) for each in (np.vstack([d.along, d.across]), d.turned, d.stretched))

        first = kg * (Matrix([d.first * metre, 0]) + drawn * q)
        arm = Matrix([-first[1], first[0]])
        inertia = self.local("J", kg * (d.inertia * metre**2 + 2 * metre * stretched.dot(q) + q.dot(M * q)), "kg.m2", "moment of inertia")
        coupling = kg * (metre * turning + B.T * q)
        moving = drawn * rate
        force = omega**2 * first + 2 * omega * kg * Matrix([moving[1], -moving[0]])
        torque = -2 * omega * kg * (metre * stretched.dot(rate) + rate.dot(M * q))
        on_shapes = kg * (omega**2 * (metre * stretched + M * q) + 2 * omega * B * rate - Matrix(d.K) * q / second**2)
        placed = []
        for name, (at, moves) in d.ends.items():
            port = self.port(name, PLANAR, Side.MOTION, f"end {name}")
            place = self.local(f"{name}.along", at * metre + Matrix(moves).dot(q), "m", f"place of {name} along x")
            pressed = R.T * Matrix([port.Fx, port.Fy])
            force, torque = force + pressed, torque + port.Cz + place * pressed[1]
            on_shapes += Matrix(moves) * pressed[0]
            placed.append((port, x + R[0, 0] * place, y + R[1, 0] * place))

        # The shapes are eliminated, then the origin.
        inverse = Matrix(np.linalg.inv(d.M))
        named = Matrix([self.local(f"force[{k + 1}]", each, "N", f"force on amplitude {k + 1}") for k, each in enumerate(on_shapes)])
        left = force - drawn * inverse * named
        mass = np.vstack([d.along, d.across]) @ np.linalg.inv(d.M) @ np.column_stack([d.along, d.across])
        lighter = Matrix(np.linalg.inv(d.mass * np.eye(2) - mass)) / kg
        arm = Matrix([self.local(f"arm[{k + 1}]", each, "kg.m", f"arm {k + 1}") for k, each in enumerate(arm - drawn * inverse * coupling)])
        turned = torque - coupling.dot(inverse * named) / kg - arm.dot(lighter * left)
        alpha = self.local(
            "alpha",
            turned / (inertia - coupling.dot(inverse * coupling) / kg - arm.dot(lighter * arm)),
            "rad/s2",
            "angular acceleration",
        )
        origin = Matrix(
            [self.local(f"origin[{k + 1}]", each, "m/s2", f"acceleration {k + 1}") for k, each in enumerate(lighter * (left - arm * alpha))]
        )
        for state, change in zip((vx, vy, omega), (*(R * origin), alpha), strict=True):
            self.rate(state, change)
        for state, change in zip(rate, inverse * ((named - coupling * alpha) / kg - drawn.T * origin), strict=True):
            self.rate(state, change)
        for port, *place in placed:
            self.moves(port, *place, theta)


def modal_body(modes: Modes, name: str) -> type[ModalBody]:
    """Returns the class of a body with these ``modes``."""
    # A class made by a function is known by its data, so that two of one name are two.
    made = {"__doc__": f"Body {name}.", "__module__": __name__, "__qualname__": f"modal_body.<locals>.{name}", "modes": modes}
    return type(name, (ModalBody,), made)
