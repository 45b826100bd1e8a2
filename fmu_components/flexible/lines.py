"""Lines through the nodes of a mesh without a known surface: its bars, or the shortest ways from port to port."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy import sparse
from scipy.sparse.csgraph import dijkstra

from fmu_components.flexible.mesh import Array, Mesh

_COUPLED = 1e-12
"""Least stiffness between two nodes, in parts of the largest one, by which they are neighbours."""
_BARS = 1.5
"""Pairs of neighbours for each node, up to which a mesh consists of bars."""


def lines_of(mesh: Mesh, ports: Sequence[Array], most: int) -> list[list[int]]:
    """Returns nodes along lines: all bars of a mesh of at most so many, or else the shortest ways from the first of the ``ports``, which are
    places, to the others, or of a single one to the farthest node."""
    near = _neighbours(mesh)
    rows, columns = sparse.triu(near, 1).nonzero()
    if len(rows) <= min(_BARS * len(mesh.nodes), most):
        return np.column_stack([rows, columns]).tolist()
    begin, *ends = (int(np.linalg.norm(mesh.places - each, axis=1).argmin()) for each in ports)
    far, before = dijkstra(near, indices=begin, return_predecessors=True)
    ends = ends or [int(np.where(np.isfinite(far), far, -1.0).argmax())]
    return [way for end in dict.fromkeys(ends) if len(way := _way(before, end)) > 1]


def _neighbours(mesh: Mesh) -> sparse.csr_matrix:
    """Returns the distances between nodes whose stiffness couples them."""
    K = sparse.coo_matrix(mesh.K)
    coupled = abs(K.data) > _COUPLED * abs(K.data).max()
    a, b = K.row[coupled] // mesh.dofs, K.col[coupled] // mesh.dofs
    pairs = np.unique(np.column_stack([a, b])[a != b], axis=0)
    lengths = np.linalg.norm(mesh.places[pairs[:, 0]] - mesh.places[pairs[:, 1]], axis=1)
    return sparse.csr_matrix((lengths, pairs.T), (len(mesh.nodes),) * 2)


def _way(before: Array, end: int) -> list[int]:
    """Returns the nodes to ``end``, by the node ``before`` each; that of the first is negative."""
    way = [end]
    while before[way[-1]] >= 0:
        way.append(int(before[way[-1]]))
    return way[::-1]
