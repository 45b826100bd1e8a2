"""The view of a scene in a still picture: from metres to pixels."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, field

import numpy as np

from coupling.pictures.shapes import Shape
from coupling.pictures.strokes import Point, Sheet

RED = "#c8102e"


@dataclass
class View:
    """View of a scene, from metres to pixels."""

    scale: float
    middle: np.ndarray
    """Middle of the picture, projected, in m."""
    centre: Point
    """The middle of the picture, in pixels."""
    axes: np.ndarray
    """Axes of the view by rows: right, up and towards the eye."""
    sheet: Sheet
    bad: Collection[str] = field(default=())
    """Instances that are shown in red."""
    coarse: bool = False
    """True if meshes are silhouettes, which gives all poses the same items."""

    def pixel(self, p: np.ndarray) -> Point:
        u, v = (self.axes @ p)[:2]
        return self.centre[0] + self.scale * (u - self.middle[0]), self.centre[1] - self.scale * (v - self.middle[1])

    def depth(self, p: np.ndarray) -> float:
        return float((self.axes @ p)[2]) if len(p) == 3 else 0.0

    def wide(self, metres: float, least: float = 1.2) -> float:
        return max(least, self.scale * metres)

    def red(self, shape: Shape, otherwise: str) -> str:
        return RED if shape.get("of") in self.bad else otherwise
