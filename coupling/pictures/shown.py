"""Shapes that users gave to bodies, on their frames: areas and flattened meshes in the plane, meshes in space."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import product
from typing import Any

import numpy as np

from coupling.pictures.frames import Geometry, Place
from coupling.pictures.meshes import Mesh, box, cylinder, extruded, pack_mesh, ring, silhouette, sphere, turned, unpack_mesh, welded

_PLATE = 0.02
"""Depth of areas in space without a given one, as a share of their size."""
_FLAT, _GRID = 20_000, 1500
"""Triangles of a mesh that is seen from above, and the steps of its grid along the longest side."""


class ShownShapes:
    """Shapes that users gave to a geometry, and the words that they replace."""

    def __init__(self, geometry: Geometry, colours: Mapping[int, int], size: float) -> None:
        self.geometry, self.colours, self.size = geometry, colours, size
        self.shown = [(each, place) for each in geometry.shown if (place := _place(geometry, each)) is not None]
        self.frames = {place.frame for _, place in self.shown}
        """Frames whose bodies have their own look."""
        self.hidden = {place.frame for each, place in self.shown if each["solid"] is None}

    def hides(self, word: Mapping[str, Any]) -> bool:
        """Says whether a word belongs to a body that is hidden, or to the joint of a hidden block."""
        if word["kind"] == "fixed":
            return self.geometry.places[word["ports"][0]].frame in self.hidden
        return word["kind"] in ("centre", "inertia", "pin") and self.geometry.by_name.get(word["of"]) in self.hidden

    def all(self) -> list[dict[str, Any]]:
        return [self._shape(each, place) for each, place in self.shown if each["solid"] is not None]

    def _shape(self, each: Mapping[str, Any], place: Place) -> dict[str, Any]:
        said, frame = each["solid"], place.frame
        look = {"c": self.colours.get(frame, -1), **({"paint": each["colour"]} if each["colour"] else {})}
        if self.geometry.dimension == 3:
            points, faces = _solid(said)
            points = place.at + points @ place.axes.T
            middle = (points.min(axis=0) + points.max(axis=0)) / 2
            return {"kind": "mesh", "at": [frame, middle.tolist()], **pack_mesh(points, faces), **look}
        rings = [(place.at + each @ place.axes.T).round(9).tolist() for each in _rings(said) or _from_above(*_solid(said))]
        return {"kind": "outline", "frame": frame, "rings": rings, **look}


def corners_of(geometry: Geometry) -> list[np.ndarray]:
    """Returns the corners of a box around each shape over time."""
    found = []
    for each in geometry.shown:
        place = _place(geometry, each)
        if each["solid"] is None or place is None:
            continue
        rings = _rings(each["solid"]) if geometry.dimension == 2 else None
        points = np.concatenate(rings) if rings else _solid(each["solid"])[0][:, : geometry.dimension]
        sides = np.stack([points.min(axis=0), points.max(axis=0)])
        for corner in product((0, 1), repeat=geometry.dimension):
            local = place.at + place.axes @ sides[list(corner), range(geometry.dimension)]
            found.append(geometry.frames[place.frame].at(local))
    return found


def _place(geometry: Geometry, each: Mapping[str, Any]) -> Place | None:
    if "place" in each:
        return geometry.places[each["place"]]
    if "frame" in each:
        return Place(each["frame"], np.zeros(geometry.dimension), np.eye(geometry.dimension))
    return None


def _rings(said: Mapping[str, Any]) -> list[np.ndarray]:
    """Returns the shape from above, if it is an area with a simple edge; empty for a mesh."""
    if said["kind"] == "outline":
        return turned([np.array(each) for each in said["rings"]])
    if said["kind"] == "mesh":
        return []
    at = np.array(said["at"][:2])
    if said["kind"] == "sphere" or (said["kind"] == "cylinder" and said["axis"] == "z"):
        return [at + ring(said["radius"], 64)]
    if said["kind"] == "cylinder":
        sides = (said["length"], 2 * said["radius"]) if said["axis"] == "x" else (2 * said["radius"], said["length"])
    else:
        sides = said["size"][:2]
    return [at + np.array([[-1, -1], [1, -1], [1, 1], [-1, 1]]) * np.array(sides) / 2]


def _from_above(points: np.ndarray, faces: np.ndarray) -> list[np.ndarray]:
    """Returns rings around the triangles that face the eye; in a closed surface they cover the others."""
    flat, corners = welded(points[:, :2], faces, _FLAT, _GRID)
    a, b, c = (flat[corners[:, k]] for k in range(3))
    across = (b - a)[:, 0] * (c - a)[:, 1] - (b - a)[:, 1] * (c - a)[:, 0]
    return silhouette(flat, corners[across > 0]) if (across > 0).any() else silhouette(flat, corners[across < 0][:, ::-1])


def _solid(said: Mapping[str, Any]) -> Mesh:
    """Returns the shape as triangles."""
    if said["kind"] == "mesh":
        return unpack_mesh(said)
    if said["kind"] == "outline":
        rings = [np.array(each) for each in said["rings"]]
        return extruded(rings, said.get("depth") or _PLATE * float(np.ptp(np.concatenate(rings), axis=0).max()), np.zeros(3))
    at = np.array(said["at"])
    if said["kind"] == "sphere":
        return sphere(said["radius"], at)
    if said["kind"] == "cylinder":
        return cylinder(said["radius"], said["length"], "xyz".index(said["axis"]), at)
    return box(said["size"], at)
