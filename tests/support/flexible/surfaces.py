"""Surfaces of the meshes of the tests."""

from __future__ import annotations

from itertools import product

import numpy as np


def skin(counts: tuple[int, int, int]) -> list[list[int]]:
    """Returns the triangles around a brick of ``counts`` nodes along x, y and z, anticlockwise from outside."""
    found = []
    for axis, side in product(range(3), (0, 1)):
        others = [(axis + 1) % 3, (axis + 2) % 3]
        for i, j in product(*(range(counts[each] - 1) for each in others)):
            corners = []
            for u, v in ((0, 0), (1, 0), (1, 1), (0, 1)):
                at = [0, 0, 0]
                at[axis], at[others[0]], at[others[1]] = side * (counts[axis] - 1), i + u, j + v
                corners.append(int(np.ravel_multi_index(at, counts)))
            a, b, c, d = corners if side else corners[::-1]
            found += [[a, b, c], [a, c, d]]
    return found
