"""Surfaces of triangles: points and the numbers of their corners, packed as text, extruded and revolved."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

_STEPS = 65535
"""Steps of coordinates along the longest side of the box around a mesh."""
MOST = 20_000
"""Greatest number of triangles that are kept; points of a finer mesh are merged until it is reached."""
_ROUND = 40
"""Number of sides of round shapes."""

Mesh = tuple[np.ndarray, np.ndarray]
"""Points (n x 3) and triangles (m x 3), anticlockwise as they are seen from outside."""


def pack_mesh(points: np.ndarray, faces: np.ndarray, most: int = MOST) -> dict[str, Any]:
    """Returns a mesh as plain data, with points on a grid, each once."""
    kept, corners, low, step = _on_grid(points, faces, most, _STEPS)
    return {"low": [float(x) for x in low], "step": step, "points": _text(kept.T.astype("<u2")), "faces": _text(corners.astype("<u4"))}


def welded(points: np.ndarray, faces: np.ndarray, most: int, steps: int = _STEPS) -> Mesh:
    """Returns the same surface on a grid of so many steps, with each point once and no more triangles than ``most``."""
    kept, corners, low, step = _on_grid(points, faces, most, steps)
    return low + step * kept, corners


def _on_grid(points: np.ndarray, faces: np.ndarray, most: int, steps: int) -> tuple[np.ndarray, np.ndarray, np.ndarray, float]:
    low, size = points.min(axis=0), float(np.ptp(points, axis=0).max()) or 1.0
    while True:
        grid = np.round((points - low) * (steps / size)).astype(np.int64)
        key = grid @ (_STEPS + 1) ** np.arange(grid.shape[1])
        _, first, number = np.unique(key, return_index=True, return_inverse=True)
        kept = grid[first]
        corners = number.reshape(-1)[faces]
        flat = (corners[:, 0] == corners[:, 1]) | (corners[:, 1] == corners[:, 2]) | (corners[:, 2] == corners[:, 0])
        corners = corners[~flat]
        if len(corners) <= most:
            return kept, corners, low, size / steps
        steps = int(steps * 0.85) if steps < 512 else steps // 2


def unpack_mesh(said: Mapping[str, Any]) -> Mesh:
    points = _numbers(said["points"], "<u2").reshape(len(said["low"]), -1).T
    return np.array(said["low"]) + said["step"] * points, _numbers(said["faces"], "<u4").reshape(-1, 3).astype(int)


def _text(numbers: np.ndarray) -> str:
    return base64.b64encode(zlib.compress(numbers.tobytes(), 9)).decode()


def _numbers(text: str, kind: str) -> np.ndarray:
    return np.frombuffer(zlib.decompress(base64.b64decode(text)), kind)


def box(size: Sequence[float], at: np.ndarray) -> Mesh:
    """Returns a box with edges along the axes, about a point."""
    a, b = np.array(size[:2]) / 2
    return extruded([np.array([[-a, -b], [a, -b], [a, b], [-a, b]])], size[2], at)


def cylinder(radius: float, length: float, axis: int, at: np.ndarray) -> Mesh:
    """Returns a cylinder about an axis, with its middle at a point."""
    points, faces = extruded([ring(radius)], length, np.zeros(3))
    return np.roll(points, axis - 2, axis=1) + at, faces


def ring(radius: float, sides: int = _ROUND) -> np.ndarray:
    """Returns the points of a circle."""
    turns = np.arange(sides) * (2 * np.pi / sides)
    return radius * np.stack([np.cos(turns), np.sin(turns)], axis=1)


def sphere(radius: float, at: np.ndarray) -> Mesh:
    levels, sides = 14, 24
    slopes = np.pi * (np.arange(levels + 1) / levels - 0.5)
    turns = np.arange(sides) * (2 * np.pi / sides)
    points = radius * np.array([[np.cos(v) * np.cos(u), np.cos(v) * np.sin(u), np.sin(v)] for v in slopes for u in turns]) + at
    faces = []
    for i in range(levels):
        for j in range(sides):
            a, b = i * sides + j, i * sides + (j + 1) % sides
            faces += [(a, b, b + sides), (a, b + sides, a + sides)]
    return points, np.array(faces)


def extruded(rings: Sequence[np.ndarray], depth: float, at: np.ndarray) -> Mesh:
    """Returns an area of the plane, which is inside an odd number of rings, as a plate about the plane z = 0."""
    points: list[np.ndarray] = []
    faces: list[tuple[int, int, int]] = []

    def quadrangle(*corners: np.ndarray) -> None:
        first = len(points)
        points.extend(corners)
        faces.extend([(first, first + 1, first + 2), (first, first + 2, first + 3)])

    up = np.array([0.0, 0.0, depth / 2])
    for each in turned(rings):
        lifted = np.column_stack([each, np.zeros(len(each))])
        for a, b in pairwise([*lifted, lifted[0]]):
            quadrangle(a - up, b - up, b + up, a + up)
    for a, b, c, d in _bands(rings):
        quadrangle(*(np.array([*p, 0.0]) + up for p in (a, b, c, d)))
        quadrangle(*(np.array([*p, 0.0]) - up for p in (d, c, b, a)))
    return np.array(points) + at, np.array(faces)


def turned(rings: Sequence[np.ndarray]) -> list[np.ndarray]:
    """Returns the same rings, with the area on their left. The sum of their turns says whether a point is inside."""
    return [each[::turn] for each, turn in zip(rings, _turns(rings), strict=True)]


def silhouette(points: np.ndarray, faces: np.ndarray) -> list[np.ndarray]:
    """Returns the rings around triangles of the plane, all anticlockwise: the edges that do not cancel with those of neighbours."""
    edges = np.concatenate([faces[:, [i, (i + 1) % 3]] for i in range(3)])
    key = edges[:, 0] * len(points) + edges[:, 1]
    alone = edges[~np.isin(edges[:, 1] * len(points) + edges[:, 0], key)]
    leaving: dict[int, list[int]] = {}
    for a, b in alone.tolist():
        leaving.setdefault(a, []).append(b)
    rings = []
    for first in list(leaving):
        while leaving.get(first):
            ring, here = [first], leaving[first].pop()
            while here != first and leaving.get(here):
                ring.append(here)
                here = leaving[here].pop()
            if len(ring) > 2:
                rings.append(points[ring])
    return rings


def is_closed(faces: np.ndarray) -> bool:
    """Says whether each edge has a triangle on either side."""
    edges = {(int(f[i]), int(f[i - 2])) for f in faces for i in range(3)}
    return all((b, a) in edges for a, b in edges)


def _turns(rings: Sequence[np.ndarray]) -> list[int]:
    """Returns 1 for a ring that has the area on its left, or else -1. The sense of a hole is that of the ring around it, turned round."""
    found = []
    for i, each in enumerate(rings):
        x, y = each.T
        sense = 1 if float((x * np.roll(y, -1) - y * np.roll(x, -1)).sum()) > 0 else -1
        around = sum(_inside(each[0], other) for j, other in enumerate(rings) if j != i)
        found.append(sense * (-1 if around % 2 else 1))
    return found


def _inside(point: np.ndarray, ring: np.ndarray) -> bool:
    x, y = point
    a, b = ring, np.roll(ring, -1, axis=0)
    crossing = (a[:, 1] > y) != (b[:, 1] > y)
    with np.errstate(divide="ignore", invalid="ignore"):
        return bool((crossing & (x < a[:, 0] + (y - a[:, 1]) * (b[:, 0] - a[:, 0]) / (b[:, 1] - a[:, 1]))).sum() % 2)


def _bands(rings: Sequence[np.ndarray]) -> list[tuple[tuple[float, float], ...]]:
    """Returns an area as trapezia between the heights of its corners, anticlockwise."""
    a = np.concatenate(rings)
    b = np.concatenate([np.roll(each, -1, axis=0) for each in rings])
    found: list[tuple[tuple[float, float], ...]] = []
    for low, high in pairwise(np.unique(a[:, 1])):
        middle = (low + high) / 2
        across = (np.minimum(a[:, 1], b[:, 1]) < middle) & (np.maximum(a[:, 1], b[:, 1]) > middle)
        p, q = a[across], b[across]
        slope = (q[:, 0] - p[:, 0]) / (q[:, 1] - p[:, 1])
        order = np.argsort(p[:, 0] + slope * (middle - p[:, 1]))
        below, above = ((p[:, 0] + slope * (y - p[:, 1]))[order] for y in (low, high))
        for k in range(0, len(order) - 1, 2):
            found.append(((below[k], low), (below[k + 1], low), (above[k + 1], high), (above[k], high)))
    return found
