"""Meshes of Nastran: matrices of an ``.op4`` file with the nodes of the bulk data."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

from fmu_components.flexible.formats.grid import read_grid
from fmu_components.flexible.formats.mesh_file import MeshFile, named_matrices
from fmu_components.flexible.formats.op4 import read_op4
from fmu_components.flexible.given import MeshError


def read_nastran(path: Path, nodes: Path, matrices: tuple[str, str] | None) -> MeshFile:
    """Returns the mesh of an ``.op4`` file at ``path`` and of the GRID cards in ``nodes``. Turns without stiffness and mass are left out."""
    K, M = named_matrices(path, read_op4(path), matrices)
    labels, places = read_grid(nodes)
    rows = 6 * len(labels)
    if K.shape != (rows, rows) or M.shape != (rows, rows):
        sizes = " and ".join(f"{each.shape[0]} by {each.shape[1]}" for each in (K, M))
        raise MeshError(
            f"'{path}' has matrices of {sizes}, but the {len(labels)} nodes of '{nodes}' have {rows} degrees of freedom: export those of all nodes"
        )
    if not (_turns(K) or _turns(M)):
        # Solid elements leave the turns of their nodes without stiffness and mass.
        moves = np.flatnonzero(np.arange(rows) % 6 < 3)
        K, M = (each.tocsc()[moves][:, moves] for each in (K, M))
    return MeshFile(K, M, places, labels)


def _turns(matrix: Any) -> bool:
    row, column = matrix.coords
    return bool(((row % 6 > 2) | (column % 6 > 2)).any())
