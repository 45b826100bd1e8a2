"""Elastic parts: nodes that move by shapes times their amplitudes, with triangles or lines between them."""

from __future__ import annotations

import base64
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any

import numpy as np

from coupling.pictures.frames import Geometry
from coupling.pictures.rotations import matrices

_OUTWARDS = np.array([each for each in product((-1, 0, 1), repeat=3) if any(each)])
"""Directions whose farthest nodes stand for a part where its room is measured."""


@dataclass(frozen=True, eq=False)
class Part:
    """Nodes and displacements per amplitude in a frame: that of the body, or of the body to which its root is clamped."""

    frame: int
    nodes: np.ndarray
    shapes: np.ndarray
    """Displacements by shape, node and axis."""
    amplitudes: Sequence[str]

    def room(self, geometry: Geometry) -> np.ndarray:
        """Returns the places over time of the nodes that lie farthest out."""
        outer = np.unique(np.argmax(self.nodes @ _OUTWARDS.T, axis=0))
        over_time = np.array([geometry.amplitudes[name] for name in self.amplitudes])
        moved = self.nodes[outer] + geometry.magnify * np.einsum("kt,kna->tna", over_time, self.shapes[:, outer])
        frame = geometry.frames[self.frame]
        return (frame.position[:, None] + np.einsum("tab,tnb->tna", matrices(frame.rotation), moved)).reshape(-1, 3)


def part_of(geometry: Geometry, word: Mapping[str, Any]) -> Part | None:
    """Returns the part that a word describes; None for one in a mechanism of the plane, or for a root that is nowhere."""
    given = word["deformed"]
    nodes = geometry.value(word.get("scale", 1.0)) * np.array(given["nodes"], float)
    shapes = np.array(given["shapes"], float).reshape(len(word["amplitudes"]), *nodes.shape)
    np.take(nodes, np.array([each for row in (*given["triangles"], *given["lines"]) for each in row], int), axis=0)  # all corners exist
    if word["ports"]:
        place = geometry.places[word["ports"][0]]
        frame: int | None = place.frame
        nodes, shapes = place.at + nodes @ place.axes.T, shapes @ place.axes.T
    else:
        frame = geometry.by_name.get(word["of"])
    return None if frame is None or geometry.dimension == 2 else Part(frame, nodes, shapes, word["amplitudes"])


def packed(part: Part) -> str:
    """Returns the nodes, and displacements by shape after them, as text."""
    numbers = np.concatenate([part.nodes[None], part.shapes]).astype("<f4")
    return base64.b64encode(zlib.compress(numbers.tobytes(), 9)).decode()


def unpacked(shape: Mapping[str, Any]) -> np.ndarray:
    """Returns the nodes of a shape, and the displacements by shape after them."""
    numbers = np.frombuffer(zlib.decompress(base64.b64decode(shape["points"])), "<f4")
    return numbers.astype(float).reshape(-1, shape["count"], 3)
