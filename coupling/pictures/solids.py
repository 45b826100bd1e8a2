"""Shapes that users give to bodies: ``system.appearance("boom", outline([(0, 0), (1, 0), (0.5, 0.4)]))``; lengths in m, in the frame of the body."""

from __future__ import annotations

import json
import os
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from coupling.errors import BuildError, shown
from coupling.pictures.mesh_files import read_mesh
from coupling.pictures.meshes import pack_mesh
from coupling.pictures.svg_path import polygons
from coupling.plan.shown import Shown

Solid = Mapping[str, Any]
"""Shape as data of JSON: ``kind`` and its sizes."""
_FARTHEST = 1e9
"""Greatest coordinate in m: more than any mechanism, and far from where squares overflow."""
_COLOUR = re.compile(r"#[0-9a-fA-F]{6}")


def outline(points: Sequence[Sequence[float]] | str, depth: float | None = None, scale: float = 1.0) -> Solid:
    """Returns an area in the plane: its corners in m, or a path of SVG, whose y points up like the frame's.

    ``scale`` multiplies the coordinates. In space the area is a plate of a ``depth`` in m. What is refused raises BuildError.
    """
    if not isinstance(points, Sequence | np.ndarray):
        raise BuildError(f"an outline of {shown(points)} is refused; give points, such as [(0, 0), (1, 0), (0, 1)], or a path of SVG")
    scale = _length(scale, "scale")
    if isinstance(points, str):
        rings = [[[scale * x, scale * y] for x, y in ring] for ring in polygons(points)]
        if not all(abs(x) <= _FARTHEST for ring in rings for point in ring for x in point):
            raise BuildError(
                f"the path {shown(points)} is refused: it has points farther away than {_FARTHEST:g} m; give them in m, or a scale"
            )
    else:
        rings = [[[scale * each for each in _numbers(p, (2,), "a point")] for p in points]]
        if len(rings[0]) < 3:
            raise BuildError(f"an outline of {len(rings[0])} points is refused; give at least three")
    return {"kind": "outline", "rings": rings, **({} if depth is None else {"depth": _length(depth, "depth")})}


def box(x: float, y: float, z: float | None = None, at: Sequence[float] = (0.0, 0.0)) -> Solid:
    """Returns a box with edges along the axes, about the point ``at``; lengths in m. The plane shows the first two."""
    sides = [_length(x, "x"), _length(y, "y"), _length(min(x, y) if z is None else z, "z")]
    return {"kind": "box", "size": sides, "at": _place(at)}


def cylinder(radius: float, length: float, axis: str = "z", at: Sequence[float] = (0.0, 0.0)) -> Solid:
    """Returns a cylinder about an axis of the body, with its middle at ``at``; lengths in m. A bad axis or length raises BuildError."""
    if axis not in ("x", "y", "z"):
        raise BuildError(f"axis = {shown(axis)} of a cylinder is refused: choose 'x', 'y' or 'z'")
    return {"kind": "cylinder", "radius": _length(radius, "radius"), "length": _length(length, "length"), "axis": axis, "at": _place(at)}


def sphere(radius: float, at: Sequence[float] = (0.0, 0.0)) -> Solid:
    """Returns a sphere about the point ``at``; lengths in m."""
    return {"kind": "sphere", "radius": _length(radius, "radius"), "at": _place(at)}


def mesh(path: str | os.PathLike[str], scale: float = 1.0) -> Solid:
    """Returns the surface in a file STL or OBJ; ``scale=1e-3`` is for files in millimetres.

    The file is read now and not needed afterwards. A file that is refused raises BuildError.
    """
    if not isinstance(path, str | os.PathLike):
        raise BuildError(f"a mesh of {shown(path)} is refused; give the path of a file .stl or .obj")
    points, faces = read_mesh(Path(path))
    points = points * _length(scale, "scale")
    if not (abs(points) <= _FARTHEST).all():
        raise BuildError(f"'{path}' is refused: it has points farther away than {_FARTHEST:g} m; give it a scale")
    return {"kind": "mesh", **pack_mesh(points, faces)}


def as_shown(name: str, shape: Any, colour: str | None) -> list[Shown]:
    """Returns the shapes that ``System.appearance`` was given, one entry for each of a list."""
    if colour is not None and (not isinstance(colour, str) or not _COLOUR.fullmatch(colour)):
        raise BuildError(f"the colour {shown(colour)} of '{name}' is refused: give '#rrggbb', such as '#d9772b'")
    solids = [] if shape is None else _solids(name, shape)
    return [Shown(name, json.dumps(each, separators=(",", ":")), (colour or "").lower()) for each in solids] or [Shown(name)]


def _solids(name: str, shape: Any) -> list[Solid]:
    if isinstance(shape, os.PathLike) or (isinstance(shape, str) and shape.lower().endswith((".stl", ".obj"))):
        return [mesh(shape)]
    if isinstance(shape, str):
        return [outline(shape)]
    if isinstance(shape, Mapping) and "kind" in shape:
        return [shape]
    if isinstance(shape, Sequence | np.ndarray) and len(shape):
        solids = all(isinstance(each, Mapping) for each in shape)
        return [solid for each in shape for solid in _solids(name, each)] if solids else [outline(list(shape))]
    raise BuildError(
        f"'{name}' cannot be shown as {shown(shape)}; give points, a path of SVG, a file .stl or .obj, a shape of jourdain.shapes, or None to hide it"
    )


def _numbers(value: Any, counts: tuple[int, ...], what: str) -> list[float]:
    found = list(value) if isinstance(value, Sequence | np.ndarray) and not isinstance(value, str) else []
    good = all(isinstance(x, int | float | np.number) and not isinstance(x, bool) and -_FARTHEST <= x <= _FARTHEST for x in found)
    if len(found) not in counts or not good:
        raise BuildError(
            f"{shown(value)} is no {what[2:]} of a shape; give {' or '.join(map(str, counts))} numbers of at most {_FARTHEST:g}, in m"
        )
    return [float(x) for x in found]


def _place(at: Any) -> list[float]:
    found = _numbers(at, (2, 3), "a place")
    return [*found, 0.0][:3]


def _length(value: Any, name: str) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float | np.number) or not 1 / _FARTHEST <= value <= _FARTHEST:
        raise BuildError(f"{name} = {shown(value)} of a shape is refused: give a number from {1 / _FARTHEST:g} to {_FARTHEST:g}, in m")
    return float(value)
