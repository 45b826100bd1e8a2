"""The deformed shape of an elastic body: nodes, surface triangles and shapes as ``resources/flexible.json``, and its part in pictures."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from fmu_components.declare.picture import Deformed
from fmu_components.flexible.lines import lines_of
from fmu_components.flexible.mesh import Array, Mesh, MeshError
from fmu_components.flexible.ports import Interface
from fmu_components.flexible.thinning import thinned

NAME = "flexible.json"
MOST = 3000
"""Triangles, or pieces of lines, of a body in pictures."""
_DIGITS = 7


@dataclass(frozen=True)
class Drawn:
    """Places in the frame of the shapes, in m: a point is ``nodes`` plus the sum of the amplitudes times ``shapes``."""

    nodes: Array
    shapes: Array
    """Displacement per amplitude, by shape, node and axis."""
    triangles: NDArray[np.int64]
    """Nodes of each triangle of the surface; none where it was not given."""
    lines: Sequence[Sequence[int]] = ()
    """Nodes along lines, which pictures show where no triangles were given."""

    def file(self, frame: str, frequencies: Array) -> bytes:
        """Returns the content of the file, with the name of the ``frame`` of the shapes and their angular ``frequencies``."""
        own = {"frequencies": frequencies, "nodes": self.nodes, "triangles": self.triangles, "shapes": self.shapes}
        arrays = {name: _rounded(each) for name, each in own.items()}
        return json.dumps({"version": 1, "unit": "m", "frame": frame, **arrays}, separators=(",", ":"), allow_nan=False).encode()

    def deformed(self, size: float) -> Deformed:
        """Returns the part of a picture: nodes over the ``size`` of the body, of which at most ``MOST`` triangles are left."""
        kept, triangles, lines = thinned(self.nodes, self.triangles, self.lines, MOST)
        amplitudes = [f"shape[{k + 1}]" for k in range(len(self.shapes))]
        return Deformed(amplitudes, _rounded(self.nodes[kept] / size), _rounded(self.shapes[:, kept]), triangles.tolist(), lines)

    @property
    def thinned(self) -> str:
        """A sentence on a surface of too many triangles for a picture; empty for any other."""
        count = len(self.triangles)
        return f" Pictures show its {count} triangles as at most {MOST} between some of their nodes." if count > MOST else ""


def drawn(mesh: Mesh, columns: Array, origin: Array, triangles: ArrayLike | None, ports: Sequence[Interface]) -> Drawn:
    """Returns the surface of a ``mesh`` whose shapes are ``columns``, from its ``origin``; without ``triangles``, lines between its ``ports``.

    Nodes that the mesh does not have raise MeshError.
    """
    faces = np.zeros((0, 3), np.int64) if triangles is None else np.asarray(triangles)
    if faces.ndim != 2 or faces.shape[1] != 3 or not np.issubdtype(faces.dtype, np.integer):
        raise MeshError(f"triangles has the shape {faces.shape}; give a row of three whole numbers of nodes for each")
    if faces.size and not 0 <= faces.min() <= faces.max() < len(mesh.nodes):
        wrong = int(faces.min() if faces.min() < 0 else faces.max())
        raise MeshError(
            f"a triangle is at the node {wrong}, which the mesh does not have: give whole numbers from 0 to {len(mesh.nodes) - 1}"
        )
    moves = columns.reshape(len(mesh.nodes), mesh.dofs, -1)[:, :3]
    lines = () if len(faces) else lines_of(mesh, [each.place for each in ports], MOST)
    return Drawn(mesh.places - origin, np.ascontiguousarray(moves.transpose(2, 0, 1)), faces.astype(np.int64), lines)


def _rounded(values: NDArray[Any]) -> list[Any]:
    """Returns lists of numbers of few digits, which is all that a picture shows."""
    if np.issubdtype(values.dtype, np.integer):
        return values.tolist()
    size = float(np.abs(values).max(initial=0.0))
    return values.tolist() if not size else np.round(values, _DIGITS - int(np.floor(np.log10(size))) - 1).tolist()
