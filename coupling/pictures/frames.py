"""Poses of frames over time and points that are fixed on them, from a record and its scene."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np

from coupling.errors import ResultError
from coupling.pictures.rotations import about_z, axes_of, continuous, matrices, quaternions
from coupling.record import Record

VERSION = 1
"""Version of the scene in a record."""


@dataclass(frozen=True, eq=False)
class Frame:
    """Frame of a rigid body over time, or of a part that is drawn like one."""

    name: str
    model: str
    position: np.ndarray
    """Position by row, two or three coordinates in m."""
    rotation: np.ndarray
    """Rotation by row, an angle in rad or a quaternion."""
    at_rest: bool
    centre: np.ndarray
    """The mass centre in the frame."""
    end: bool = False
    """True for a port that moves in its body, such as the end of a beam."""

    def at(self, point: np.ndarray) -> np.ndarray:
        """Returns a point of the frame over time, in absolute coordinates."""
        if self.position.shape[1] == 2:
            c, s = np.cos(self.rotation[:, 0]), np.sin(self.rotation[:, 0])
            return self.position + np.stack([c * point[0] - s * point[1], s * point[0] + c * point[1]], axis=1)
        return self.position + matrices(self.rotation) @ point

    def direction(self, axis: np.ndarray) -> np.ndarray:
        """Returns a direction of the frame over time."""
        return self.at(axis) - self.position


@dataclass(frozen=True, eq=False)
class Place:
    """A point of a frame, and the axes of the port there."""

    frame: int
    at: np.ndarray
    axes: np.ndarray
    """Columns in the frame: two in the plane, three in space."""


@dataclass(frozen=True, eq=False)
class Geometry:
    """Frames and places of a record, all in the plane or all in space."""

    dimension: int
    frames: list[Frame]
    places: Mapping[str, Place]
    by_name: Mapping[str, int]
    """Numbers of frames."""
    words: list[dict[str, Any]]
    forces: list[dict[str, Any]]
    values: Mapping[str, float]
    """Parameters by full names."""
    shown: list[dict[str, Any]] = field(default_factory=list)
    """Shapes that users gave."""
    amplitudes: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Amplitudes of elastic parts over time, by full names."""
    magnify: float = 1.0
    """Factor by which deformations are magnified."""

    def value(self, of: Any) -> float:
        """Returns a number, or the value of a parameter."""
        return self.values.get(of, 0.0) if isinstance(of, str) else float(of)

    def over_time(self, place: Place) -> np.ndarray:
        return self.frames[place.frame].at(place.at)


def geometry_of(record: Record, magnify: float = 1.0) -> Geometry:
    """Returns the frames of a record. A record without frames, or with frames of another version, raises ResultError."""
    scene = record.scene
    if scene.get("version", VERSION) != VERSION:
        raise ResultError(
            f"the scene of '{record.system}' is of version {scene['version']}, and this Jourdain draws version {VERSION}; draw it by a later one"
        )
    if not scene.get("frames"):
        raise ResultError(
            f"there is nothing to draw of '{record.system}': no instance has a place in the plane or in space; use result.plot for its values"
        )
    if not len(record.rows):
        raise ResultError(f"there is nothing to draw of '{record.system}': the result has no row")
    with drawable(record):
        return replace(_read(record, scene), magnify=magnify)


@contextmanager
def drawable(record: Record) -> Iterator[None]:
    """Refuses the picture data of a file if they are not as this version knows them."""
    try:
        yield
    except ResultError:
        raise
    except (AttributeError, IndexError, KeyError, TypeError, ValueError) as error:
        raise ResultError(
            f"the scene of '{record.system}' is not as this Jourdain draws it ({type(error).__name__}: {error}); draw it by the Jourdain that wrote it, or "
            "use result.plot for its values"
        ) from error


def _read(record: Record, scene: Mapping[str, Any]) -> Geometry:
    columns = {column.name: record.rows[:, 1 + i] for i, column in enumerate(record.columns)} | dict(record.drawn)
    values = {name: float(each) for name, each in record.start_values.items() if isinstance(each, int | float)}
    values = {name: each.value for name, each in record.constants.items()} | values
    dimension = max(frame["dimension"] for frame in scene["frames"])
    reader = _Reader(columns, values, dimension, len(record.rows), scene["places"])
    frames = [reader.frame(frame) for frame in scene["frames"]]
    places = {name: reader.place(place) for name, place in scene["places"].items()}
    by_name = {frame.name: i for i, frame in enumerate(frames)}
    words = list(scene["words"])
    amplitudes = {name: columns[name] for word in words for name in word.get("amplitudes", ())}
    return Geometry(dimension, frames, places, by_name, words, list(scene["forces"]), values, list(scene.get("shown", ())), amplitudes)


@dataclass(frozen=True)
class _Reader:
    columns: Mapping[str, np.ndarray]
    values: Mapping[str, float]
    dimension: int
    rows: int
    places: Mapping[str, Mapping[str, Any]]

    def numbers(self, of: Any) -> np.ndarray:
        return np.array([self.values.get(each, 0.0) if isinstance(each, str) else float(each) for each in of])

    def frame(self, said: Mapping[str, Any]) -> Frame:
        pose = [self.columns[name] for name in said["pose"]]
        position, rotation = self._pose(pose)
        if "origin" in said:
            port = self.place(self.places[said["origin"]])
            position, rotation = _without(position, rotation, port)
        centre = self._lifted(self.numbers(said.get("centre") or [0.0] * self.dimension))
        return Frame(said["name"], said["model"], position, rotation, not pose, centre, bool(said.get("end")))

    def _pose(self, pose: list[np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        planar = self.dimension == 2
        if not pose:
            return np.zeros((self.rows, self.dimension)), np.zeros((self.rows, 1)) if planar else np.tile([1.0, 0, 0, 0], (self.rows, 1))
        if len(pose) == 3:
            x, y, theta = pose
            if planar:
                return np.stack([x, y], axis=1), theta[:, None]
            return np.stack([x, y, np.zeros(self.rows)], axis=1), about_z(theta)
        position = np.stack(pose[:3], axis=1)
        if len(pose) == 7:
            return position, continuous(np.stack(pose[3:], axis=1))
        return position, quaternions(np.stack(pose[3:], axis=1).reshape(-1, 3, 3))

    def place(self, said: Mapping[str, Any]) -> Place:
        at = self._lifted(self.numbers(said["at"]))
        if "z" in said:
            return Place(said["frame"], at, axes_of(self.numbers(said["z"]), self.numbers(said["x"])))
        angle = self.numbers([said.get("angle", 0.0)])[0]
        axes = np.eye(self.dimension)
        axes[:2, :2] = [[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]]
        return Place(said["frame"], at, axes)

    def _lifted(self, point: np.ndarray) -> np.ndarray:
        """Returns a point of the plane in space, if the others are in space."""
        return np.concatenate([point, np.zeros(self.dimension - len(point))])


def _without(position: np.ndarray, rotation: np.ndarray, port: Place) -> tuple[np.ndarray, np.ndarray]:
    """Returns the pose of a body from that of one of its ports."""
    if position.shape[1] == 2:
        angle = rotation - np.arctan2(port.axes[1, 0], port.axes[0, 0])
        body = Frame("", "", np.zeros_like(position), angle, False, port.at)
        return position - body.at(port.at), angle
    turned = matrices(rotation) @ port.axes.T
    return position - turned @ port.at, quaternions(turned)
