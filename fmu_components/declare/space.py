"""Common parts of the components of space: rotations, inertia, and the places of a body's ports."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from typing import Any

import sympy
from sympy import Matrix

from fmu_components.declare.component import Component
from fmu_components.declare.functions import TurnFactor
from fmu_components.declare.joint import Angle, Joint
from fmu_components.declare.ports import SPATIAL

AXES = "xyz"
_PARALLEL = 1e-12
"""Largest squared sine of an angle between two directions that count as parallel."""


class SpatialJoint(Joint):
    """Base of all joints in space, whose axis is the axis z of their ports."""

    kind = SPATIAL


def same_attitude(M: Any, N: Any) -> list[sympy.Expr]:
    """Zero where the frames are parallel; and where axes are exchanged or opposite, which is for validity to tell."""
    return [M.x_axis.dot(N.y_axis), M.y_axis.dot(N.z_axis), M.z_axis.dot(N.x_axis)]


def lean(part: Component, M: Any, N: Any) -> tuple[sympy.Expr, sympy.Expr, sympy.Expr]:
    """The axis z of N in the frame of M: its parts along x_M and y_M, and the sine of its angle to z_M, by name, with its rate."""
    along = M.x_axis.dot(N.z_axis), M.y_axis.dot(N.z_axis)
    s = sympy.Symbol("lean.sine", real=True)
    equation = sympy.sqrt(along[0] ** 2 + along[1] ** 2)
    rate = (along[0] * part.D(along[0]) + along[1] * part.D(along[1])) / s
    part.local("lean.sine", equation, "", "sine of the angle between the axes z of M and N", rate=rate)
    return *along, s


def not_at_right_angles(M: Any, N: Any, what: str) -> list[tuple[sympy.Expr, str]]:
    """The validity of what has to lean against a plane less than a right angle."""
    square = M.x_axis.dot(N.z_axis) ** 2 + M.y_axis.dot(N.z_axis) ** 2
    return [(square, f"the axis z of N is not at right angles to the plane, {what}")]


def turn(M: Any, N: Any) -> Angle:
    """The angle of x_N against x_M about the axis z that both ports share."""
    return Angle(M.y_axis.dot(N.x_axis), M.x_axis.dot(N.x_axis), (N.omega - M.omega).dot(M.z_axis))


def rotation_vector(part: Component, M: Any, N: Any) -> Matrix:
    """The turn of N against M as an axis times an angle, up to half a turn, along the axes of M."""
    entries = M.R.T * N.R
    R = Matrix(
        3, 3, lambda i, j: part.local(f"turn.R{i + 1}{j + 1}", entries[i, j], "", f"{AXES[i]} of the axis {AXES[j]} of N in the frame of M")
    )
    w = vector(part, part.local, "turn.omega%", M.R.T * (N.omega - M.omega), "rad/s", "relative angular velocity about the axis % of M")
    sines, cosine = Matrix([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]]) / 2, (R.trace() - 1) / 2
    rates = (R.trace() * w - R * w) / 2
    sine = Matrix(
        [
            part.local(f"turn.sine{axis}", equation, "", f"sine of the turn, times its axis along {axis} of M", rate=rate)
            for axis, equation, rate in zip(AXES, sines, rates, strict=True)
        ]
    )
    c = part.local("turn.cosine", cosine, "", "cosine of the turn", rate=-sine.dot(w))
    square = part.local("turn.square", sine.dot(sine), "", "square of the sine of the turn", rate=2 * sine.dot(rates))
    return TurnFactor(0, square, c) * sine


def same_axis(M: Any, N: Any, *axes: str) -> list[tuple[sympy.Expr, str]]:
    """The validity of constraints that hold as well where axes are opposite."""
    return [
        (
            getattr(M, f"{axis}_axis").dot(getattr(N, f"{axis}_axis")),
            f"the axes {axis} of M and N point the same way (their product is positive), since the constraint holds as well where they are "
            "opposite",
        )
        for axis in axes
    ]


def vector(part: Component, declare: Any, name: str, starts: Sequence[float], unit: str, text: str, **options: Any) -> Matrix:
    """Three variables, one for each axis, whose name and text have the axis in place of ``%``."""
    return Matrix(
        [declare(name.replace("%", a), start, unit, text.replace("%", a), **options) for a, start in zip(AXES, starts, strict=True)]
    )


def rotation_matrix(q: Sequence[sympy.Expr]) -> Matrix:
    """The rotation of a quaternion, whose length plays no part."""
    q0, q1, q2, q3 = q
    s = 2 / (q0**2 + q1**2 + q2**2 + q3**2)
    return Matrix(
        [
            [1 - s * (q2**2 + q3**2), s * (q1 * q2 - q0 * q3), s * (q1 * q3 + q0 * q2)],
            [s * (q1 * q2 + q0 * q3), 1 - s * (q1**2 + q3**2), s * (q2 * q3 - q0 * q1)],
            [s * (q1 * q3 - q0 * q2), s * (q2 * q3 + q0 * q1), 1 - s * (q1**2 + q2**2)],
        ]
    )


def attitude(part: Component, equations: Matrix, omega: Matrix) -> Matrix:
    """The rotation matrix of a body by name, with its rate, so that what depends on it stays short."""
    R = Matrix(3, 3, lambda i, j: sympy.Symbol(f"R{i + 1}{j + 1}", real=True))
    turning = Matrix.hstack(*(omega.cross(R[:, j]) for j in range(3)))
    for entry, equation, rate, (row, column) in zip(R, equations, turning, product(AXES, AXES), strict=True):
        part.local(str(entry), equation, "", f"absolute {row} of the body’s axis {column}", rate=rate)
    return R


def inertia_tensor(part: Component, above: float | None = None, at_least: float | None = None) -> Matrix:
    """The parameters of a tensor of inertia about the mass centre, with bounds of its diagonal."""
    xx, yy, zz = (
        part.parameter(
            f"I{a}{a}", 1.0, "kg.m2", f"moment of inertia about the body’s axis {a} through the mass centre", above=above, at_least=at_least
        )
        for a in AXES
    )
    xy, xz, yz = (
        part.parameter(f"I{a}", 0.0, "kg.m2", f"entry {a} of the tensor of inertia about the mass centre: minus the product of inertia")
        for a in ("xy", "xz", "yz")
    )
    return Matrix([[xx, xy, xz], [xy, yy, yz], [xz, yz, zz]])


def arm_of(part: Component, name: str, arm: Matrix, omega: Matrix, origin: str = "the mass centre") -> Matrix:
    """An arm that turns with a body, by name, with its rate."""
    symbols = Matrix([sympy.Symbol(f"{name}.arm{a}", real=True) for a in AXES])
    for symbol, equation, rate, axis in zip(symbols, arm, omega.cross(symbols), AXES, strict=True):
        part.local(str(symbol), equation, "m", f"absolute {axis} of {name} from {origin}", rate=rate)
    return symbols


def quaternion_rate(q: Sequence[sympy.Expr], omega: Matrix) -> list[sympy.Expr]:
    """Returns the rate of a quaternion from an absolute angular velocity, which multiplies from the left. The rate keeps the length."""
    q0, v = q[0], Matrix(q[1:])
    return [-omega.dot(v) / 2, *((omega * q0 + omega.cross(v)) / 2)]


def place_of_port(part: Component, name: str, frame: str) -> tuple[Matrix, Matrix]:
    """The parameters of a port's point and frame, as a vector and a matrix whose columns are the port's axes in ``frame``."""
    p = vector(part, part.parameter, f"{name}.r%", (0, 0, 0), "m", f"% of the point {name} in the {frame}")
    return p, axes_of_port(part, name, frame)


def axes_of_port(part: Component, name: str, frame: str) -> Matrix:
    """The parameters of a port's frame, as a matrix whose columns are its axes in ``frame``."""
    z = vector(
        part, part.parameter, f"{name}.z%", (0, 0, 1), "", f"% of the direction of the axis z of {name} in the {frame}, of any length"
    )
    x = vector(
        part, part.parameter, f"{name}.x%", (1, 0, 0), "", f"% of the direction in the {frame} towards which the axis x of {name} leans"
    )
    y = z.cross(x)
    part.require(z.dot(z), f"the direction of the axis z of {name} ({name}.zx, {name}.zy, {name}.zz) is not zero")
    part.require(x.dot(x), f"the direction towards which the axis x of {name} leans ({name}.xx, {name}.xy, {name}.xz) is not zero")
    part.require(
        y.dot(y) - _PARALLEL * z.dot(z) * x.dot(x),
        f"the axis z of {name} and the direction towards which its axis x leans are not parallel",
    )
    axes: dict[str, Matrix] = {}
    for column, (axis, equation) in enumerate({"z": z / sympy.sqrt(z.dot(z)), "y": y / sympy.sqrt(y.dot(y)), "x": None}.items()):
        equation = axes["y"].cross(axes["z"]) if equation is None else equation
        axes[axis] = Matrix(
            [
                part.local(f"{name}.A{i}{3 - column}", equation[i - 1], "", f"{AXES[i - 1]} of the axis {axis} of {name} in the {frame}")
                for i in (1, 2, 3)
            ]
        )
    return Matrix.hstack(*(axes[axis] for axis in AXES))
