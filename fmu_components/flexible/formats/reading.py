"""Meshes from files, by the ending of their names."""

from __future__ import annotations

import os
from pathlib import Path

from fmu_components.flexible.formats.calculix import read_calculix
from fmu_components.flexible.formats.mesh_file import MeshFile
from fmu_components.flexible.formats.nastran import read_nastran
from fmu_components.flexible.formats.npz import read_npz
from fmu_components.flexible.given import MeshError


def read_mesh(path: str | Path, *, nodes: str | Path | None = None, matrices: tuple[str, str] | None = None) -> MeshFile:
    """Returns the mesh in the file at ``path``.

    An ``.npz`` file is one of ``write_mesh``, or has the arrays K, M and nodes. An ``.op4`` file of Nastran goes with the bulk data of its
    ``nodes``; ``matrices`` are the names of stiffness and mass in it, by default the only ones that begin with K and M. A ``.sti`` file of
    CalculiX goes with the files ``.mas`` and ``.dof`` of its run, and with the ``.inp`` file there or in ``nodes``. Other and damaged files
    raise MeshError.
    """
    path = _file(path)
    if path.suffix.lower() == ".op4":
        if nodes is None:
            raise MeshError(
                f"'{path}' has no nodes; give the file with the GRID cards too, such as nodes='{path.with_suffix('.bdf').name}'"
            )
        return read_nastran(path, _file(nodes), matrices)
    if path.suffix.lower() == ".sti" and matrices is None:
        return read_calculix(path, None if nodes is None else _file(nodes))
    for name, value in (("nodes", nodes), ("matrices", matrices)):
        if value is not None:
            raise MeshError(f"{name} is {value!r}, but '{path}' has them itself: leave {name} out")
    return read_npz(path)


def _file(path: str | Path) -> Path:
    """Returns a path, unless reading from it would not end."""
    if not isinstance(path, str | os.PathLike):
        raise MeshError(f"{path!r} is no path; give that of the file of a mesh")
    if os.path.exists(path) and not os.path.isfile(path):
        raise MeshError(f"'{path}' is a folder, a device or a pipe, and no file; give the file of a mesh")
    return Path(path)
