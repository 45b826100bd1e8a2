"""Sixteen planar linkages made from a reference pose, so that the pose that is meant is known."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from math import cos, pi, sin

import numpy as np

from coupling import System
from tests.support.systems.seven_bodies import EXAMPLE

Point = tuple[float, float]


def polar(radius: float, angle: float) -> np.ndarray:
    return radius * np.array([cos(angle), sin(angle)])


def crossing(p: object, r1: float, q: object, r2: float, side: int) -> np.ndarray:
    """Returns the crossing of circles about p and q, to the left of the way from p to q for side 1."""
    a, b = np.array(p, float), np.array(q, float)
    distance = np.hypot(*(b - a))
    along = (distance**2 + r1**2 - r2**2) / (2 * distance)
    u = (b - a) / distance
    return a + along * u + side * np.sqrt(r1**2 - along**2) * np.array([-u[1], u[0]])


@dataclass
class Linkage:
    """Bodies by the names of their points; pins wherever two bodies share one, of which the first is parent."""

    points: Mapping[str, object]
    bodies: Mapping[str, Sequence[str]]
    ground: Sequence[str]
    held: Mapping[str, float]
    sliders: Sequence[tuple[str, str, str, str, str, float]] = ()
    """Name, body and point that guide, body and point that slide, direction."""
    slots: Sequence[tuple[str, str, str, str, str, float]] = ()
    """The same, of pins that slide and turn."""
    poses: dict[str, np.ndarray] = field(default_factory=dict)
    joints: list[str] = field(default_factory=list)

    def __post_init__(self) -> None:
        for body, names in self.bodies.items():
            at = np.array([self.points[name] for name in names], float)
            along = at[1] - at[0] if len(names) > 1 else np.array([1.0, 0.0])
            self.poses[body] = np.array([*at.mean(axis=0), np.arctan2(along[1], along[0])])

    def local(self, body: str, point: str) -> np.ndarray:
        x, y, theta = self.poses[body]
        d = np.array(self.points[point], float) - [x, y]
        return np.array([cos(theta) * d[0] + sin(theta) * d[1], -sin(theta) * d[0] + cos(theta) * d[1]])

    def system(self, start: Mapping[str, Mapping[str, float]] | None = None) -> System:
        """Returns the system, with the held values of bodies as start values."""
        system = System("linkage")
        ports: dict[str, list[tuple[str, float]]] = {body: [(name, 0.0) for name in names] for body, names in self.bodies.items()}
        joints: list[tuple[str, str, str, str]] = []

        def port(body: str, point: str, direction: float | None = None) -> str:
            if body == "ground":
                name = f"fixed {point}{'' if direction is None else ' axis'}"
                if name not in system.instances:
                    x, y = np.array(self.points[point], float)
                    system.add(name, "planar.Fixed", {"p1.rx": x, "p1.ry": y, "p1.angle": direction or 0.0})
                return f"{name}.p1"
            if direction is None:
                return f"{body}.p{1 + [name for name, _ in ports[body]].index(point)}"
            ports[body].append((point, direction - self.poses[body][2]))
            return f"{body}.p{len(ports[body])}"

        at: dict[str, list[str]] = {}
        for body, names in [("ground", self.ground), *self.bodies.items()]:
            for name in names:
                at.setdefault(name, []).append(body)
        for point, owners in at.items():
            for i, body in enumerate(owners[1:]):
                joints.append((f"{point}{i or ''}", "planar.Revolute", port(owners[0], point), port(body, point)))
        for name, a, pa, b, pb, direction in self.sliders:
            joints.append((name, "planar.Translational", port(a, pa, direction), port(b, pb, direction)))
        for name, a, pa, b, pb, direction in self.slots:
            joints.append((name, "planar.TranslationalRevolute", port(b, pb), port(a, pa, direction)))
        for body, own in ports.items():
            values = {"gy": 0.0, **((start or {}).get(body, {}))}
            for i, (point, angle) in enumerate(own, 1):
                x, y = self.local(body, point)
                values |= {f"p{i}.rx": x, f"p{i}.ry": y, f"p{i}.angle": angle}
            system.add(body, f"planar.Body{len(own)}", values)
        for name, component, a, b in joints:
            system.add(name, component)
            system.connect(a, f"{name}.M")
            system.connect(b, f"{name}.N")
        self.joints = [name for name, *_ in joints]
        return system

    def distance(self, pose: Mapping[str, float]) -> float:
        """The largest difference from the pose that is meant."""
        found = []
        for body, (x, y, theta) in self.poses.items():
            turn = pose[f"{body}.theta"] - theta
            found += [abs(pose[f"{body}.x"] - x), abs(pose[f"{body}.y"] - y), abs(turn - 2 * pi * round(turn / (2 * pi)))]
        return max(found)

    def coordinate(self, joint: str) -> float:
        """Returns the coordinate of a joint: of a pin, the angle between its bodies in the intended pose."""
        at = [
            body for body, names in [("ground", self.ground), *self.bodies.items()] if joint.rstrip("123456789") in names or joint in names
        ]
        point = joint if any(joint in names for names in [self.ground, *self.bodies.values()]) else joint[:-1]
        owners = [body for body, names in [("ground", self.ground), *self.bodies.items()] if point in names] or at
        other = owners[1 + (int(joint[len(point) :]) if joint != point else 0)]
        return self.poses[other][2] - (0.0 if owners[0] == "ground" else self.poses[owners[0]][2])


def told(linkage: Linkage) -> tuple[System, dict[str, float]]:
    """The system with what is held of bodies as start values, and what is held beside."""
    start: dict[str, dict[str, float]] = {}
    hold = {}
    for name, value in linkage.held.items():
        body, _, variable = name.partition(".")
        if body in linkage.bodies:
            start.setdefault(body, {})[variable] = value
        else:
            hold[name] = value
    return linkage.system(start), hold


def four_bar(side: int = 1) -> Linkage:
    B = polar(0.3, 0.7)
    C = crossing(B, 1.0, (1.0, 0.0), 0.7, side)
    return Linkage({"A": (0, 0), "B": B, "C": C, "D": (1, 0)}, {"crank": "AB", "coupler": "BC", "rocker": "DC"}, "AD", {"crank.theta": 0.7})


def slider_crank() -> Linkage:
    B = polar(0.3, 0.7)
    C = (B[0] + np.sqrt(1 - B[1] ** 2), 0.0)
    bodies = {"crank": "AB", "rod": "BC", "piston": "C"}
    guide = ("guide", "ground", "A", "piston", "C", 0.0)
    return Linkage({"A": (0, 0), "B": B, "C": C}, bodies, "A", {"crank.theta": 0.7}, [guide])


def whitworth() -> Linkage:
    O, Q = np.array([0.0, 0.5]), np.zeros(2)  # noqa: E741
    A = O + polar(0.2, 0.4)
    direction = float(np.arctan2(A[1], A[0]))
    T = polar(1.0, direction)
    S = (T[0] + np.sqrt(0.4**2 - (1.05 - T[1]) ** 2), 1.05)
    points = {"O": O, "A": A, "Q": Q, "T": T, "S": S, "H": (0.0, 1.05)}
    bodies = {"crank": "OA", "block": "A", "rocker": "QT", "link": "TS", "ram": "S"}
    linkage = Linkage(points, bodies, "OQ", {"crank.theta": 0.4})
    linkage.poses["block"][2] = direction
    linkage.sliders = [("slot", "rocker", "Q", "block", "A", direction), ("guide", "ground", "H", "ram", "S", 0.0)]
    return linkage


def jansen(angle: float = 0.6, f_is: float = 1.0) -> Linkage:
    a, b, c, d, e, f, g, h, i, j, k, l, m = np.array([38, 41.5, 39.3, 40.1, 55.8, 39.4, 36.7, 65.7, 49, 50, 61.9, 7.8, 15]) / 100  # noqa: E741
    P, K = np.array([-a, -l]), polar(m, angle)
    X, Z = crossing(P, b, K, j, 1), crossing(P, c, K, k, -1)
    Y = crossing(P, d, X, e, 1)
    W = min((crossing(Y, f, Z, g, side) for side in (1, -1)), key=lambda p: p[0])
    F = min((crossing(Z, i, W, h, side) for side in (1, -1)), key=lambda p: p[1])
    points = {"O": (0, 0), "P": P, "K": K, "X": X, "Z": Z, "Y": Y, "W": W, "F": F}
    bodies = {"crank": "OK", "j": "KX", "k": "KZ", "up": "PXY", "c": "PZ", "f": "YW", "lo": "ZWF"}
    return Linkage(points, bodies, "OP", {"crank.theta": angle})


def klann() -> Linkage:
    points = {"O": (0, 0), "M": polar(0.26, 0.9), "A": (-0.6, -0.35), "B": (-0.55, 0.55), "C": (-0.72, -0.02), "D": (-1.4, 0.12)}
    points |= {"E": (-1.05, 0.75), "F": (-1.9, -1.1)}
    return Linkage(points, {"crank": "OM", "arm": "MCD", "low": "AC", "leg": "DEF", "upper": "BE"}, "OAB", {"crank.theta": 0.9})


def watt() -> Linkage:
    B, G = polar(0.4, 1.0), np.array([2.0, 0.1])
    C = crossing(B, 0.9, (1, 0), 0.8, 1)
    E = C + np.array([0.35, 0.25])
    points = {"A": (0, 0), "B": B, "C": C, "D": (1, 0), "E": E, "G": G, "H": crossing(E, 0.9, G, 0.6, 1)}
    return Linkage(points, {"crank": "AB", "coupler": "BC", "tri": "DCE", "link": "EH", "out": "GH"}, "ADG", {"crank.theta": 1.0})


def triad() -> Linkage:
    points = {"B": (0.25, 0.3), "C": (1, 1), "D": (0.5, 1.3), "E": (1.5, 1.1), "G": (1.1, 0.1), "H": (1.9, 0.3), "A": (0, 0)}
    bodies = {"crank": "AB", "platform": "CDE", "l1": "BD", "l2": "GC", "l3": "HE"}
    return Linkage(points, bodies, "AGH", {"crank.theta": float(np.arctan2(0.3, 0.25))})


def bucket() -> Linkage:
    Bk, J, U = np.array([2.0, 0.0]), np.array([1.8, 0.5]), np.array([0.4, 0.45])
    points = {"A": (0, 0), "B": Bk, "R": (1.65, 0.05), "J": J, "K": crossing(J, 0.45, Bk, 0.35, 1), "T": (2.4, -0.9), "U": U}
    bodies = {"arm": "ABRU", "bucket": "BTK", "rocker": "RJ", "link": "JK", "barrel": "U", "rod": "J"}
    direction = float(np.arctan2(*(J - U)[::-1]))
    linkage = Linkage(points, bodies, "A", {"arm.theta": 0.0, "stroke.translation.q": float(np.hypot(*(J - U)))})
    linkage.sliders = [("stroke", "barrel", "U", "rod", "J", direction)]
    linkage.poses["barrel"][2] = linkage.poses["rod"][2] = direction
    return linkage


def pantograph() -> Linkage:
    B, C = np.array([0.5, 0.9]), np.array([1.2, 0.0])
    D, E = B + (C - B) / 2, B / 2
    points = {"O": (0, 0), "B": B, "E": E, "C": C, "D": D, "F": E + D - B}
    held = {"arm.theta": float(np.arctan2(0.9, 0.5)), "far.theta": float(np.arctan2(-0.9, 0.7))}
    return Linkage(points, {"arm": "OEB", "far": "BDC", "near": "EF", "last": "DF"}, "O", held)


def scissor(stages: int = 10, angle: float = 0.5) -> Linkage:
    points: dict[str, object] = {}
    bodies: dict[str, Sequence[str]] = {}
    for i in range(stages + 1):
        points[f"L{i}."], points[f"R{i}."] = (0.0, i * sin(angle)), (cos(angle), i * sin(angle))
    for i in range(stages):
        points[f"X{i}."] = (cos(angle) / 2, (i + 0.5) * sin(angle))
        bodies[f"a{i}"], bodies[f"b{i}"] = [f"L{i}.", f"R{i + 1}.", f"X{i}."], [f"R{i}.", f"L{i + 1}.", f"X{i}."]
    points = {name.replace(".", "_"): at for name, at in points.items()}
    bodies = {name: [each.replace(".", "_") for each in own] for name, own in bodies.items()}
    return Linkage(points, bodies, ["L0_"], {"a0.theta": angle}, slots=[("floor", "ground", "L0_", "b0", "R0_", 0.0)])


def four_bars(number: int = 10, angle: float = 0.9) -> Linkage:
    points: dict[str, object] = {}
    bodies: dict[str, Sequence[str]] = {}
    for i in range(number + 1):
        points[f"G{i}_"], points[f"T{i}_"] = (float(i), 0.0), (i + cos(angle), sin(angle))
        bodies[f"r{i}"] = [f"G{i}_", f"T{i}_"]
    for i in range(number):
        bodies[f"h{i}"] = [f"T{i}_", f"T{i + 1}_"]
    return Linkage(points, bodies, [f"G{i}_" for i in range(number + 1)], {"r0.theta": angle})


def platform(forward: bool = True) -> Linkage:
    """Three legs of two links each: the legs' angles are held, or the plate."""
    directions = (-2.6, -0.5, 1.57)
    points: dict[str, object] = {}
    bodies: dict[str, Sequence[str]] = {}
    for i, direction in enumerate(directions):
        foot, corner = polar(1.0, direction), np.array([0.05, 0.08]) + polar(0.25, 0.2 + direction)
        points |= {f"G{i}_": foot, f"P{i}_": corner, f"K{i}_": crossing(foot, 0.6, corner, 0.55, 1)}
        bodies |= {f"u{i}": [f"G{i}_", f"K{i}_"], f"l{i}": [f"K{i}_", f"P{i}_"]}
    bodies["plate"] = ["P0_", "P1_", "P2_"]
    linkage = Linkage(points, bodies, ["G0_", "G1_", "G2_"], {})
    angles = {f"u{i}.theta": linkage.poses[f"u{i}"][2] for i in range(3)}
    plate = {f"plate.{name}": value for name, value in zip(("x", "y", "theta"), linkage.poses["plate"], strict=True)}
    linkage.held = {name: float(value) for name, value in (angles if forward else plate).items()}
    return linkage


def three_cranks(longer: float = 0.0) -> Linkage:
    points: dict[str, object] = {}
    bodies: dict[str, Sequence[str]] = {}
    for i in range(3):
        points |= {f"G{i}_": (0.5 * i, 0.0), f"T{i}_": np.array([0.5 * i, 0.0]) + polar(0.4, 0.8)}
        bodies[f"r{i}"] = [f"G{i}_", f"T{i}_"]
    bodies["plank"] = ["T0_", "T1_", "T2_"]
    return Linkage(points, bodies, ["G0_", "G1_", "G2_"], {"r0.theta": 0.8})


def seven_bodies() -> Linkage:
    """Returns the linkage with the lengths of the standard test, at its start."""
    names = ("Oa", "ae", "Be", "de", "Ad", "fe", "Af")
    poses, points = {}, {}
    for (body, local), own, pose in zip(EXAMPLE.POINTS.items(), names, EXAMPLE.poses(**EXAMPLE.START), strict=True):
        x, y, theta = poses[body] = np.array(pose)
        for name, (rx, ry) in zip(own, local, strict=False):
            points[name] = (x + cos(theta) * rx - sin(theta) * ry, y + sin(theta) * rx + cos(theta) * ry)
    linkage = Linkage(points, dict(zip(poses, names, strict=True)), "OBA", {"link1.theta": EXAMPLE.START["beta"]})
    linkage.poses = poses
    return linkage


def chain(links: int = 100, closed: bool = False) -> Linkage:
    t = np.linspace(0, pi, links + 1)
    at = np.stack([np.linspace(0, 0.7 * links, links + 1), -0.25 * links * np.sin(t)], axis=1)
    points = {f"p{i}_": at[i] for i in range(links + 1)}
    bodies = {f"c{i}": [f"p{i}_", f"p{i + 1}_"] for i in range(links)}
    return Linkage(points, bodies, ["p0_", *([f"p{links}_"] if closed else [])], {})


ALL: dict[str, Callable[[], Linkage]] = {
    "four-bar": four_bar,
    "four-bar, crossed": lambda: four_bar(-1),
    "slider-crank": slider_crank,
    "Whitworth": whitworth,
    "Jansen": jansen,
    "Klann": klann,
    "Watt": watt,
    "triad": triad,
    "seven bodies": seven_bodies,
    "bucket": bucket,
    "pantograph": pantograph,
    "scissor lift": scissor,
    "ten four-bars": four_bars,
    "platform": platform,
    "platform, inverse": lambda: platform(False),
    "three cranks": three_cranks,
}
