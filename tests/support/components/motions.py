"""Random motions of two frames in space, as variables of the ports M and N, made by SciPy's rotations."""

from __future__ import annotations

import numpy as np
from scipy.spatial.transform import Rotation


def vector(values, name):
    """The three components of a variable, whose name has its axis at the end."""
    return np.array([values[f"{name}{axis}"] for axis in "xyz"])


def frame(port, point, attitude):
    """The place and attitude of a port."""
    R = attitude.as_matrix()
    return dict(zip((f"{port}.{axis}" for axis in "xyz"), point, strict=True)) | {
        f"{port}.R{i + 1}{j + 1}": float(R[i, j]) for i in range(3) for j in range(3)
    }


def velocities(port, velocity, omega):
    """Returns the velocities of a port."""
    names = [f"{port}.{kind}{axis}" for kind in ("v", "omega") for axis in "xyz"]
    return dict(zip(names, (*velocity, *omega), strict=True))


def turned_apart(seed, turn):
    """The attitudes of M and N, of which N is turned against M by a vector along the axes of M."""
    M = Rotation.random(random_state=seed)
    return M, M * Rotation.from_rotvec(turn)
