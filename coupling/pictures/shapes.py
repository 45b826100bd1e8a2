"""Shapes of a scene: its words as shapes with sizes, on frames. They are plain data, which pictures and pages read alike.

A point is ``[frame, [x, y]]`` or ``[frame, [x, y, z]]``. Sizes are metres; those that no component gives follow from the size of the scene.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from coupling.pictures.elastic import packed, part_of
from coupling.pictures.frames import Geometry, Place
from coupling.pictures.meshes import Mesh, cylinder, extruded, pack_mesh, ring, turned
from coupling.pictures.meshes import box as block
from coupling.pictures.shown import ShownShapes, corners_of

Shape = dict[str, Any]
_IN_LINE = 1e-3
"""Share of the squared size: if the triangle of two points and the mass centre is smaller, they are in line."""


def bounds_of(geometry: Geometry) -> tuple[np.ndarray, np.ndarray]:
    """Returns the corners of a box that holds all places and mass centres at all times."""
    points = [geometry.over_time(place) for place in geometry.places.values()]
    points += [frame.at(frame.centre) for frame in geometry.frames if not frame.at_rest]
    points += corners_of(geometry)
    points += [part.room(geometry) for word in geometry.words if word["kind"] == "elastic" and (part := part_of(geometry, word))]
    for word in geometry.words:  # what is round reaches beyond its port
        if word["kind"] in ("wheel", "gear", "ball", "tyre") and word["ports"]:
            middle, reach = geometry.over_time(geometry.places[word["ports"][0]]), abs(geometry.value(word.get("radius", 0.0)))
            points += [middle - reach, middle + reach]
        if word["kind"] == "cam":
            place = geometry.places[word["ports"][0]]
            points += [geometry.over_time(replace(place, at=place.at + place.axes @ each)) for each in _profile(geometry, word)[::6]]
    every = np.concatenate(points)
    every = every[np.isfinite(every).all(axis=1)]
    if not len(every):
        return np.zeros(geometry.dimension), np.ones(geometry.dimension)
    return every.min(axis=0), every.max(axis=0)


class Shapes:
    """The shapes of a geometry, word by word."""

    def __init__(self, geometry: Geometry, colours: Mapping[int, int], size: float) -> None:
        self.geometry, self.colours, self.size = geometry, colours, size
        self.space = geometry.dimension == 3

        self.shown = ShownShapes(geometry, colours, size)

    def all(self) -> list[Shape]:
        drawn = [word for word in self.geometry.words if not self.shown.hides(word)]
        return [*self.shown.all(), *(shape for word in drawn for shape in self.of(word))]

    def of(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        """Yields the shapes of a word; none if this version does not know it."""
        make: Callable[[Mapping[str, Any]], Iterator[Shape]] | None = getattr(self, f"_{word['kind']}", None)
        if make is not None:
            yield from make(word)

    # -- helpers ---------------------------------------------------------------------------------------------------------------

    def _places(self, word: Mapping[str, Any]) -> list[Place]:
        return [self.geometry.places[port] for port in word["ports"]]

    def _at(self, place: Place) -> list[Any]:
        return [place.frame, place.at.tolist()]

    def _colour(self, frame: int) -> int:
        return self.colours.get(frame, -1)

    def _ends(self, word: Mapping[str, Any]) -> tuple[dict[str, Any], np.ndarray]:
        """Returns both ends of an element that stretches, and its length over time."""
        a, b = self._places(word)
        length = np.linalg.norm(self.geometry.over_time(b) - self.geometry.over_time(a), axis=1)
        return {"a": self._at(a), "b": self._at(b)}, length

    # -- bodies ----------------------------------------------------------------------------------------------------------------

    def _link(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        for frame in dict.fromkeys(place.frame for place in self._places(word)):
            if frame not in self.shown.frames:
                yield from self._body(frame, [p.at for p in self._places(word) if p.frame == frame], bool(word.get("origin")))

    def _body(self, number: int, points: list[np.ndarray], origin: bool) -> Iterator[Shape]:
        frame = self.geometry.frames[number]
        if origin:
            points = [np.zeros(self.geometry.dimension), *points]
        points = [each for i, each in enumerate(points) if not any(np.allclose(each, other) for other in points[:i])]
        size = max(float(np.linalg.norm(a - b)) for a in (*points, frame.centre) for b in (*points, frame.centre))
        width = float(np.clip(0.11 * size, 0.008 * self.size, 0.016 * self.size))
        colour = self._colour(number)
        if self.space:
            for point in points:
                if not np.allclose(point, frame.centre):
                    yield {
                        "kind": "capsule",
                        "a": [number, frame.centre.tolist()],
                        "b": [number, point.tolist()],
                        "r": 0.8 * width,
                        "c": colour,
                    }
            yield {"kind": "ball", "at": [number, frame.centre.tolist()], "r": 1.5 * width, "c": colour}
            return
        if len(points) != 2 or not _in_line(points[0] - frame.centre, points[1] - frame.centre, size):
            points = [*points, frame.centre]
        yield {"kind": "hull", "frame": number, "points": [each.tolist() for each in hull(points)], "w": width, "size": size, "c": colour}

    def _bent(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        """Yields the centre line of a beam, which follows from the frames of its ends, and its mean frame if it has one."""
        number, places = self.geometry.by_name.get(word["of"]), self._places(word)
        if number is None:
            return
        axes = [place.axes[:, 0] for place in places]
        if "clamped" in word:
            angle = self.geometry.value(word["clamped"])
            axes[0] = np.cos(angle) * axes[0] - np.sin(angle) * places[0].axes[:, 1]
        yield {
            "kind": "bent",
            **({} if "clamped" in word else {"frame": number}),
            **{end: self._at(place) for end, place in zip("ab", places, strict=True)},
            "along": [axis.tolist() for axis in axes],
            "length": self.geometry.value(word["length"]),
            "w": 0.008 * self.size,
            "c": self._colour(number),
        }

    def _elastic(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        """Yields the deformed surface of an elastic part, or lines through its nodes."""
        part = part_of(self.geometry, word)
        if part is None or (part.frame in self.shown.frames and not word["ports"]):
            return
        frames = enumerate(self.geometry.frames)
        own = next((i for i, frame in frames if frame.name == word["of"] or frame.name.startswith(f"{word['of']}.")), -1)
        yield {
            "kind": "elastic",
            "at": [part.frame, part.nodes.mean(axis=0).tolist()],
            "count": len(part.nodes),
            "points": packed(part),
            "faces": word["deformed"]["triangles"],
            "lines": word["deformed"]["lines"],
            "e": list(part.amplitudes),
            "w": 0.008 * self.size,
            "own": own,
            "c": self._colour(own),
        }

    def _centre(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        number = self.geometry.by_name.get(word["of"])
        if number is not None and not self.space:
            frame = self.geometry.frames[number]
            reach = [np.linalg.norm(p.at - frame.centre) for p in self.geometry.places.values() if p.frame == number]
            yield {
                "kind": "centre",
                "at": [number, frame.centre.tolist()],
                "r": 0.006 * self.size,
                "size": 2 * float(max(reach, default=0.0)),
            }

    def _inertia(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        number, m, inertia = self.geometry.by_name.get(word["of"]), self.geometry.value(word["m"]), self.geometry.value(word["I"])
        if number is not None and not self.space and m > 0 and inertia > 0:
            centre = self.geometry.frames[number].centre.tolist()
            yield {"kind": "inertia", "at": [number, centre], "r": float(np.sqrt(inertia / m)), "c": self._colour(number)}

    # -- joints ----------------------------------------------------------------------------------------------------------------

    def _pin(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        (place,) = self._places(word)
        shape: Shape = {"kind": "pin", "of": word["of"], "at": self._at(place), "r": 0.0075 * self.size}
        if self.space:
            shape |= {"axis": place.axes[:, 2].tolist(), "r": 0.011 * self.size}
        yield shape

    def _ball(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        places = self._places(word)
        if not places:
            return
        radius = abs(self.geometry.value(word.get("radius", 0.0)))
        yield {
            "kind": "ball" if radius or not self.space else "knuckle",
            "of": word["of"],
            "at": self._at(places[0]),
            "r": radius or 0.013 * self.size,
            "c": self._colour(places[0].frame),
        }

    def _square(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        (place,) = self._places(word)
        yield {"kind": "square", "of": word["of"], "at": self._at(place), "r": 0.007 * self.size, "axes": place.axes.T.tolist()}

    def _rail(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        a, b = self._places(word)
        if word.get("origin"):
            b = replace(b, at=np.zeros(self.geometry.dimension))
        yield from self._guided(a, b, word)
        yield {
            "kind": "slider",
            "of": word["of"],
            "at": self._at(b),
            "along": [a.frame, self._axis(a, word).tolist()],
            "r": 0.018 * self.size,
            "c": self._colour(b.frame),
        }

    def _guide(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        a, b = self._places(word)
        yield from self._guided(a, b, word)

    def _axis(self, place: Place, word: Mapping[str, Any]) -> np.ndarray:
        number = int(word["axis"])
        return place.axes[:, number if number < self.geometry.dimension else 0]

    def _guided(self, a: Place, b: Place, word: Mapping[str, Any]) -> Iterator[Shape]:
        """Yields a rail along the axis over the whole range of the moving point, with room for the slider."""
        axis = self._axis(a, word)
        frame = self.geometry.frames[a.frame]
        along = np.einsum("ij,ij->i", self.geometry.over_time(b) - self.geometry.over_time(a), frame.direction(axis))
        room = (0.012 if self.space else 0.03) * self.size
        low, high = min(0.0, float(np.nanmin(along))) - room, max(0.0, float(np.nanmax(along))) + room
        yield {
            "kind": "rail",
            "a": [a.frame, (a.at + low * axis).tolist()],
            "b": [a.frame, (a.at + high * axis).tolist()],
            "w": 0.006 * self.size,
        }

    def _fixed(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        (place,) = self._places(word)
        yield {"kind": "fixed", "at": self._at(place), "r": (0.02 if self.space else 0.0094) * self.size}

    # -- what acts between bodies ----------------------------------------------------------------------------------------------

    def _coil(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        ends, length = self._ends(word)
        yield {"kind": "coil", **ends, "w": min(0.015 * self.size, 0.25 * float(np.nanmax(length)))}

    def _dashpot(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        if self.geometry.values.get(f"{word['of']}.b", 1.0):
            ends, length = self._ends(word)
            yield {"kind": "dashpot", **ends, "w": 0.008 * self.size, "body": 0.8 * float(np.nanmin(length))}

    def _piston(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        ends, length = self._ends(word)
        yield {"kind": "piston", **ends, "w": 0.012 * self.size, "body": 0.86 * float(np.nanmin(length))}

    def _rod(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        ends, _ = self._ends(word)
        yield {"kind": "rod", **ends, "w": 0.005 * self.size}

    def _wheel(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        (place,) = self._places(word)
        radius = abs(self.geometry.value(word["radius"]))
        look = {"axes": place.axes.T.tolist(), "c": self._colour(place.frame)}
        if radius:
            yield {"kind": "wheel", "of": word["of"], "at": self._at(place), "r": radius, **look}

    def _gear(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        """Yields a gear. Its teeth are as large as those of the partner: both have the same pitch."""
        (place,) = self._places(word)
        radius = self.geometry.value(word["radius"])
        radii = [
            abs(self.geometry.value(each["radius"])) for each in self.geometry.words if each["kind"] == "gear" and each["of"] == word["of"]
        ]
        teeth = max(8, round(16 * abs(radius) / max(min(radii), 1e-300)))
        yield {"kind": "gear", "of": word["of"], "at": self._at(place), "r": abs(radius), "teeth": teeth, "c": self._colour(place.frame)}

    # -- areas -----------------------------------------------------------------------------------------------------------------

    def _area(self, place: Place, rings: Sequence[np.ndarray], depth: float, **look: Any) -> Shape:
        """Returns the area inside rings, in the axes of a place: in space a plate."""
        if not self.space:
            return {
                "kind": "outline",
                "frame": place.frame,
                "rings": [(place.at + r @ place.axes.T).tolist() for r in turned(rings)],
                **look,
            }
        return self._solid(place, extruded(rings, depth, np.zeros(3)), **look)

    def _solid(self, place: Place, mesh: Mesh, **look: Any) -> Shape:
        points = place.at + mesh[0] @ place.axes.T
        return {"kind": "mesh", "at": [place.frame, points.mean(axis=0).tolist()], **pack_mesh(points, mesh[1]), **look}

    def _level(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        """Yields a level that reaches as far as the other port comes, with some room."""
        a, b = self._places(word)
        frame, room = self.geometry.frames[a.frame], 0.06 * self.size
        between = self.geometry.over_time(b) - self.geometry.over_time(a)
        reach = []
        for k in (0, 1):
            along = np.einsum("ij,ij->i", between, frame.direction(a.axes[:, k]))
            reach.append((min(0.0, float(np.nanmin(along))) - room, max(0.0, float(np.nanmax(along))) + room))
        if self.space:
            low, high = np.array(reach).T
            thick = 0.004 * self.size
            yield self._solid(a, block((*(high - low), thick), np.array([*(low + high) / 2, -thick / 2])), c=-1)
            return
        ends = ((a.at + x * a.axes[:, 0]).tolist() for x in reach[0])
        yield {"kind": "level", "a": [a.frame, next(ends)], "b": [a.frame, next(ends)], "down": [a.frame, (-a.axes[:, 1]).tolist()]}

    def _tyre(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        (place,) = self._places(word)
        r = abs(self.geometry.value(word["radius"]))
        turns = np.linspace(0, np.pi / 2, 6)
        corner = 0.12 * r * np.stack([np.cos(turns), np.sin(turns)], axis=1) + [0.88 * r, 0.13 * r]
        half = np.concatenate([corner, corner[::-1] * [-1, 1]])
        yield self._area(place, [np.concatenate([half, -half])], 0.1 * r, c=-1, paint="#5b6876")

    def _cart(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        (place,) = self._places(word)
        angle = self.geometry.value(word["direction"]) - float(np.arctan2(place.axes[1, 0], place.axes[0, 0]))
        c, s, r = np.cos(angle), np.sin(angle), 0.03 * self.size
        box = np.array([[-1.0, -0.5], [1.0, -0.5], [1.0, 0.5], [-1.0, 0.5]])
        wheels = [0.25 * ring(1.0, 24) + [x, -0.75] for x in (-0.6, 0.6)]
        colour = self._colour(place.frame)
        for each in (*wheels, box):
            yield self._area(place, [r * each @ np.array([[c, s], [-s, c]])], r, c=colour)

    def _blade(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        (place,) = self._places(word)
        if self.space:
            yield {"kind": "wheel", "of": word["of"], "at": self._at(place), "r": 0.02 * self.size, "axes": place.axes.T.tolist(), "c": -1}
        else:
            edge = self.size * np.array([[-0.03, 0.0], [-0.02, -0.004], [0.02, -0.004], [0.03, 0.0], [0.02, 0.004], [-0.02, 0.004]])
            yield self._area(place, [edge], 0.0, c=-1, paint="#5b6876")

    def _cam(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        """Yields a cam by its profile, sampled."""
        (place,) = self._places(word)
        profile = _profile(self.geometry, word)
        yield self._area(place, [profile], 0.1 * float(np.linalg.norm(profile, axis=1).max()), c=self._colour(place.frame))

    def _bush(self, word: Mapping[str, Any]) -> Iterator[Shape]:
        """Yields a ring of rubber, and a core that moves in it."""
        a, b = self._places(word)
        r = 0.02 * self.size
        if self.space:
            yield self._solid(a, cylinder(r, 1.6 * r, 2, np.zeros(3)), c=-1, paint="#3c4854")
            yield {"kind": "pin", "of": word["of"], "at": self._at(b), "r": 0.5 * r, "axis": b.axes[:, 2].tolist()}
        else:
            yield self._area(a, [ring(r, 48)], r, c=-1, paint="#5b6876")
            yield {"kind": "pin", "of": word["of"], "at": self._at(b), "r": 0.0075 * self.size}


def _profile(geometry: Geometry, word: Mapping[str, Any]) -> np.ndarray:
    """Returns points of a cam's profile, in the axes of its port."""
    turns = np.linspace(0, 2 * np.pi, 120, endpoint=False)
    r = np.full(120, geometry.value(word["radius"]))
    for name, value in word.items():
        if name[:4] in ("cos[", "sin["):
            r += geometry.value(value) * (np.cos if name[0] == "c" else np.sin)(int(name[4:-1]) * turns)
    return r[:, None] * np.stack([np.cos(turns), np.sin(turns)], axis=1)


def _in_line(a: np.ndarray, b: np.ndarray, size: float) -> bool:
    return abs(float(a[0] * b[1] - a[1] * b[0])) <= _IN_LINE * size * size


def hull(points: list[np.ndarray]) -> list[np.ndarray]:
    """Returns the convex hull of points in the plane (Andrew's monotone chain)."""
    if len(points) < 3:
        return points
    ordered = sorted(points, key=lambda p: (float(p[0]), float(p[1])))

    def half(these: list[np.ndarray]) -> list[np.ndarray]:
        found: list[np.ndarray] = []
        for p in these:
            while len(found) > 1 and np.linalg.det([found[-1] - found[-2], p - found[-2]]) <= 0:
                found.pop()
            found.append(p)
        return found[:-1]

    return half(ordered) + half(ordered[::-1])
