"""Rotations over time, as quaternions whose signs do not jump."""

from __future__ import annotations

import numpy as np


def quaternions(matrices: np.ndarray) -> np.ndarray:
    """Returns the quaternions of rotation matrices, an array of n x 3 x 3. The greatest of four squares is used, which avoids roots of
    small numbers."""
    m = matrices
    d = np.stack([m[:, 0, 0], m[:, 1, 1], m[:, 2, 2]], axis=1)
    trace = d.sum(axis=1)
    squares = np.stack([1 + trace, *(1 + 2 * d[:, i] - trace for i in range(3))], axis=1)
    offdiagonal = np.zeros((len(m), 4, 4))
    for i, (j, k) in enumerate(((1, 2), (2, 0), (0, 1)), 1):
        offdiagonal[:, 0, i] = offdiagonal[:, i, 0] = m[:, k, j] - m[:, j, k]
    for i in range(3):
        for j in range(3):
            if i != j:
                offdiagonal[:, 1 + i, 1 + j] = m[:, i, j] + m[:, j, i]
    for i in range(4):
        offdiagonal[:, i, i] = squares[:, i]
    best = squares.argmax(axis=1)
    found = offdiagonal[np.arange(len(m)), best]
    return continuous(found / np.linalg.norm(found, axis=1, keepdims=True))


def continuous(q: np.ndarray) -> np.ndarray:
    """Returns the same rotations with signs that do not jump from row to row. The first quaternion has q0 >= 0, since q and -q are
    equivalent."""
    if not len(q):
        return q
    turns = np.where(np.einsum("ij,ij->i", q[1:], q[:-1]) < 0, -1.0, 1.0)
    signs = np.concatenate([[-1.0 if q[0, 0] < 0 else 1.0], turns]).cumprod()
    return q * signs[:, None]


def about_z(angle: np.ndarray) -> np.ndarray:
    """Returns quaternions of angles in rad, which may count turns."""
    zero = np.zeros(len(angle))
    return np.stack([np.cos(angle / 2), zero, zero, np.sin(angle / 2)], axis=1)


def matrices(q: np.ndarray) -> np.ndarray:
    """Returns rotation matrices, n x 3 x 3, of quaternions of any length."""
    w, x, y, z = (q / np.linalg.norm(q, axis=1, keepdims=True)).T
    return np.stack(
        [
            np.stack([1 - 2 * (y * y + z * z), 2 * (x * y - w * z), 2 * (x * z + w * y)], axis=1),
            np.stack([2 * (x * y + w * z), 1 - 2 * (x * x + z * z), 2 * (y * z - w * x)], axis=1),
            np.stack([2 * (x * z - w * y), 2 * (y * z + w * x), 1 - 2 * (x * x + y * y)], axis=1),
        ],
        axis=1,
    )


def axes_of(z: np.ndarray, x: np.ndarray) -> np.ndarray:
    """Returns the axes of a port as columns, from the direction of z and that towards which x leans."""
    z = z / np.linalg.norm(z)
    y = np.cross(z, x)
    y = y / np.linalg.norm(y)
    return np.stack([np.cross(y, z), y, z], axis=1)
