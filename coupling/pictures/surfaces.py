"""Surfaces of triangles in still pictures: rigid meshes, and elastic parts with their deformed nodes."""

from __future__ import annotations

import numpy as np

from coupling.pictures.colours import edge, face, hue, mixed
from coupling.pictures.meshes import is_closed, unpack_mesh, welded
from coupling.pictures.pose import Posed
from coupling.pictures.shapes import Shape
from coupling.pictures.view import View

_LIGHT = np.array([-0.35, -0.5, 0.85]) / np.linalg.norm([-0.35, -0.5, 0.85])
_FACES = 3000
"""Triangles of a mesh in a still picture."""


def draw_mesh(view: View, posed: Posed, shape: Shape) -> None:
    frame = shape["at"][0]
    turned, origin = posed.turned(frame), posed.point([frame, [0.0, 0.0, 0.0]])
    points, faces = welded(*unpack_mesh(shape), _FACES)
    _surface(view, origin + points @ turned.T, faces, shape)


def draw_elastic(view: View, posed: Posed, shape: Shape) -> None:
    points, colour, width = posed.nodes(shape), hue(shape["c"]), 2 * view.wide(shape["w"])
    if shape["faces"]:
        _surface(view, points, np.array(shape["faces"]), shape)
    for line in shape["lines"]:
        view.sheet.path([view.pixel(points[k]) for k in line], edge(colour), width + 2.4)
    for line in shape["lines"]:
        view.sheet.path([view.pixel(points[k]) for k in line], face(colour), width)


def _surface(view: View, points: np.ndarray, faces: np.ndarray, shape: Shape) -> None:
    """Draws triangles from the back to the front, lighter if they face the light."""
    if view.coarse:
        _silhouette(view, points, shape)
        return
    a, b, c = (points[faces[:, k]] for k in range(3))
    normals = np.cross(b - a, c - a)
    normals /= np.maximum(np.linalg.norm(normals, axis=1, keepdims=True), 1e-300)
    towards = normals @ view.axes[2]
    seen = towards > 0 if is_closed(faces) else np.ones(len(faces), bool)
    normals = np.where(towards[:, None] < 0, -normals, normals)
    bright = 0.55 + 0.45 * np.clip(normals @ _LIGHT, 0, 1)
    depth = (a + b + c) @ view.axes[2]
    colour = shape.get("paint") or hue(shape["c"])
    for k in np.argsort(depth, kind="stable"):
        if seen[k]:
            shade = mixed("#1b2733", float(bright[k]), face(colour, 0.25))
            view.sheet.path([view.pixel(p) for p in (a[k], b[k], c[k])], shade, 0.7, shade)


def _silhouette(view: View, points: np.ndarray, shape: Shape) -> None:
    """Draws the hull of the points that lie farthest out in some directions: always the same number of points."""
    seen, turns = np.array([view.pixel(p) for p in points]), np.linspace(0, 2 * np.pi, 24, endpoint=False)
    corners = seen[np.argmax(seen @ np.stack([np.cos(turns), np.sin(turns)]), axis=0)]
    colour = shape.get("paint") or hue(shape["c"])
    view.sheet.path([(float(x), float(y)) for x, y in corners], edge(colour), 1.2, face(colour, 0.25))
