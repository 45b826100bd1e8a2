"""The deformed shape of an elastic body for pictures and other tools: nodes, surface triangles and shapes as ``resources/flexible.json``."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmu_components.flexible.mesh import Array, Mesh, MeshError

NAME = "flexible.json"
_DIGITS = 7


@dataclass(frozen=True)
class Drawn:
    """Places in the frame of the shapes, in m: a point is ``nodes`` plus the sum of the amplitudes times ``shapes``."""

    nodes: Array
    shapes: Array
    """Displacement per amplitude, by shape, node and axis."""
    triangles: NDArray[np.int64]
    """Nodes of each triangle of the surface; none where it was not given."""

    def file(self, frame: str, frequencies: Array) -> bytes:
        """Returns the content of the file, with the name of the ``frame`` of the shapes and their angular ``frequencies``."""
        own = {"frequencies": frequencies, "nodes": self.nodes, "triangles": self.triangles, "shapes": self.shapes}
        arrays = {name: _rounded(each) for name, each in own.items()}
        return json.dumps({"version": 1, "unit": "m", "frame": frame, **arrays}, separators=(",", ":"), allow_nan=False).encode()


def drawn(mesh: Mesh, columns: Array, origin: Array, triangles: ArrayLike | None) -> Drawn:
    """Returns the surface of a ``mesh`` whose shapes are ``columns``, from its ``origin``. Nodes that it does not have raise MeshError."""
    faces = np.zeros((0, 3), np.int64) if triangles is None else np.asarray(triangles)
    if faces.ndim != 2 or faces.shape[1] != 3 or not np.issubdtype(faces.dtype, np.integer):
        raise MeshError(f"triangles has the shape {faces.shape}; give a row of three whole numbers of nodes for each")
    if faces.size and not 0 <= faces.min() <= faces.max() < len(mesh.nodes):
        wrong = int(faces.min() if faces.min() < 0 else faces.max())
        raise MeshError(
            f"a triangle is at the node {wrong}, which the mesh does not have: give whole numbers from 0 to {len(mesh.nodes) - 1}"
        )
    moves = columns.reshape(len(mesh.nodes), mesh.dofs, -1)[:, :3]
    return Drawn(mesh.places - origin, np.ascontiguousarray(moves.transpose(2, 0, 1)), faces.astype(np.int64))


def _rounded(values: NDArray[Any]) -> object:
    """Returns lists of numbers of few digits, which is all that a picture shows."""
    if np.issubdtype(values.dtype, np.integer):
        return values.tolist()
    size = float(np.abs(values).max(initial=0.0))
    return values.tolist() if not size else np.round(values, _DIGITS - int(np.floor(np.log10(size))) - 1).tolist()
