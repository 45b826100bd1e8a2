"""Meshes in files: STL, as text or as numbers, and OBJ."""

from __future__ import annotations

import struct
from itertools import pairwise
from pathlib import Path

import numpy as np

from coupling.errors import BuildError
from coupling.pictures.meshes import Mesh

_LARGEST = 2**28
"""Bytes of a file beyond which it is refused."""
_TRIANGLE = np.dtype([("normal", "<f4", 3), ("corners", "<f4", (3, 3)), ("attribute", "<u2")])


def read_mesh(path: Path) -> Mesh:
    """Returns points and triangles of a file, by its suffix."""
    suffix = path.suffix.lower()
    if suffix not in (".stl", ".obj"):
        raise BuildError(f"the mesh '{path}' is refused: meshes are read from .stl and .obj; export it as one of these")
    try:
        size = path.stat().st_size
        if size > _LARGEST:
            raise BuildError(
                f"the mesh '{path}' is refused: it has {size / 2**20:.0f} MiB, and at most {_LARGEST >> 20} are read; reduce its number of triangles "
                "where it was made"
            )
        content = path.read_bytes()
    except OSError as error:
        raise BuildError(f"the mesh '{path}' cannot be read: {error.strerror}; give the path of a file .stl or .obj") from None
    try:
        points, faces = _obj(content) if suffix == ".obj" else _stl(content)
    except _Damage as damage:
        raise BuildError(f"the mesh '{path}' is damaged: {damage}; export it again") from None
    except ValueError:
        raise BuildError(f"the mesh '{path}' is damaged: it has a number that cannot be read; export it again") from None
    if not len(faces):
        raise BuildError(f"the mesh '{path}' has no triangle; export its surface")
    if not np.isfinite(points).all():
        raise BuildError(f"the mesh '{path}' is damaged: a coordinate is not finite; export it again")
    return points, faces


class _Damage(Exception):
    pass


def _stl(content: bytes) -> Mesh:
    """Returns a mesh, whose format follows from the length of the file: files of numbers may begin with ``solid`` as well."""
    told = struct.unpack_from("<I", content, 80)[0] if len(content) >= 84 else 0
    if len(content) >= 84 and len(content) == 84 + 50 * told:
        corners = np.frombuffer(content, _TRIANGLE, told, 84)["corners"].reshape(-1, 3).astype(float)
    elif content.lstrip()[:5].lower() == b"solid" and (b"vertex" in content or b"endsolid" in content):
        corners = np.array([line.split()[1:4] for line in content.splitlines() if line.split()[:1] == [b"vertex"]], dtype=float)
        if corners.size % 9:
            raise _Damage(f"it has {len(corners)} corners, which is no multiple of 3")
        corners = corners.reshape(-1, 3)
        if b"endsolid" not in content[-4096:]:
            raise _Damage("it ends without 'endsolid'")
    elif len(content) < 84:
        raise _Damage(f"it has {len(content)} bytes, and a file of STL at least 84")
    else:
        raise _Damage(f"it announces {told} triangles, which take {84 + 50 * told} bytes, and has {len(content)}")
    return corners, np.arange(len(corners)).reshape(-1, 3)


def _obj(content: bytes) -> Mesh:
    points: list[list[float]] = []
    faces: list[tuple[int, int, int]] = []
    for number, line in enumerate(content.splitlines(), 1):
        word, *rest = line.split() or [b""]
        if word == b"v":
            if len(rest) < 3:
                raise _Damage(f"line {number} has a point of {len(rest)} coordinates")
            points.append([float(each) for each in rest[:3]])
        elif word == b"f":
            corners = [int(each.partition(b"/")[0]) for each in rest]
            corners = [each - 1 if each > 0 else len(points) + each for each in corners]
            if len(corners) < 3 or not all(0 <= each < len(points) for each in corners):
                raise _Damage(f"line {number} has a face with corners that do not exist, or fewer than three")
            faces += [(corners[0], b, c) for b, c in pairwise(corners[1:])]
    return np.array(points, dtype=float).reshape(-1, 3), np.array(faces, dtype=int).reshape(-1, 3)
