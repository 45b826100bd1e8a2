"""Start values of attitudes as people know them: an axis and an angle, a rotation matrix, or three angles."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Any

import numpy as np

_ORTHONORMAL = 1e-6
"""Largest difference between entries of R'R and of the unit matrix. Input is typed by hand, and is turned into an exact rotation."""


def orientation(
    axis: Sequence[float] | None = None,
    angle: float | None = None,
    *,
    matrix: Any = None,
    euler: str | None = None,
    angles: Sequence[float] | None = None,
) -> dict[str, float]:
    """Returns the start values ``q0`` to ``q3`` of a body that has turned from the absolute frame.

    It has turned about an ``axis``, a vector of any length and unit, by an ``angle`` in rad. Or its axes are the columns of a ``matrix``. Or
    it has turned by ``angles`` in rad about the axes named in ``euler``, each as the turns before have left it: ``"xyz"`` is
    R = Rx Ry Rz. Any other choice of arguments, or a matrix that is no rotation, raises ValueError.
    """
    given = {"axis and angle": (axis, angle), "matrix": (matrix,), "euler and angles": (euler, angles)}
    chosen = [name for name, parts in given.items() if any(part is not None for part in parts)]
    if len(chosen) != 1 or any(part is None for part in given[chosen[0]]):
        raise ValueError(
            f"orientation() was given {', '.join(chosen) or 'nothing'}"
            f"{' in part' if len(chosen) == 1 else ''}; give axis and angle, or matrix, or euler and angles"
        )
    if matrix is not None:
        q = _of_matrix(_numbers("matrix", matrix, (3, 3)))
    elif euler is not None:
        if len(euler) != 3 or set(euler) - set("xyz"):
            raise ValueError(f"euler = {euler!r} names no three axes; give three letters out of x, y and z, such as 'xyz'")
        q = np.array([1.0, 0.0, 0.0, 0.0])
        for letter, turn in zip(euler, _numbers("angles", angles, (3,)), strict=True):
            q = _product(q, _about(np.eye(3)["xyz".index(letter)], turn))
    else:
        direction = _numbers("axis", axis, (3,))
        if not direction.any():
            raise ValueError("axis = (0, 0, 0) has no direction; give a vector that differs from zero")
        q = _about(direction / np.linalg.norm(direction), float(_numbers("angle", angle, ())))
    return {f"q{i}": float(value) for i, value in enumerate(q)}


def _numbers(name: str, values: Any, shape: tuple[int, ...]) -> np.ndarray:
    """Finite numbers in the shape that is needed."""
    try:
        found = np.array(values, dtype=float)
    except (TypeError, ValueError):
        found = np.array([math.nan])
    if found.shape != shape or not np.isfinite(found).all():
        needed = {(): "a finite number", (3,): "three finite numbers", (3, 3): "three rows of three finite numbers"}[shape]
        raise ValueError(f"{name} = {values!r} is no part of an orientation; give {needed}")
    return found


def _about(direction: np.ndarray, angle: float) -> np.ndarray:
    return np.array([math.cos(angle / 2), *(math.sin(angle / 2) * direction)])


def _product(p: np.ndarray, q: np.ndarray) -> np.ndarray:
    return np.array([p[0] * q[0] - p[1:] @ q[1:], *(p[0] * q[1:] + q[0] * p[1:] + np.cross(p[1:], q[1:]))])


def _of_matrix(R: np.ndarray) -> np.ndarray:
    """The eigenvector of the greatest eigenvalue of a symmetric matrix (Bar-Itzhack): the nearest rotation, without cases."""
    off = float(np.abs(R.T @ R - np.eye(3)).max())
    if off > _ORTHONORMAL or np.linalg.det(R) < 0:
        what = f"R'R differs from the unit matrix by {off:.3g}" if off > _ORTHONORMAL else "its determinant is -1, as of a reflection"
        raise ValueError(f"matrix is no rotation: {what}; its columns must be unit vectors at right angles, right-handed")
    K = np.empty((4, 4))
    twist = np.array([R[2, 1] - R[1, 2], R[0, 2] - R[2, 0], R[1, 0] - R[0, 1]])
    K[0, 0], K[0, 1:], K[1:, 0] = np.trace(R), twist, twist
    K[1:, 1:] = R + R.T - np.trace(R) * np.eye(3)
    q = np.linalg.eigh(K)[1][:, -1]
    return q if q[np.flatnonzero(np.abs(q) > 1e-12)[0]] > 0 else -q
