"""The data that a picture of a system needs in addition to its rows. They are frames that move, points on them, and the shapes drawn there:
plain data, kept with the record.

A frame is a rigid body, by the picture in its FMU, or else any port that gives motion. FMUs of other tools thus take part through their
ports.
"""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping
from itertools import pairwise
from typing import Any

from coupling.fmus import Fmu, Terminal
from coupling.fmus.ports import gives
from coupling.names import resolve
from coupling.plan.build import Built
from coupling.plan.graph import Part
from coupling.plan.shown import Shown

VERSION = 1
_POSES = {
    "org.jourdain.planar": ("x", "y", "theta"),
    "org.jourdain.spatial": ("x", "y", "z", *(f"R{row}{column}" for row in (1, 2, 3) for column in (1, 2, 3))),
}
"""Members of a port that give its pose."""


def scene_of(built: Built, opened: Collection[str] = ()) -> dict[str, Any]:
    """Returns frames, places on them by the names of ports, and words; ``opened`` are ports whose places are known in the outer system."""
    scene, fmus = _Scene(opened), {part.name: part.fmu for part in built.parts}
    for part in built.parts:
        scene.add_frames(part)
    for a, b in built.connections:
        for port, other in ((a, b), (b, a)):
            if other in scene.places and port not in scene.places and _is_port(fmus, port):
                scene.peers[port] = other
    for part in built.parts:
        scene.add_words(part)
        scene.add_forces(part)
    found = {"version": VERSION, "frames": scene.frames, "places": scene.places, "words": scene.words, "forces": scene.forces}
    shapes = [*scene.shapes, *(scene.shape(each) for each in built.shown)]
    return {**found, "shown": shapes} if shapes else found


def has_place(fmus: Mapping[str, Fmu], name: Any) -> bool:
    """Says whether a shape can be shown there: on an instance that moves or is at rest somewhere, or at a port of one."""
    if not isinstance(name, str):
        return False
    if name in fmus:
        return bool({"pose", "origin"} & set(fmus[name].picture or ())) or any(_motion(fmus[name]))
    instance, port = resolve(name, fmus)
    return instance in fmus and port in fmus[instance].terminals and fmus[instance].terminals[port].kind in _POSES


def drawn(built: Built, scene: Mapping[str, Any]) -> Iterator[tuple[int, str]]:
    """Yields the variables from which poses and deformed shapes follow, by the numbers of their instances."""
    number = {part.name: i for i, part in enumerate(built.parts)}
    for name in moving(scene):
        instance, variable = resolve(name, number)
        yield number[instance], variable


def moving(scene: Mapping[str, Any]) -> list[str]:
    """Returns the full names of the variables from which poses and deformed shapes follow."""
    poses = [name for frame in scene["frames"] for name in frame["pose"]]
    return [*poses, *(name for word in scene["words"] for name in word.get("amplitudes", ()))]


class _Scene:
    def __init__(self, opened: Collection[str]) -> None:
        self.opened = opened
        self.frames: list[dict[str, Any]] = []
        self.places: dict[str, dict[str, Any]] = {}
        self.peers: dict[str, str] = {}
        """Ports that are connected with a place, and are not one themselves."""
        self.shapes: list[dict[str, Any]] = []
        self.words: list[dict[str, Any]] = []
        self.forces: list[dict[str, Any]] = []

    def add_frames(self, part: Part) -> None:
        picture = part.fmu.picture or {}
        self.add_inside(part, picture.get("inside", {}))
        ports = dict(_motion(part.fmu))
        points = picture.get("points", {})
        if "pose" in picture or "origin" in picture:
            origin = picture.get("origin")
            pose = picture["pose"] if origin is None else _members(ports[origin])
            frame = self._frame(part, part.name, pose, len(next(iter(points.values()))["at"]) if points else 2 if len(pose) < 4 else 3)
            if origin is not None:
                frame["origin"] = f"{part.name}.{origin}"
            frame["centre"] = _full(part, picture.get("centre", []))
            for port, point in points.items():
                self.places[f"{part.name}.{port}"] = {
                    "frame": len(self.frames) - 1,
                    **{key: _full(part, value) for key, value in point.items()},
                }
        for port, terminal in ports.items():
            if port not in points and f"{part.name}.{port}" not in self.places:
                dimension = 2 if len(_POSES[terminal.kind]) == 3 else 3
                frame = self._frame(
                    part, part.name if len(ports) == 1 and "pose" not in picture else f"{part.name}.{port}", _members(terminal), dimension
                )
                if "pose" in picture:
                    frame["end"] = True
                self.places[f"{part.name}.{port}"] = {"frame": len(self.frames) - 1, "at": [0.0] * dimension}

    def add_inside(self, part: Part, inside: Mapping[str, Any]) -> None:
        """Adds the frames, places and shapes of an exported mechanism."""
        first = len(self.frames)
        for frame in inside.get("frames", ()):
            self.frames.append({**frame, **{key: _full(part, frame[key]) for key in ("name", "pose", "origin", "centre") if key in frame}})
        for name, place in inside.get("places", {}).items():
            values = {key: _full(part, value) for key, value in place.items() if key != "frame"}
            self.places[f"{part.name}.{name}"] = {"frame": first + place["frame"], **values}
        self.shapes += [
            {**each, "of": f"{part.name}.{each['of']}", **({"frame": first + each["frame"]} if "frame" in each else {})}
            | ({"place": f"{part.name}.{each['place']}"} if "place" in each else {})
            for each in inside.get("shown", ())
        ]

    def add_words_inside(self, part: Part, inside: Mapping[str, Any]) -> None:
        for word in inside.get("words", ()):
            ports = [self.place(f"{part.name}.{port}") for port in word["ports"]]
            if None not in ports:
                self.words.append({key: value if key == "kind" else _full(part, value) for key, value in word.items()} | {"ports": ports})
        for each in inside.get("forces", ()):
            place = self.place(f"{part.name}.{each['place']}")
            if place is not None:
                self.forces.append({**each, "of": f"{part.name}.{each['of']}", "place": place, "force": _full(part, each["force"])})

    def _frame(self, part: Part, name: str, pose: list[str], dimension: int) -> dict[str, Any]:
        frame = {"name": name, "model": part.fmu.model_name, "dimension": dimension, "pose": _full(part, pose)}
        self.frames.append(frame)
        return frame

    def add_words(self, part: Part) -> None:
        picture = part.fmu.picture
        self.add_words_inside(part, (picture or {}).get("inside", {}))
        own = [f"{part.name}.{port}" for port, _ in _motion(part.fmu)]
        for word in picture["words"] if picture is not None else _by_ports(part.fmu, bool(own)):
            ports = [self.place(f"{part.name}.{port}") for port in word["ports"]]
            if word["kind"] == "link":
                ports += own
            if None in ports:  # an open port is nowhere
                continue
            values = {key: _full(part, value) for key, value in word.items() if key not in ("kind", "ports")}
            self.words.append({"kind": word["kind"], "of": part.name, "ports": ports, **values})

    def add_forces(self, part: Part) -> None:
        """Adds the forces on bodies at ports that take motion."""
        for name, terminal in part.fmu.terminals.items():
            force = [member for member in ("Fx", "Fy", "Fz") if member in terminal.members]
            place = self.peers.get(f"{part.name}.{name}")
            if terminal.kind in _POSES and place and force and all(member in gives(part.fmu, terminal) for member in force):
                self.forces.append(
                    {"of": part.name, "port": name, "place": place, "force": _full(part, [terminal.members[m] for m in force])}
                )

    def shape(self, each: Shown) -> dict[str, Any]:
        """Returns a shape on a frame, or at a place; its own frame stands for an instance that has several."""
        frames = [i for i, frame in enumerate(self.frames) if frame["name"] == each.name or frame["name"].startswith(f"{each.name}.")]
        place = self.place(each.name)
        on = {"place": place} if place is not None else {"frame": frames[0]} if frames else {}
        return {"of": each.name, **on, "colour": each.colour, "solid": json.loads(each.shape) if each.shape else None}

    def place(self, port: str) -> str | None:
        return port if port in self.places or port in self.opened else self.peers.get(port)


def _by_ports(fmu: Fmu, moves: bool) -> list[dict[str, Any]]:
    """Returns the words of an FMU without a picture: a body through its points, or bars between those that it acts on."""
    if moves:
        return [{"kind": "link", "ports": []}]
    ends = [name for name, terminal in fmu.terminals.items() if terminal.kind in _POSES]
    return [{"kind": "rod", "ports": list(pair)} for pair in pairwise(ends)]


def _is_port(fmus: Mapping[str, Fmu], text: str) -> bool:
    instance, name = resolve(text, fmus)
    return instance in fmus and name in fmus[instance].terminals


def _motion(fmu: Fmu) -> Iterator[tuple[str, Terminal]]:
    """Yields the ports that give their pose."""
    for name, terminal in fmu.terminals.items():
        members = _POSES.get(terminal.kind, ())
        given = gives(fmu, terminal) if members else {}
        if members and all(member in given for member in members):
            yield name, terminal


def _members(terminal: Terminal) -> list[str]:
    return [terminal.members[member] for member in _POSES[terminal.kind]]


def _full(part: Part, value: Any) -> Any:
    """Returns a value with the full names of variables."""
    if isinstance(value, str):
        return f"{part.name}.{value}"
    return [_full(part, each) for each in value] if isinstance(value, list) else value
