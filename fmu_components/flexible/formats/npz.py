"""Meshes as ``.npz`` files: the matrices K and M, dense or by their entries, and the nodes."""

from __future__ import annotations

import math
import struct
import zlib
from lzma import LZMAError
from pathlib import Path
from typing import IO, Any
from zipfile import BadZipFile, ZipFile

import numpy as np
from numpy.lib import format
from numpy.typing import ArrayLike
from scipy import sparse

from fmu_components.flexible.formats.mesh_file import MeshFile
from fmu_components.flexible.given import MeshError

_PARTS = ("row", "column", "value")
_LARGEST = 2**53
"""Largest number of a node, which a double holds."""
_DAMAGE = (BadZipFile, ValueError, OSError, EOFError, NotImplementedError, RuntimeError, OverflowError, struct.error, zlib.error, LZMAError)
"""Errors of ``zipfile`` and NumPy for damaged archives; NotImplementedError is that of ``zipfile`` for an unknown kind of compression."""


def write_mesh(
    path: str | Path, K: Any, M: Any, nodes: ArrayLike, labels: ArrayLike | None = None, *, triangles: ArrayLike | None = None
) -> Path:
    """Writes the matrices ``K`` and ``M`` by their entries, and the ``nodes``, to an .npz file, and returns its path. ``labels`` are the
    numbers of the nodes, from 0 by default, and ``triangles`` those of the surface, by rows of ``nodes``. A folder that does not exist raises
    OSError."""
    arrays: dict[str, Any] = {"nodes": np.asarray(nodes, float)}
    for name, matrix in (("K", K), ("M", M)):
        entries = sparse.coo_array(matrix)
        arrays |= {f"{name}.{part}": each for part, each in zip(_PARTS, (*entries.coords, entries.data), strict=True)}
        arrays[f"{name}.rows"] = np.array(entries.shape[0])
    if labels is not None:
        arrays["labels"] = np.asarray(labels, int)
    if triangles is not None:
        arrays["triangles"] = np.asarray(triangles, int)
    target = Path(path)
    np.savez_compressed(target, **arrays)
    return target if target.suffix == ".npz" else target.with_name(target.name + ".npz")


def read_npz(path: Path) -> MeshFile:
    """Returns the mesh in a file of ``write_mesh``, or in one with the arrays K, M and nodes."""
    try:
        with ZipFile(path) as archive:
            return _read(_Arrays(archive, path))
    except FileNotFoundError:
        raise MeshError(f"there is no file '{path}'; give the .npz file of a mesh") from None
    except MemoryError:
        raise MeshError(f"'{path}' holds more than the memory has room for; save K and M by their entries, with write_mesh") from None
    except _DAMAGE as error:
        if isinstance(error, MeshError):
            raise
        raise MeshError(f"'{path}' cannot be read as an .npz file: {str(error)[:80] or type(error).__name__}; save it again") from None


class _Arrays:
    """The arrays of a file. Each is checked by its header, before memory is taken for it."""

    def __init__(self, archive: ZipFile, path: str | Path) -> None:
        self.path = path
        self._archive = archive
        self._members = {each.filename.removesuffix(".npy"): each for each in archive.infolist()}

    def __contains__(self, name: str) -> bool:
        return name in self._members

    def __str__(self) -> str:
        names = sorted(self._members)
        return ", ".join(names[:9]) + (" ..." if len(names) > 9 else "") if names else "none"

    def read(self, name: str, wanted: str, dimensions: int, most: int | None = None) -> Any:
        """Returns an array of numbers; ``most`` is the limit of its rows and columns."""
        member = self._members[name]
        with self._archive.open(member) as file:
            shape, dtype = self._header(file, name)
            wrong = len(shape) != dimensions or 0 in shape or (most is not None and max(shape, default=0) > most)
            if dtype.kind not in "iuf" or wrong:
                raise MeshError(
                    f"the array '{name}' of '{self.path}' has the shape {shape} and the type {str(dtype)[:40]}; it must be {wanted}"
                )
            if member.file_size - file.tell() != math.prod(shape) * dtype.itemsize:
                raise MeshError(f"the array '{name}' of '{self.path}' is not as long as its header says; save it again")
        with self._archive.open(member) as file:
            return format.read_array(file, allow_pickle=False)

    def _header(self, file: IO[bytes], name: str) -> tuple[tuple[int, ...], np.dtype[Any]]:
        try:
            reader = {(1, 0): format.read_array_header_1_0, (2, 0): format.read_array_header_2_0}[format.read_magic(file)]
            shape, _, dtype = reader(file)
        # A header is a text that NumPy parses, and a damaged one ends the parser in many ways.
        except (ValueError, KeyError, TypeError, MemoryError, RecursionError, SyntaxError):
            raise MeshError(f"'{name}' of '{self.path}' is no array of numbers; save K, M and nodes with numpy.savez") from None
        return shape, dtype


def _read(arrays: _Arrays) -> MeshFile:
    if "nodes" not in arrays:
        raise MeshError(f"'{arrays.path}' has the arrays {arrays}, but not 'nodes': save K, M and nodes")
    nodes = arrays.read("nodes", "a row of three numbers for each node", 2)
    labels = arrays.read("labels", "a number for each node", 1) if "labels" in arrays else np.arange(len(nodes))
    if len(labels) != len(nodes) or len(set(labels.tolist())) != len(nodes):
        raise MeshError(f"'{arrays.path}' has {len(labels)} labels for {len(nodes)} nodes, which are not one different number each")
    triangles = arrays.read("triangles", "a row of three nodes for each triangle", 2) if "triangles" in arrays else None
    for name, numbers in (("labels", labels), ("triangles", triangles)):
        if numbers is not None and not (numbers == np.clip(np.nan_to_num(np.trunc(numbers)), -_LARGEST, _LARGEST)).all():
            raise MeshError(f"'{arrays.path}' has {name} that are no whole numbers; number the nodes")
    matrices = _matrix(arrays, "K", len(nodes)), _matrix(arrays, "M", len(nodes))
    return MeshFile(*matrices, nodes, labels.astype(np.int64), None if triangles is None else triangles.astype(np.int64))


def _matrix(arrays: _Arrays, name: str, nodes: int) -> Any:
    if name in arrays:
        return arrays.read(name, f"a matrix with 3 or 6 rows for each of {nodes} nodes", 2, most=6 * nodes)
    needed = [f"{name}.{part}" for part in (*_PARTS, "rows")]
    if not all(each in arrays for each in needed):
        raise MeshError(f"'{arrays.path}' has the arrays {arrays}, but not '{name}': save K, M and nodes")
    row, column, value = (arrays.read(each, "a list of numbers", 1) for each in needed[:3])
    rows = arrays.read(needed[3], "one number", 0)
    if not 0 <= rows <= 6 * nodes:
        raise MeshError(
            f"{name} in '{arrays.path}' has {rows} rows, and {nodes} nodes make at most {6 * nodes}; give both for the same nodes"
        )
    try:
        return sparse.coo_array((value, (row, column)), shape=(int(rows), int(rows)))
    except (ValueError, TypeError) as error:
        raise MeshError(f"the entries of {name} in '{arrays.path}' make no matrix: {error}") from None
