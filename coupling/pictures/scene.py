"""A record as a scene: frames, shapes on them, arrows, traces and plots, with the columns of numbers from which they move."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from coupling.checks import checked_names, is_number
from coupling.errors import shown
from coupling.names import matches, nearest
from coupling.pictures.frames import Geometry, drawable, geometry_of
from coupling.pictures.plot import by_unit, events_of
from coupling.pictures.shapes import Shape, Shapes, bounds_of
from coupling.record import Record

_MANY = 300_000
"""Number of force values beyond which a page holds only the forces that a user names."""
_FEW = 4
"""Number of variables that are plotted where nothing can be drawn."""
ELASTIC = ("bent", "elastic")
"""Kinds of shapes whose deformation is magnified."""
_POSE = {2: ("x", "y", "theta"), 3: ("x", "y", "z", "q0", "q1", "q2", "q3")}


@dataclass(frozen=True, eq=False)
class Signal:
    """A column of numbers over time."""

    name: str
    unit: str
    values: np.ndarray
    offered: bool
    """True if it can be chosen for a plot."""
    colour: int | None = None


@dataclass(frozen=True, eq=False)
class Scene:
    """Everything that is drawn of a record."""

    name: str
    told: str
    """Line of text on the outcome of the run."""
    geometry: Geometry
    colours: dict[int, int]
    """Colours of bodies, by frame."""
    size: float
    """The diagonal of the box around all places, in m."""
    low: np.ndarray
    high: np.ndarray
    time: np.ndarray
    events: np.ndarray
    shapes: list[Shape]
    signals: list[Signal]
    poses: list[list[int] | None]
    """Numbers of the signals of each frame."""
    arrows: list[dict[str, Any]]
    traces: list[dict[str, Any]]
    plots: list[list[int]]

    @property
    def dimension(self) -> int:
        return self.geometry.dimension


def scene_of(
    record: Record,
    told: str = "",
    signals: Sequence[str | Sequence[str]] | None = None,
    forces: Sequence[str] | None = None,
    traces: Sequence[str] | None = None,
    magnify: float = 1.0,
) -> Scene:
    """Returns the scene of a record.

    ``signals`` are names of plots, or tuples of names; ``forces`` are instances or patterns whose forces are arrows; ``traces`` are bodies
    or ports. ``magnify`` is the factor of deformations.
    """
    geometry = geometry_of(record, _factor(record, magnify))
    bodies = [i for i, frame in enumerate(geometry.frames) if not frame.at_rest and not frame.end]
    colours = {frame: number for number, frame in enumerate(bodies)}
    ends = [i for i, frame in enumerate(geometry.frames) if frame.end]
    colours |= {i: colours[geometry.by_name[geometry.frames[i].name.rpartition(".")[0]]] for i in ends}
    with drawable(record):
        low, high = bounds_of(geometry)
        size = float(np.linalg.norm(high - low)) or 1.0
        if not np.isfinite(size):
            raise ValueError("its places are not finite")
        shapes = Shapes(geometry, colours, size).all()
    table = _Table(record, geometry, colours)
    arrows = table.arrows(forces)
    plots = table.plots(signals)
    shapes = [{**each, "e": [table.of(name) for name in each["e"]]} if "e" in each else each for each in shapes]
    return Scene(
        name=record.system,
        told=told,
        geometry=geometry,
        colours=colours,
        size=size,
        low=low,
        high=high,
        time=record.rows[:, 0],
        events=events_of(record.rows[:, 0]),
        shapes=shapes,
        signals=table.signals,
        poses=table.poses,
        arrows=arrows,
        traces=_traces(geometry, colours, traces),
        plots=plots,
    )


def _factor(record: Record, magnify: float) -> float:
    """Returns the factor of deformations. One that is refused, or is of no use, raises ValueError."""
    if not is_number(magnify) or not 0 <= magnify < np.inf:
        raise ValueError(f"magnify = {shown(magnify)} is refused: give a factor of at least 0, such as 50")
    if magnify != 1 and not any(word["kind"] in ELASTIC for word in record.scene.get("words", ())):
        raise ValueError(f"magnify = {magnify:g} is refused: nothing in '{record.system}' is drawn deformed; leave it out")
    return float(magnify)


def plain_scene(record: Record, told: str = "", signals: Sequence[str | Sequence[str]] | None = None) -> Scene:
    """Returns the scene of a record with plots and without a picture: by default of its first variables."""
    geometry = Geometry(2, [], {}, {}, [], [], {})
    table = _Table(record, geometry, {})
    plots = table.plots([each.name for each in record.columns[:_FEW]] if signals is None else signals)
    corner = np.zeros(2)
    time = record.rows[:, 0]
    return Scene(record.system, told, geometry, {}, 1.0, corner, corner + 1, time, events_of(time), [], table.signals, [], [], [], plots)


def columns_of(scene: Scene, record: Record) -> list[np.ndarray]:
    """Returns the columns of a scene in other rows of the same run, in the order of its signals."""
    table = _Table(record, geometry_of(record) if scene.geometry.frames else scene.geometry, scene.colours)
    for signal in scene.signals:
        table.of(signal.name)
    return [signal.values for signal in table.signals]


def reach_of(scene: Scene) -> list[list[Any]]:
    """Returns points of moving frames, by the numbers of these: a box around them holds the motion."""
    geometry = scene.geometry
    points = [(place.frame, place.at) for place in geometry.places.values()]
    points += [(number, frame.centre) for number, frame in enumerate(geometry.frames)]
    return [[frame, at.tolist()] for frame, at in points if not geometry.frames[frame].at_rest]


class _Table:
    """Signals by name, each once."""

    def __init__(self, record: Record, geometry: Geometry, colours: dict[int, int]) -> None:
        self.record, self.geometry, self.colours = record, geometry, colours
        self.column = {column.name: i for i, column in enumerate(record.columns)}
        self.signals: list[Signal] = []
        self.number: dict[str, int] = {}
        self.poses: list[list[int] | None] = [self._pose(i) for i in range(len(geometry.frames))]

    def _pose(self, number: int) -> list[int] | None:
        frame = self.geometry.frames[number]
        if frame.at_rest:
            return None
        units = ("m",) * self.geometry.dimension + (("rad",) if self.geometry.dimension == 2 else ("",) * 4)
        values = np.concatenate([frame.position, frame.rotation], axis=1).T
        names = _POSE[self.geometry.dimension]
        return [
            self._add(Signal(f"{frame.name}.{name}", unit, column, unit != "", self.colours[number]))
            for name, unit, column in zip(names, units, values, strict=True)
        ]

    def _add(self, signal: Signal) -> int:
        """Adds a signal and returns its number. A pose that shares its name with a recorded variable of other values gets another
        number."""
        self.number.setdefault(signal.name, len(self.signals))
        self.signals.append(signal)
        return len(self.signals) - 1

    def of(self, name: str) -> int:
        """Returns the number of a recorded variable, or of an amplitude that was recorded for pictures alone."""
        if name not in self.number:
            owner = max((i for i, f in enumerate(self.geometry.frames) if name.startswith(f"{f.name}.")), default=-1)
            column = self.column.get(name)
            if column is None:
                self._add(Signal(name, "", self.geometry.amplitudes[name], False))
            else:
                values = self.record.rows[:, 1 + column]
                self._add(Signal(name, self.record.columns[column].unit, values, True, self.colours.get(owner)))
        return self.number[name]

    def arrows(self, forces: Sequence[str] | None) -> list[dict[str, Any]]:
        """Returns the arrows of forces at their places; for joints only those at N, since those at M are opposite."""
        found = [each for each in self.geometry.forces if all(name in self.column for name in each["force"])]
        kinds = {word["of"]: word["kind"] for word in self.geometry.words}
        found = [each for each in found if each["port"] != "M" or kinds.get(each["of"]) in (None, "coil", "dashpot", "piston")]
        if forces is None:
            few = len(found) * self.geometry.dimension * len(self.record.rows) <= _MANY
            chosen = found if few else []
        else:
            patterns = checked_names("forces", forces)
            chosen = [each for each in found if any(matches(each["of"], pattern) for pattern in patterns)]
            known = dict.fromkeys(each["of"] for each in found)
            for pattern in patterns:
                if not any(matches(name, pattern) for name in known):
                    hint = nearest(pattern, known) or "record the forces at its ports, such as outputs=['*']"
                    raise ValueError(f"forces: no recorded force belongs to '{pattern}'; {hint}")
        arrows = []
        for each in chosen:
            place = self.geometry.places[each["place"]]
            force = [self.of(name) for name in each["force"]]
            lacking = self.geometry.dimension - len(force)
            arrows.append({"of": each["of"], "at": [place.frame, place.at.tolist()], "v": [*force, *[-1] * lacking]})
        return arrows

    def plots(self, signals: Sequence[str | Sequence[str]] | None) -> list[list[int]]:
        if signals is None:
            return self._first_plots()
        if not isinstance(signals, Iterable) or (isinstance(signals, np.ndarray) and not signals.ndim):
            raise ValueError(f"signals = {shown(signals)} is refused: give names such as 'rod.theta', or tuples of names in one plot")
        groups = [[each] if isinstance(each, str) else each for each in ([signals] if isinstance(signals, str) else signals)]
        for group in groups:
            if not isinstance(group, Sequence) or not all(isinstance(name, str) for name in group):
                raise ValueError(f"signals: {shown(group)} is no name; give names such as 'rod.theta', or tuples of names in one plot")
        found = []
        for group in groups:
            numbers = []
            for name in group:
                fitting = [each for each in (*self.column, *self.number) if matches(each, name)]
                if not fitting:
                    raise ValueError(
                        f"signals: '{name}' was not recorded; {nearest(name, self.column) or 'result.names lists the recorded names'}"
                    )
                numbers += [self.number[each] if each in self.number else self.of(each) for each in dict.fromkeys(fitting)]
            units = {i: self.signals[i].unit for i in numbers}
            found += by_unit_of(numbers, units)
        return found

    def _first_plots(self) -> list[list[int]]:
        """Returns angles of the first bodies, if any, and the reactions of the first joint."""
        frames = self.geometry.frames
        bodies = [pose for pose, frame in zip(self.poses, frames, strict=True) if pose is not None and not frame.end][:3]
        last = 2 if self.geometry.dimension == 2 else slice(0, 3)
        found = [[pose[2] for pose in bodies]] if last == 2 else [pose[:3] for pose in bodies[:1]]
        reaction = next((name for name in self.column if name.endswith(".reaction")), None)
        return [*(group for group in found if group), *([[self.of(reaction)]] if reaction else [])]


def by_unit_of(numbers: Sequence[int], units: dict[int, str]) -> list[list[int]]:
    """Returns groups of numbers of signals that share a unit."""
    named = by_unit([str(i) for i in numbers], {str(i): unit for i, unit in units.items()})
    return [[int(each) for each in group] for group in named]


def _traces(geometry: Geometry, colours: dict[int, int], chosen: Sequence[str] | None) -> list[dict[str, Any]]:
    """Returns a point of each body, the one with the longest path or the one that is named. Those that are shown from the start are on."""
    wanted = [] if chosen is None else checked_names("traces", chosen)
    known = [*geometry.places, *(geometry.frames[i].name for i in colours)]
    for name in wanted:
        if not any(matches(each, name) for each in known):
            raise ValueError(
                f"traces: there is no body or port '{name}'; {nearest(name, known) or 'name a body, such as ' + repr(known[-1])}"
            )
    found: list[dict[str, Any]] = []
    paths: dict[int, float] = {}
    for number, colour in colours.items():
        frame = geometry.frames[number]
        if frame.end:
            continue
        places = {name: place for name, place in geometry.places.items() if place.frame == number}
        named = next((place.at for name, place in places.items() if any(matches(name, each) for each in wanted)), None)
        on = named is not None or any(matches(frame.name, each) for each in wanted)
        candidates = [frame.centre, *(place.at for place in places.values())] if named is None else [named]
        lengths = [float(np.linalg.norm(np.diff(frame.at(each), axis=0), axis=1).sum()) for each in candidates]
        paths[number], at = max(lengths), candidates[int(np.argmax(lengths))]
        found.append({"name": frame.name, "at": [number, at.tolist()], "c": colour, "on": int(on)})
    if chosen is None and found:
        longest = max(paths, key=lambda number: paths[number])
        next(each for each in found if each["at"][0] == longest)["on"] = 1
    return found
