"""Surfaces with fewer triangles: nodes that lie near each other become one of them, which keeps its own motion."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from fmu_components.flexible.mesh import Array

_FINEST = 256
"""Cells along the longest side of a surface that is too fine, at first."""


def thinned(
    nodes: Array, triangles: NDArray[np.int64], lines: Sequence[Sequence[int]], most: int
) -> tuple[NDArray[np.int64], NDArray[np.int64], list[list[int]]]:
    """Returns the numbers of the nodes that are drawn, and at most so many triangles, and the lines, between these by their new numbers."""
    steps, corners = float(_FINEST), triangles
    low, size = nodes.min(axis=0), float(np.ptp(nodes, axis=0).max())
    while len(corners) > most:
        cells = np.floor((nodes - low) * (steps / size)).astype(np.int64)
        used = np.unique(triangles)
        _, first, number = np.unique(cells[used], axis=0, return_index=True, return_inverse=True)
        one = np.zeros(len(nodes), np.int64)
        one[used] = used[first][number.reshape(-1)]
        merged = one[triangles]
        a, b, c = merged.T
        merged = merged[(a != b) & (b != c) & (c != a)]
        corners = merged[np.unique(np.sort(merged, axis=1), axis=0, return_index=True)[1]]
        steps *= 0.85
    kept = np.unique([*corners.ravel().tolist(), *(node for line in lines for node in line)]).astype(np.int64)
    return kept, np.searchsorted(kept, corners), [np.searchsorted(kept, line).tolist() for line in lines]
