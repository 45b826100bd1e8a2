"""A still picture of a scene at a time, or a strip of several: shapes as strokes, seen in the plane or from above at an angle in space."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence

import numpy as np

from coupling.checks import check_truth
from coupling.pictures.bent import bent_line
from coupling.pictures.colours import edge, face, hue
from coupling.pictures.pose import Posed
from coupling.pictures.scene import Scene
from coupling.pictures.shapes import Shape
from coupling.pictures.strokes import Point, Sheet, nice
from coupling.pictures.surfaces import draw_elastic, draw_mesh
from coupling.pictures.view import RED, View

_INK, _DIM, _FRAME, _PAPER, _GROUND, _METAL, _SPRING, _STEEL = (
    "#17202b",
    "#5b6876",
    "#33414f",
    "#ffffff",
    "#e6ebf0",
    "#dfe5ea",
    "#1c7a58",
    "#1b2733",
)
_CYLINDER, _COLLAR = "#f2b632", "#d99c17"
_ORDER = (
    "level",
    "rail",
    "inertia",
    "gear",
    "wheel",
    "rod",
    "dashpot",
    "piston",
    "coil",
    "slider",
    "bent",
    "hull",
    "outline",
    "capsule",
    "ball",
    "fixed",
    "pin",
    "knuckle",
    "square",
    "centre",
)
"""Kinds of shapes from the back to the front, in the plane."""
_HIDDEN = ("inertia",)
_YAW, _PITCH = -0.9, 0.42
"""Angles in rad from which a mechanism in space is seen."""
_ROOM, _HEAD = 36.0, 26.0
"""Pixels around a pose, and for its caption."""


def still(
    scene: Scene, times: Sequence[float], names: bool = False, bad: Collection[str] = (), size: tuple[float, float] = (720, 480)
) -> Sheet:
    """Draws one pose, or several side by side with their times; ``bad`` are instances to be shown in red."""
    many = len(times) > 1
    across = min(len(times), 4)
    width, height = (size[0] / 2, size[1] * 0.7) if many else size
    rows = -(-len(times) // across)
    check_truth("names", names)
    sheet = Sheet(across * width, rows * height)
    poses = [Posed(scene, time) for time in times]
    tips = [end for posed in poses for force in _arrows(scene, posed) for end in force]
    for k, (time, posed) in enumerate(zip(times, poses, strict=True)):
        left, top = k % across * width, k // across * height
        view = view_of(scene, sheet, (left, top, width, height), _ROOM / 2 if many else _ROOM, bad, tips)
        draw(scene, view, posed, in_order(scene, view, [posed]))
        _forces(scene, view, posed)
        if names:
            _names(scene, view, posed)
        if many:
            sheet.text((left + width / 2, top + 20), f"{time:.6g} s".replace("-", "−"), _DIM, "middle")
    ruler(view, rows * height)
    _force_key(scene, view, rows * height)
    magnified(scene, sheet)
    return sheet


def view_of(
    scene: Scene,
    sheet: Sheet,
    box: tuple[float, float, float, float],
    room: float = _ROOM,
    bad: Collection[str] = (),
    also: Sequence[np.ndarray] = (),
) -> View:
    """Returns a view of all that a scene ever shows, and points beside it, in a box of a sheet: left, top, width, height."""
    left, top, width, height = box
    axes, low, high = _seen(scene)
    points = np.array([low, high, *(axes[:2] @ each for each in also)])
    low, high = points.min(axis=0), points.max(axis=0)
    span = np.maximum(high - low, 0.05 * scene.size)
    scale = float(min((width - 2 * room) / span[0], (height - 2 * room - _HEAD) / span[1]))
    return View(scale, (low + high) / 2, (left + width / 2, top + (height + _HEAD) / 2), axes, sheet, bad)


def _seen(scene: Scene) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the axes of the picture, and the corners of the box that has to fit into it."""
    if scene.dimension == 2:
        return np.eye(2), scene.low, scene.high
    c, s = np.cos(_YAW), np.sin(_YAW)
    up, out = np.sin(_PITCH), np.cos(_PITCH)
    axes = np.array([[c, s, 0], [-s * up, c * up, out], [s * out, -c * out, up]])
    corners = np.array([[x, y, z] for x in (0, 1) for y in (0, 1) for z in (0, 1)]) * (scene.high - scene.low) + scene.low
    projected = corners @ axes[:2].T
    return axes, projected.min(axis=0), projected.max(axis=0)


def in_order(scene: Scene, view: View, poses: Sequence[Posed]) -> list[Shape]:
    """Returns the shapes to be drawn, from the back to the front; in space by their mean depth in these poses."""
    shapes = [shape for shape in scene.shapes if shape["kind"] not in _HIDDEN and shape["kind"] in _DRAW]
    if scene.dimension == 2:
        return sorted(shapes, key=lambda shape: _ORDER.index(shape["kind"]))
    return sorted(shapes, key=lambda shape: sum(_depth(view, posed, shape) for posed in poses))


def draw(scene: Scene, view: View, posed: Posed, shapes: Sequence[Shape]) -> None:
    """Draws a pose, with the traces that are on."""
    for trace in scene.traces:
        if trace["on"]:
            frame = scene.geometry.frames[trace["at"][0]]
            points = frame.at(np.array(trace["at"][1]))[:: max(1, len(scene.time) // 400)]
            view.sheet.path([view.pixel(p) for p in points], hue(trace["c"]), 1.4, alpha=0.45)
    for shape in shapes:
        _DRAW[shape["kind"]](view, posed, shape)


def _depth(view: View, posed: Posed, shape: Shape) -> float:
    """Returns the depth of a shape towards the eye.

    A long shape counts by its middle, and a bar of a body by its mass centre, whose ball lies over it. A rail counts by its far end, since
    its slider lies around it.
    """
    if "at" in shape or shape["kind"] == "capsule":
        return view.depth(posed.point(shape.get("at") or shape["a"]))
    ends = [view.depth(posed.point(shape[end])) for end in "ab"]
    return min(ends) if shape["kind"] == "rail" else sum(ends) / 2


def _arrows(scene: Scene, posed: Posed) -> list[tuple[np.ndarray, np.ndarray]]:
    """Returns the points at which forces act, and the tips of their arrows, in m."""
    scale = _force_scale(scene)[1] if scene.arrows else 0.0
    found = []
    for each in scene.arrows:
        at = posed.point(each["at"])
        force = np.array([posed.value(scene.signals[k].values) if k >= 0 else 0.0 for k in each["v"]])
        if np.isfinite(force).all():
            found.append((at, at + scale * force))
    return found


def _forces(scene: Scene, view: View, posed: Posed) -> None:
    for foot, tip in _arrows(scene, posed):
        _arrow(view, view.pixel(foot), view.pixel(tip))


def _force_scale(scene: Scene) -> tuple[float, float]:
    """Returns the force that the key shows, near the 90th percentile of all, and metres for a newton. The arrow is a sixth of the scene."""
    sizes = [np.linalg.norm([scene.signals[k].values for k in each["v"] if k >= 0], axis=0) for each in scene.arrows]
    every = np.sort(np.concatenate(sizes)) if sizes else np.zeros(1)
    force = nice(float(every[int(0.9 * len(every))]) or 1.0)
    return force, 0.17 * scene.size / force


def _force_key(scene: Scene, view: View, bottom: float) -> None:
    """Draws the key of forces beside the ruler, if the scene has forces."""
    if scene.arrows:
        force, scale = _force_scale(scene)
        x, y, reach = 176.0, bottom - 14, force * scale * view.scale
        _arrow(view, (x, y), (x + reach, y))
        factor, unit = (1e-6, "MN") if force >= 1e6 else (1e-3, "kN") if force >= 1e3 else (1.0, "N") if force >= 1 else (1e3, "mN")
        view.sheet.text((x + reach + 8, y), f"{force * factor:.3g} {unit}", _DIM)


def _arrow(view: View, a: Point, b: Point) -> None:
    """Draws an arrow with a light rim, by which it stands out from bodies."""
    (x0, y0), (x1, y1) = a, b
    length = float(np.hypot(x1 - x0, y1 - y0))
    if length < 3:
        return
    u, v, head = (x1 - x0) / length, (y1 - y0) / length, min(14.0, 0.5 * length)
    x, y, half = x1 - u * head, y1 - v * head, 0.38 * head
    for colour, more in ((_PAPER, 2.5), (RED, 0.0)):
        view.sheet.path([a, (x + u, y + v)], colour, 2.4 + more)
        view.sheet.path([b, (x - v * half, y + u * half), (x + v * half, y - u * half)], colour if more else "", more, colour)


def _names(scene: Scene, view: View, posed: Posed) -> None:
    """Draws names beside mass centres; a name that would cover another one, or an arrow's head, goes above or below it."""
    taken = [(*view.pixel(tip), 6.0) for _, tip in _arrows(scene, posed)]
    for frame, colour in scene.colours.items():
        each = scene.geometry.frames[frame]
        if each.end:
            continue
        x, y = view.pixel(posed.point([frame, each.centre]))
        half = 3.7 * len(each.name) + 7
        for k in (0, 1, -1, 2, -2, 3, -3, 4):
            place = y - 18 + 20 * k
            if all(abs(place - v) >= 19.5 or abs(x - u) >= half + other for u, v, other in taken):
                break
        taken.append((x, place, half))
        view.sheet.tag((x, place), each.name, hue(colour), _INK)


def ruler(view: View, bottom: float) -> None:
    length = nice(70 / view.scale)
    x, y, reach = 16.0, bottom - 14, length * view.scale
    view.sheet.path([(x, y - 5), (x, y), (x + reach, y), (x + reach, y - 5)], _DIM, 1.4)
    factor, unit = (1e6, "µm") if length < 1e-3 else (1e3, "mm") if length < 0.1 else (1.0, "m")
    view.sheet.text((x + reach + 6, y), f"{length * factor:.3g} {unit}", _DIM)


def magnified(scene: Scene, sheet: Sheet) -> None:
    """Writes the factor of deformations, unless it is 1."""
    if scene.geometry.magnify != 1:
        sheet.text((sheet.width - 16, 16), f"deformation × {scene.geometry.magnify:g}", _DIM, "end")


# -- shapes ------------------------------------------------------------------------------------------------------------------------


def _bar(view: View, a: Point, b: Point, width: float, colour: str, edge: str) -> None:
    view.sheet.path([a, b], edge, width + 2.2)
    view.sheet.path([a, b], colour, width)


def _hull(view: View, posed: Posed, shape: Shape) -> None:
    points = [view.pixel(posed.point([shape["frame"], p])) for p in shape["points"]]
    colour, width = hue(shape["c"]), 2 * view.wide(shape["w"])
    points = points * 2 if len(points) == 1 else points
    view.sheet.path(points, edge(colour), width + 2.4, closed=len(points) > 2)
    view.sheet.path(points, face(colour), width, face(colour) if len(points) > 2 else "", len(points) > 2)


def _bent(view: View, posed: Posed, shape: Shape) -> None:
    line = [view.pixel(p) for p in bent_line(posed, shape)]
    colour, width = hue(shape["c"]), 2 * view.wide(shape["w"])
    view.sheet.path(line, edge(colour), width + 2.4)
    view.sheet.path(line, face(colour), width)


def _outline(view: View, posed: Posed, shape: Shape) -> None:
    rings = [[view.pixel(posed.point([shape["frame"], p])) for p in ring] for ring in shape["rings"]]
    colour = shape.get("paint") or hue(shape["c"])
    view.sheet.area(rings, edge(colour), 2.4, face(colour))


def _capsule(view: View, posed: Posed, shape: Shape) -> None:
    colour = hue(shape["c"])
    a, b = view.pixel(posed.point(shape["a"])), view.pixel(posed.point(shape["b"]))
    _bar(view, a, b, 2 * view.wide(shape["r"]), face(colour), edge(colour))


def _ball(view: View, posed: Posed, shape: Shape) -> None:
    colour = hue(shape["c"])
    view.sheet.disc(view.pixel(posed.point(shape["at"])), view.wide(shape["r"], 3), edge(colour), 1.2, face(colour))


def _centre(view: View, posed: Posed, shape: Shape) -> None:
    if shape["size"] * view.scale < 24:
        return
    (x, y), r = view.pixel(posed.point(shape["at"])), min(max(view.wide(shape["r"]), 3.6), 8.0)
    view.sheet.disc((x, y), r, "", 1.0, "#ffffff")
    c, s = posed.turned(shape["at"][0])[:, 0]
    for quarter in (0.0, np.pi):
        turns = np.arctan2(s, c) + quarter + np.linspace(0, np.pi / 2, 7)
        view.sheet.path([(x, y), *((x + r * float(np.cos(a)), y - r * float(np.sin(a))) for a in turns)], "", 1.0, _STEEL)
    view.sheet.disc((x, y), r, _STEEL, 1.0)


def _pin(view: View, posed: Posed, shape: Shape) -> None:
    at = posed.point(shape["at"])
    if "axis" in shape:
        axis = 1.7 * shape["r"] * posed.direction([shape["at"][0], shape["axis"]])
        colour = view.red(shape, "#2b3743")
        view.sheet.path([view.pixel(at - axis), view.pixel(at + axis)], colour, 2 * view.wide(shape["r"]))
        return
    r = min(view.wide(shape["r"], 1.8), 16.0)
    view.sheet.disc(view.pixel(at), r, view.red(shape, _STEEL), min(max(0.28 * r, 1.2), 3.0), _PAPER)


def _knuckle(view: View, posed: Posed, shape: Shape) -> None:
    view.sheet.disc(view.pixel(posed.point(shape["at"])), view.wide(shape["r"], 3), _STEEL, 1.0, view.red(shape, "#2b3743"))


def _square(view: View, posed: Posed, shape: Shape) -> None:
    (x, y), r = view.pixel(posed.point(shape["at"])), min(view.wide(shape["r"], 2), 12.0)
    corners = [(x + u * r, y + v * r) for u, v in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    view.sheet.path(corners, view.red(shape, _STEEL), min(max(0.28 * r, 1.2), 3.0), _PAPER)


def _rail(view: View, posed: Posed, shape: Shape) -> None:
    _bar(view, view.pixel(posed.point(shape["a"])), view.pixel(posed.point(shape["b"])), view.wide(shape["w"]), _GROUND, _FRAME)


def _level(view: View, posed: Posed, shape: Shape) -> None:
    """Draws a line with hatching on the side of the ground."""
    at = _Between(view, posed, shape)
    out = 1.0 if np.dot(posed.direction(shape["down"]) * [1, -1], [-at.u[1], at.u[0]]) > 0 else -1.0
    for along in np.arange(6.0, at.length - 1e-6, 11.0):
        view.sheet.path([at(along), at(along - 5.0, 6.0 * out)], _FRAME, 1.0, alpha=0.7)
    view.sheet.path([at(0), at(at.length)], _FRAME, 1.6)


def _slider(view: View, posed: Posed, shape: Shape) -> None:
    axis, r = posed.direction(shape["along"]), min(view.wide(shape["r"], 5), 26.0)
    u = (view.axes @ axis)[:2]
    u = u / (np.linalg.norm(u) or 1.0) * np.array([1, -1])
    v, at = np.array([-u[1], u[0]]), np.array(view.pixel(posed.point(shape["at"])))
    corners = [at + r * (a * u + 0.62 * b * v) for a, b in ((-1, -1), (1, -1), (1, 1), (-1, 1))]
    view.sheet.path([(float(x), float(y)) for x, y in corners], view.red(shape, edge(hue(shape["c"]))), 1.8, face(hue(shape["c"])))


def _fixed(view: View, posed: Posed, shape: Shape) -> None:
    x, y = view.pixel(posed.point(shape["at"]))
    r = min(max(view.scale * min(shape["r"], 0.0094 * posed.scene.size), 5.0), 22.0)
    view.sheet.path([(x, y), (x - 1.25 * r, y + 2 * r), (x + 1.25 * r, y + 2 * r)], _FRAME, 1.6, _GROUND)
    view.sheet.path([(x - 1.9 * r, y + 2 * r), (x + 1.9 * r, y + 2 * r)], _FRAME, 1.6)
    for k in range(6):
        u = x - 1.6 * r + 0.66 * k * r
        view.sheet.path([(u, y + 2 * r), (u - 0.55 * r, y + 2.7 * r)], _FRAME, 1.0)


class _Between:
    """Points in pixels along an element that stretches, and beside it."""

    def __init__(self, view: View, posed: Posed, shape: Shape) -> None:
        self.a, self.b = (np.array(view.pixel(posed.point(shape[end]))) for end in "ab")
        self.length = float(np.linalg.norm(self.b - self.a)) or 1.0
        self.u = (self.b - self.a) / self.length

    def __call__(self, along: float, aside: float = 0.0) -> Point:
        x, y = self.a + along * self.u + aside * np.array([-self.u[1], self.u[0]])
        return float(x), float(y)


def _coil(view: View, posed: Posed, shape: Shape) -> None:
    at, width, turns = _Between(view, posed, shape), min(max(view.wide(shape["w"]), 4.0), 30.0), 11
    end = min(0.1 * at.length, 1.5 * width)
    middle = [at(end + (at.length - 2 * end) * (i + 0.5) / (2 * turns), -width if i % 2 == 0 else width) for i in range(2 * turns)]
    points = [at(0), at(end), *middle, at(at.length - end), at(at.length)]
    view.sheet.path(points, _PAPER, 3.4)
    view.sheet.path(points, _SPRING, 1.9)


def _dashpot(view: View, posed: Posed, shape: Shape) -> None:
    at, width = _Between(view, posed, shape), min(max(view.wide(shape["w"]), 3.0), 20.0)
    foot = 0.15 * at.length
    body = max(foot + 4, min(shape["body"] * view.scale, 0.8 * at.length))
    head = foot + 0.55 * (body - foot)
    for points in (
        [at(0), at(foot)],
        [at(body, width), at(foot, width), at(foot, -width), at(body, -width)],
        [at(head, 0.72 * width), at(head, -0.72 * width)],
        [at(head), at(at.length)],
    ):
        view.sheet.path(points, _FRAME, 1.8)


def _piston(view: View, posed: Posed, shape: Shape) -> None:
    at, width = _Between(view, posed, shape), view.wide(shape["w"])
    body = min(shape["body"] * view.scale, 0.97 * at.length)
    for begin, end, half, colour in (
        (0.0, at.length, 0.31 * width, _METAL),
        (0.4 * width, body, 0.85 * width, _CYLINDER),
        (body - 0.5 * width, body, width, _COLLAR),
    ):
        view.sheet.path([at(begin, -half), at(end, -half), at(end, half), at(begin, half)], "#25313d", 1.2, colour)
    for pin in (at(0), at(at.length)):
        view.sheet.disc(pin, max(3.0, 0.55 * width), _STEEL, 1.4, _PAPER)


def _rod(view: View, posed: Posed, shape: Shape) -> None:
    _bar(view, view.pixel(posed.point(shape["a"])), view.pixel(posed.point(shape["b"])), view.wide(shape["w"]), _METAL, _FRAME)


def _circle(view: View, posed: Posed, shape: Shape, radius: float, count: int = 48) -> list[Point]:
    """Returns the rim of a disc, as it is seen."""
    x, y = (np.array(axis) for axis in shape.get("axes", np.eye(len(shape["at"][1])).tolist())[:2])
    turns = np.linspace(0, 2 * np.pi, count, endpoint=False)
    return [view.pixel(posed.point([shape["at"][0], np.array(shape["at"][1]) + radius * (np.cos(a) * x + np.sin(a) * y)])) for a in turns]


def _wheel(view: View, posed: Posed, shape: Shape) -> None:
    colour, centre = hue(shape["c"]), view.pixel(posed.point(shape["at"]))
    view.sheet.path(_circle(view, posed, shape, shape["r"]), edge(colour), 2.0, face(colour, 0.6))
    for spoke in _circle(view, posed, shape, shape["r"], 6):
        view.sheet.path([centre, spoke], edge(colour), 1.4)


def _gear(view: View, posed: Posed, shape: Shape) -> None:
    colour, step, module = hue(shape["c"]), 2 * np.pi / shape["teeth"], 2 * shape["r"] / shape["teeth"]
    x0, y0 = view.pixel(posed.point(shape["at"]))
    c, s = posed.turned(shape["at"][0])[:2, 0]
    angle, points = float(np.arctan2(s, c)), []
    for k in range(shape["teeth"]):
        for share, out in ((-0.29, -1.1), (-0.14, 0.9), (0.14, 0.9), (0.29, -1.1)):
            r, a = (shape["r"] + out * module) * view.scale, angle + (k + share) * step
            points.append((x0 + r * float(np.cos(a)), y0 - r * float(np.sin(a))))
    view.sheet.path(points, edge(colour), 1.5, face(colour, 0.25))


_DRAW: dict[str, Callable[[View, Posed, Shape], None]] = {
    "bent": _bent,
    "hull": _hull,
    "outline": _outline,
    "elastic": draw_elastic,
    "mesh": draw_mesh,
    "capsule": _capsule,
    "ball": _ball,
    "centre": _centre,
    "pin": _pin,
    "knuckle": _knuckle,
    "square": _square,
    "level": _level,
    "rail": _rail,
    "slider": _slider,
    "fixed": _fixed,
    "coil": _coil,
    "dashpot": _dashpot,
    "piston": _piston,
    "rod": _rod,
    "wheel": _wheel,
    "gear": _gear,
}
