"""Pictures of joints against their constraints: the points that a constraint allows lie on the rail, line, plane or profile that is drawn."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np
import pytest
import sympy
from scipy.optimize import least_squares
from scipy.spatial.transform import Rotation

from coupling.pictures.frames import Frame, Geometry, Place, geometry_of
from coupling.pictures.meshes import unpack_mesh
from coupling.pictures.rotations import quaternions
from coupling.pictures.shapes import Shapes
from fmu_components.catalogue import all_components
from fmu_components.declare.component import declaration
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import PLANAR, SPATIAL
from jourdain import System
from tests.support.declare.arrays import FUNCTIONS

RADIUS = 0.2
"""Radius of all wheels and balls, in m."""
TWO_LINES = {"planar.PlaneCrossingTranslational": "N lies on the absolute axis x as well, which is not drawn"}
"""Joints whose slider moves along the rail only if the rail moves too."""


JOINTS = [
    name
    for name, each in all_components().items()
    if issubclass(each, Joint) and each.kind in (PLANAR, SPATIAL) and each.constraint is not Joint.constraint and each.ends is Joint.ends
    if each.kinds is None and name.startswith(("planar.", "spatial."))
]


@dataclass(frozen=True)
class Pose:
    point: np.ndarray
    axes: np.ndarray
    """Columns."""

    def moved(self, shift: np.ndarray, turn: np.ndarray, about: np.ndarray) -> Pose:
        """Turned by an angle or a rotation vector about a point, and shifted."""
        rotation = _turned(turn[0]) if len(turn) == 1 else Rotation.from_rotvec(turn).as_matrix()
        return Pose(about + rotation @ (self.point - about) + shift, rotation @ self.axes)


def _turned(angle: float) -> np.ndarray:
    return np.array([[np.cos(angle), -np.sin(angle)], [np.sin(angle), np.cos(angle)]])


class Constraint:
    """The position level of a joint, from its declaration."""

    def __init__(self, name: str) -> None:
        self.name, self.declared = name, declaration(all_components()[name])
        self.dimension = 2 if next(port for port in self.declared.ports if port.name == "M").kind is PLANAR else 3
        names = [f"position[{k}]" for k in range(1, 7) if f"position[{k}]" in self.declared.by_name]
        self.residual = self._function(names)
        names = [f"validity[{k}]" for k in range(1, 7) if f"validity[{k}]" in self.declared.by_name]
        self.validity = self._function(names)

    def _function(self, names: list[str]) -> Callable[[Pose, Pose], np.ndarray]:
        expressions = [self.declared.expand(self.declared[name].symbol) for name in names]
        symbols = sorted(set().union(*(each.free_symbols for each in expressions)) if expressions else [], key=str)
        found = sympy.lambdify([symbols], expressions, modules=[FUNCTIONS | {"Unwrapped": lambda s, c, _: np.arctan2(s, c)}, "numpy"])
        return lambda M, N: np.array(found([self._value(str(each), {"M": M, "N": N}) for each in symbols]), dtype=float)

    def _value(self, name: str, poses: dict[str, Pose]) -> float:
        port, _, what = name.partition(".")
        if port not in poses:
            return self.parameter(name)
        pose = poses[port]
        if what == "theta":
            return float(np.arctan2(pose.axes[1, 0], pose.axes[0, 0]))
        return float(pose.axes[int(what[1]) - 1, int(what[2]) - 1] if what[0] == "R" else pose.point["xyz".index(what)])

    def parameter(self, name: str) -> Any:
        start = self.declared[name].start
        return RADIUS if name == "radius" else start if isinstance(start, tuple) else float(start or 0.0)

    def allowed(self, seed: int) -> tuple[Pose, Pose]:
        """Random poses of M and N that fulfil the constraint."""
        random = np.random.default_rng(seed)
        for _ in range(100):
            start = random.normal(size=2 * (3 if self.dimension == 2 else 6))
            found = least_squares(lambda x: self.residual(*self._poses(x)), start, xtol=None, ftol=None, gtol=1e-14)
            M, N = self._poses(found.x)
            if np.abs(self.residual(M, N)).max() < 1e-10 and (self.validity(M, N) > 0).all():
                return M, N
        raise AssertionError(f"{self.name}: no allowed pose")

    def _poses(self, x: np.ndarray) -> tuple[Pose, Pose]:
        if self.dimension == 2:
            return Pose(x[:2], _turned(x[2])), Pose(x[3:5], _turned(x[5]))
        return tuple(Pose(y[:3], Rotation.from_rotvec(y[3:]).as_matrix()) for y in (x[:6], x[6:]))  # type: ignore[return-value]

    def shifted(self, poses: tuple[Pose, Pose], moving: int, velocity: np.ndarray) -> np.ndarray:
        """The rate of the residual where M (0) or N (1) moves with a velocity."""
        return self._rate(poses, moving, velocity, np.zeros(1 if self.dimension == 2 else 3), poses[0].point)

    def turned(self, poses: tuple[Pose, Pose], moving: int, turn: np.ndarray, about: np.ndarray) -> np.ndarray:
        """The rate of the residual where M or N turns about a point, by one angular velocity or three."""
        return self._rate(poses, moving, np.zeros(self.dimension), turn, about)

    def _rate(self, poses: tuple[Pose, Pose], moving: int, velocity: np.ndarray, turn: np.ndarray, about: np.ndarray) -> np.ndarray:
        ends = []
        for h in (1e-6, -1e-6):
            moved = list(poses)
            moved[moving] = poses[moving].moved(h * velocity, h * turn, about)
            ends.append(self.residual(*moved))
        return (ends[0] - ends[1]) / 2e-6


class Drawn:
    """The picture of a joint between two bodies, on which its ports lie anywhere."""

    def __init__(self, constraint: Constraint, poses: tuple[Pose, Pose], seed: int) -> None:
        random, n = np.random.default_rng(seed), constraint.dimension
        frames, places = [], {}
        for i, (port, pose) in enumerate(zip("MN", poses, strict=True)):
            inside = _turned(random.normal()) if n == 2 else Rotation.random(random_state=seed).as_matrix()
            body, at = pose.axes @ inside.T, random.normal(size=n)
            rotation = np.array([[np.arctan2(body[1, 0], body[0, 0])]]) if n == 2 else quaternions(body[None])
            frames.append(Frame(port, "", (pose.point - body @ at)[None], rotation, False, np.zeros(n)))
            places[f"joint.{port}"] = Place(i, at, inside)
        self.words = [
            {"kind": word.kind, "of": "joint", "ports": [f"joint.{port}" for port in word.ports]}
            | {key: constraint.parameter(value) if isinstance(value, str) else value for key, value in word.named().items()}
            for word in constraint.declared.picture.words
        ]
        self.geometry = Geometry(n, frames, places, {"M": 0, "N": 1}, self.words, [], {})
        self.shapes = [list(Shapes(self.geometry, {0: 0, 1: 1}, 1.0).of(word)) for word in self.words]

    def at(self, point: list) -> np.ndarray:
        return self.geometry.frames[point[0]].at(np.array(point[1]))[0]

    def direction(self, axis: list) -> np.ndarray:
        return self.geometry.frames[axis[0]].direction(np.array(axis[1]))[0]


def distance(point: np.ndarray, a: np.ndarray, b: np.ndarray) -> float:
    """Returns the distance of a point from the line between two others."""
    share = np.clip((point - a) @ (b - a) / ((b - a) @ (b - a)), 0, 1)
    return float(np.linalg.norm(point - a - share * (b - a)))


@cache
def constraint_of(name: str) -> Constraint:
    return Constraint(name)


@pytest.mark.parametrize("name", JOINTS)
@pytest.mark.parametrize("seed", [1, pytest.param(2, marks=pytest.mark.slow)])
def test_what_a_constraint_allows_lies_on_what_is_drawn(name: str, seed: int) -> None:
    constraint = constraint_of(name)
    poses = constraint.allowed(seed)
    drawn = Drawn(constraint, poses, seed)
    guides = []
    for word, shapes in zip(drawn.words, drawn.shapes, strict=True):
        check = CHECKS.get(word["kind"])
        if check is not None:
            check(constraint, poses, drawn, shapes)
        if word["kind"] == "guide":
            guides.append([drawn.at(shapes[0][end]) for end in "ab"])
    if guides:  # N is where the guide on M and the guide on N cross
        (a, b), (c, d) = guides
        share = np.linalg.solve(np.stack([b - a, c - d], axis=1), c - a)
        assert ((share > 0) & (share < 1)).all()


def check_rail(constraint: Constraint, poses: tuple[Pose, Pose], drawn: Drawn, shapes: list) -> None:
    """The slider lies on the rail, and its body may move along it, not across."""
    a, b = (drawn.at(shapes[0][end]) for end in "ab")
    along = (b - a) / np.linalg.norm(b - a)
    if shapes[1:]:
        slider = shapes[1]
        assert distance(drawn.at(slider["at"]), a, b) < 1e-9
        assert np.allclose(drawn.direction(slider["along"]), along)
        for across in np.linalg.svd(along[None])[2][1:]:
            assert np.abs(constraint.shifted(poses, slider["at"][0], across)).max() > 1e-3
    moving = 1 - shapes[0]["a"][0]
    if constraint.name not in TWO_LINES:
        assert np.abs(constraint.shifted(poses, moving, along)).max() < 1e-8


def check_pin(constraint: Constraint, poses: tuple[Pose, Pose], drawn: Drawn, shapes: list) -> None:
    """The body of the pin may turn about it; the thread of a screw moves it along the axis as well."""
    (pin,) = shapes
    moving = pin["at"][0]
    axis = drawn.direction([moving, pin["axis"]]) if "axis" in pin else np.ones(1)
    turned = constraint.turned(poses, moving, axis, drawn.at(pin["at"]))
    advance = constraint.shifted(poses, moving, axis)[:, None] if "axis" in pin else np.zeros((len(turned), 1))
    assert np.abs(turned - advance @ np.linalg.lstsq(advance, turned, rcond=1e-6)[0]).max() < 1e-8


def check_square(constraint: Constraint, poses: tuple[Pose, Pose], drawn: Drawn, shapes: list) -> None:
    """Nothing may move."""
    moves = [constraint.shifted(poses, 1, each) for each in np.eye(constraint.dimension)]
    moves += [constraint.turned(poses, 1, each, poses[1].point) for each in np.eye(1 if constraint.dimension == 2 else 3)]
    assert np.linalg.matrix_rank(np.array(moves), tol=1e-3) == len(moves)


def check_level(constraint: Constraint, poses: tuple[Pose, Pose], drawn: Drawn, shapes: list) -> None:
    """N, or what is round about it, touches the line or plane on its free side, and may move along it."""
    (level,) = shapes
    centre = poses[1].point
    rounds = [each for other in drawn.shapes for each in other if each["kind"] in ("wheel", "ball")]
    radius = rounds[0]["r"] if rounds else 0.0
    if constraint.dimension == 2:
        a, b = (drawn.at(level[end]) for end in "ab")
        up, corners = -drawn.direction(level["down"]), np.array([a, b])
    else:
        corners = np.array([drawn.at([level["at"][0], corner]) for corner in unpack_mesh(level)[0]])
        up = np.linalg.svd(corners - corners.mean(axis=0))[2][-1]
        up = up * np.sign((centre - corners.mean(axis=0)) @ up)
    heights = (centre - corners) @ up
    assert abs(heights.min() - radius) < 1e-4  # a mesh lies on a grid
    for along in np.linalg.svd(up[None])[2][1:]:
        assert ((corners - centre) @ along).min() < 0 < ((corners - centre) @ along).max()
        assert np.abs(constraint.shifted(poses, 1, along)).max() < 1e-4


def check_cam(constraint: Constraint, poses: tuple[Pose, Pose], drawn: Drawn, shapes: list) -> None:
    """N lies on the profile, which is drawn by 120 chords."""
    (outline,) = shapes
    profile = [drawn.at([outline["frame"], point]) for point in outline["rings"][0]]
    assert min(distance(poses[1].point, a, b) for a, b in zip(profile, profile[1:] + profile[:1], strict=True)) < 1e-3 * RADIUS


CHECKS = {"rail": check_rail, "guide": check_rail, "pin": check_pin, "square": check_square, "level": check_level, "cam": check_cam}


def test_every_kind_of_line_is_checked() -> None:
    kinds = {word.kind for name in JOINTS for word in declaration(all_components()[name]).picture.words}
    assert set(CHECKS) <= kinds and kinds - set(CHECKS) <= {"wheel", "ball", "rod"}


@pytest.mark.parametrize(("block", "axis"), [("planar.TranslationalBody", 0), ("spatial.PrismaticBody", 2)])
def test_a_block_slides_on_its_rail(block: str, axis: int) -> None:
    """Its origin does, wherever its ports are."""
    space = block.startswith("spatial")
    system = System("slide", gravity=(1.0, -9.81, 2.0) if space else (1.0, -9.81))
    system.add("ground", "spatial.Fixed" if space else "planar.Fixed")
    system.add("slide", block, {"C1.ry": 0.4, "C1.rx": 0.3, "C2.ry": -0.2})
    system.connect("ground.p1", "slide.P")
    geometry = geometry_of(system.simulate(1.0, outputs=["*"])._record)
    word = next(each for each in geometry.words if each["kind"] == "rail")
    rail, slider = Shapes(geometry, {}, 1.0).of(word)
    found = geometry.frames[slider["at"][0]].at(np.array(slider["at"][1]))
    travel = 1.0 if space else 0.5  # m, in 1 s at 2 or 1 m/s2
    assert np.abs(np.delete(found, axis, axis=1)).max() < 1e-12
    assert found[-1, axis] == pytest.approx(travel, rel=1e-6)
    assert rail["a"][1][axis] < 0 and rail["b"][1][axis] > travel


@pytest.mark.parametrize(("name", "port", "level"), [("planar.KnifeEdge", 1, 1), ("spatial.KnifeEdge", 1, 1), ("planar.IdealWheel", 0, 2)])
def test_an_edge_and_a_wheel_are_drawn_along_the_velocity_that_they_allow(name: str, port: int, level: int) -> None:
    constraint = Constraint(name)
    random = np.random.default_rng(3)
    poses = constraint._poses(random.normal(size=2 * (3 if constraint.dimension == 2 else 6)))
    drawn = Drawn(constraint, poses, 3)
    (shape,) = (each for shapes in drawn.shapes for each in shapes)
    if constraint.dimension == 2:
        points = np.array([drawn.at([shape["frame"], point]) for point in shape["rings"][0]])
        along, across = np.linalg.svd(points - points.mean(axis=0))[2]
    else:  # in the plane of the other body, and in that of the edge
        across = drawn.direction([shape["at"][0], shape["axes"][2]])
        along = np.cross(poses[0].axes[:, 2], across)
    expression = constraint.declared.expand(constraint.declared[f"velocity[{level}]"].symbol)
    symbols = sorted(expression.free_symbols, key=str)
    velocity = sympy.lambdify([symbols], expression)
    places = dict(zip("MN", poses, strict=True))

    def slip(direction: np.ndarray) -> float:
        rates = {f"{name}.{rate}{axis}": 0.0 for name in "MN" for rate in ("v", "omega") for axis in ("", *"xyz")}
        rates |= {f"{'MN'[port]}.v{axis}": float(value) for axis, value in zip("xyz", direction, strict=False)}
        return float(velocity([rates[str(each)] if str(each) in rates else constraint._value(str(each), places) for each in symbols]))

    assert abs(slip(along)) < 1e-12 < 1e-2 < abs(slip(across))
