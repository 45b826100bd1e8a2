"""A scene at one time: poses between rows, and the points of shapes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coupling.pictures.elastic import unpacked
from coupling.pictures.rotations import matrices
from coupling.pictures.scene import Scene


@dataclass(frozen=True, eq=False)
class Posed:
    """Frames of a scene at a time; linear between rows, quaternions too, whose length does not count."""

    scene: Scene
    time: float

    def _between(self) -> tuple[int, int, float]:
        times = self.scene.time
        low = min(max(int(np.searchsorted(times, self.time, "right")) - 1, 0), len(times) - 1)
        high = min(low + 1, len(times) - 1)
        step = times[high] - times[low]
        return low, high, float((self.time - times[low]) / step) if step > 0 else 0.0

    def value(self, values: np.ndarray) -> Any:
        """Returns the value of an array over time at this time."""
        low, high, part = self._between()
        return values[low] + part * (values[high] - values[low])

    def turned(self, frame: int) -> np.ndarray:
        """Returns the rotation matrix of a frame."""
        rotation = self.value(self.scene.geometry.frames[frame].rotation)
        if len(rotation) == 1:
            c, s = np.cos(rotation[0]), np.sin(rotation[0])
            return np.array([[c, -s], [s, c]])
        return matrices(rotation[None])[0]

    def point(self, at: Any) -> np.ndarray:
        """Returns a point of a shape, in absolute coordinates."""
        frame, local = at
        return self.value(self.scene.geometry.frames[frame].position) + self.turned(frame) @ np.asarray(local, float)

    def direction(self, of: Any) -> np.ndarray:
        frame, local = of
        return self.turned(frame) @ np.asarray(local, float)

    def nodes(self, shape: Mapping[str, Any]) -> np.ndarray:
        """Returns the nodes of an elastic part in absolute coordinates, with its deformation magnified."""
        start, *moves = unpacked(shape)
        amplitudes = np.array([float(self.value(self.scene.signals[k].values)) for k in shape["e"]])
        local = start + self.scene.geometry.magnify * np.tensordot(amplitudes, moves, 1)
        frame = shape["at"][0]
        return np.asarray(self.point([frame, np.zeros(3)]) + local @ self.turned(frame).T)
