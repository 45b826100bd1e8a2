"""Meshes as ``.npz`` files: the matrices K and M, dense or by their entries, and the nodes."""

from __future__ import annotations

from pathlib import Path
from typing import Any
from zipfile import BadZipFile

import numpy as np
from numpy.typing import ArrayLike
from scipy import sparse

from fmu_components.flexible.formats.mesh_file import MeshFile
from fmu_components.flexible.mesh import MeshError

_PARTS = ("row", "column", "value")


def write_mesh(path: str | Path, K: Any, M: Any, nodes: ArrayLike, labels: ArrayLike | None = None) -> Path:
    """Writes the matrices ``K`` and ``M`` by their entries, and the ``nodes``, to an .npz file, and returns its path. ``labels`` are the
    numbers of the nodes, from 0 by default. A folder that does not exist raises OSError."""
    arrays: dict[str, Any] = {"nodes": np.asarray(nodes, float)}
    for name, matrix in (("K", K), ("M", M)):
        entries = sparse.coo_array(matrix)
        arrays |= {f"{name}.{part}": each for part, each in zip(_PARTS, (*entries.coords, entries.data), strict=True)}
        arrays[f"{name}.rows"] = np.array(entries.shape[0])
    if labels is not None:
        arrays["labels"] = np.asarray(labels, int)
    target = Path(path)
    np.savez_compressed(target, **arrays)
    return target if target.suffix == ".npz" else target.with_name(target.name + ".npz")


def read_npz(path: Path) -> MeshFile:
    """Returns the mesh in a file of ``write_mesh``, or in one with the arrays K, M and nodes."""
    try:
        arrays = np.load(path, allow_pickle=False)
        if not isinstance(arrays, np.lib.npyio.NpzFile):
            raise MeshError(f"'{path}' holds one array; give an .npz file with K, M and nodes")
        with arrays:
            given = dict(arrays)
    except MeshError:
        raise
    except FileNotFoundError:
        raise MeshError(f"there is no file '{path}'; give the .npz file of a mesh") from None
    except (BadZipFile, ValueError, OSError, EOFError) as error:
        raise MeshError(f"'{path}' cannot be read as an .npz file: {error}") from None
    if "nodes" not in given:
        raise MeshError(f"'{path}' has the arrays {', '.join(sorted(given)) or 'none'}, but not 'nodes': save K, M and nodes")
    nodes = given["nodes"]
    labels = given.get("labels", np.arange(len(nodes)))
    if len(labels) != len(nodes) or len(set(labels.tolist())) != len(nodes):
        raise MeshError(f"'{path}' has {len(labels)} labels for {len(nodes)} nodes, which are not one different number each")
    return MeshFile(_matrix(path, "K", given), _matrix(path, "M", given), nodes, labels.astype(np.int64))


def _matrix(path: Path, name: str, given: dict[str, Any]) -> Any:
    if name in given:
        return given[name]
    needed = [f"{name}.{part}" for part in (*_PARTS, "rows")]
    if not given.keys() >= set(needed):
        raise MeshError(f"'{path}' has the arrays {', '.join(sorted(given))}, but not '{name}': save K, M and nodes")
    row, column, value, rows = (given[each] for each in needed)
    try:
        return sparse.coo_array((value, (row, column)), shape=(int(rows), int(rows)))
    except (ValueError, TypeError) as error:
        raise MeshError(f"the entries of {name} in '{path}' make no matrix: {error}") from None
