"""A bracket of aluminium as finite elements of scikit-fem, and the file in which they are kept: ``python examples/bracket/mesh.py``."""

from __future__ import annotations

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
from scipy import sparse

FILE = Path(__file__).with_name("bracket.npz")
LENGTH, HEIGHT, WIDTH, THICK = 0.3, 0.2, 0.06, 0.02  # m
YOUNG, POISSON, DENSITY = 7e10, 0.33, 2700.0  # Pa, kg/m3


class Bracket(NamedTuple):
    """Matrices, nodes, and triangles of the surface."""

    K: Any
    M: Any
    nodes: np.ndarray
    triangles: np.ndarray


def made() -> Bracket:
    """Returns the bracket of scikit-fem: a leg along z, and an arm along x at its upper end."""
    from skfem import Basis, BilinearForm, ElementHex1, ElementVector, MeshHex
    from skfem.helpers import dot
    from skfem.models.elasticity import lame_parameters, linear_elasticity

    def along(length: float, cells: int) -> np.ndarray:
        return np.concatenate([np.linspace(0, THICK, 3), np.linspace(THICK, length, cells + 1)[1:]])

    block = MeshHex.init_tensor(along(LENGTH, 10), np.linspace(0, WIDTH, 3), HEIGHT - along(HEIGHT, 6)[::-1])
    x, _, z = block.p[:, block.t].mean(axis=1)
    mesh = block.restrict(np.flatnonzero((x < THICK) | (z > HEIGHT - THICK)))
    basis = Basis(mesh, ElementVector(ElementHex1()))
    K = linear_elasticity(*lame_parameters(YOUNG, POISSON)).assemble(basis)
    M = BilinearForm(lambda u, v, w: DENSITY * dot(u, v)).assemble(basis)
    order = basis.nodal_dofs.T.ravel()  # x, y and z of the first node, then of the second
    surface = mesh.to_meshtet()
    return Bracket(K[order][:, order], M[order][:, order], mesh.p.T, surface.facets[:, surface.boundary_facets()].T)


def kept() -> Bracket:
    """Returns the bracket from the file, which needs no scikit-fem."""
    with np.load(FILE) as file:
        halves = [sparse.coo_array((file[name], (file["row"], file["column"]))).tocsr() for name in ("K", "M")]
        K, M = (half + sparse.triu(half, 1).T for half in halves)
        return Bracket(K, M, file["nodes"], file["triangles"])


def main() -> None:
    bracket = made()
    row, column = sparse.triu(abs(bracket.K) + abs(bracket.M)).nonzero()
    values = {name: np.asarray(matrix[row, column]).ravel() for name, matrix in (("K", bracket.K), ("M", bracket.M))}
    places = {"row": row.astype(np.int16), "column": column.astype(np.int16)}
    np.savez_compressed(FILE, **values, **places, nodes=bracket.nodes, triangles=bracket.triangles.astype(np.int16))


if __name__ == "__main__":
    main()
