"""Loader: assembly and lifting.

The bucket linkage of a loader is assembled from the lengths of its cylinders and rough guesses. Two hydraulic cylinders move boom and
bucket, the latter over a rocker and a link. An engineer knows the lengths of the cylinders and the look of the machine; `assemble` finds
the places of the bodies. Eight ways to close the linkage fit the lengths. The guesses of three angles choose one. Pumps then feed both
cylinders: one pushes the boom up, the other draws its rod in and curls the bucket. The oil of the other chambers flows to the tank
through orifices. The pose is compared with circles that cross. The motion is compared with Lagrange's equations in two angles and four
pressures, which SciPy integrates.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import sympy
from scipy.integrate import solve_ivp

from jourdain import Pose, Result, System
from jourdain.declare import t

# 1. Points in m: on the frame, and on each body in a frame of its own, in which its mass centre is told as well.

GRAVITY = 9.81
FRAME = {"boom": (0.0, 1.4), "lift": (0.1, 0.7)}
POINTS = {
    "boom": {"frame": (0.0, 0.0), "bucket": (2.2, 0.0), "rocker": (1.65, 0.05), "curl": (0.15, 0.45), "lift": (1.1, -0.15)},
    "rocker": {"boom": (0.0, 0.0), "link": (0.47, 0.0)},
    "link": {"rocker": (0.0, 0.0), "bucket": (0.68, 0.0)},
    "bucket": {"boom": (0.0, 0.0), "link": (-0.1, 0.38), "edge": (0.95, -0.1)},
}
CENTRE = {"boom": (1.1, 0.05), "rocker": (0.22, 0.0), "link": (0.34, 0.0), "bucket": (0.45, 0.15)}
MASS = {"boom": 320.0, "rocker": 45.0, "link": 20.0, "bucket": 800.0}  # kg, that of the bucket with its load
INERTIA = {"boom": 160.0, "rocker": 3.0, "link": 1.0, "bucket": 110.0}  # kg.m2
PINS = (("boom", "rocker"), ("boom", "bucket"), ("rocker", "link"), ("link", "bucket"))

# 2. Hydraulics. A cylinder is as long as `closed` with its rod drawn in.

CYLINDERS: dict[str, dict[str, float]] = {
    "lift": {"closed": 0.75, "start": 0.88, "piston": 0.11, "rod": 0.05, "stroke": 0.75, "fed": 1, "way": 0.35},
    "curl": {"closed": 0.85, "start": 1.28, "piston": 0.09, "rod": 0.045, "stroke": 0.65, "fed": 2, "way": 0.13},
}  # m; the chamber that the pump feeds, and how far its oil moves the rod
VOLUME, OIL, WALL, HOSE = 2e-4, 1.5e9, 3.15e10, 1.5e8  # m3, Pa
VISCOUS = 3e4  # N.s/m
AREA, DISCHARGE, DENSITY, LAMINAR, TANK = 3e-5, 0.7, 870.0, 2e5, 1e5  # of the orifices: m2, , kg/m3, Pa, Pa
STOP = 3.0
BUMPS = {"lift": 1, "curl": 2}
"""Number of bumps in which each pump gives its oil."""
GUESSES = {"boom.theta": -0.5, "rocker.theta": 1.5, "bucket.theta": 0.0}


def area(name: str, chamber: int) -> float:
    """Returns the area of a piston."""
    size = CYLINDERS[name]
    return np.pi / 4 * (size["piston"] ** 2 - (size["rod"] ** 2 if chamber == 2 else 0.0))


def fed(name: str) -> int:
    """The chamber."""
    return int(CYLINDERS[name]["fed"])


def flow(name: str, time: Any, cos: Callable) -> Any:
    """Returns the flow of a pump."""
    return area(name, fed(name)) * CYLINDERS[name]["way"] / STOP * (1 - cos(2 * np.pi * BUMPS[name] * time / STOP))


# 3. The machine: build it, run it, show it. Bodies have masses and ports, and no places.


def port(body: str, point: str) -> str:
    return f"{body}.p{1 + list(POINTS[body]).index(point)}"


def machine(pressures: dict[str, float] | None = None) -> System:
    loader = System("loader", gravity=(0.0, -GRAVITY))
    for name, (x, y) in FRAME.items():
        loader.add(f"frame {name}", "planar.Fixed", {"p1.rx": x, "p1.ry": y})
    for name, points in POINTS.items():
        values = {"m": MASS[name], "I": INERTIA[name]}
        for k, place in enumerate(points.values(), start=1):
            values |= {f"p{k}.r{a}": place[i] - CENTRE[name][i] for i, a in enumerate("xy")}
        loader.add(name, f"planar.Body{len(points)}", values)
    loader.join("planar.Revolute", "frame boom.p1", port("boom", "frame"), name="boom pin")
    for a, b in PINS:
        loader.join("planar.Revolute", port(a, b), port(b, a), name=f"{a} {b}")
    ends = {"lift": ("frame lift.p1", port("boom", "lift")), "curl": (port("boom", "curl"), port("rocker", "link"))}
    loader.add("tank", "hydraulic.Tank", {"pressure": TANK})
    for name, (a, b) in ends.items():
        size = CYLINDERS[name]
        loader.join("planar.LinearActuator", a, b, {"offset": size["closed"]}, name=name)
        oil = {"bulk.oil": OIL, "bulk.wall": WALL, "bulk.hose": HOSE, "hose1.volume": VOLUME, "hose2.volume": VOLUME}
        dimensions = {each: size[each] for each in ("piston", "rod", "stroke")}
        start = {"p1": TANK, "p2": TANK, f"p{fed(name)}": (pressures or {}).get(name, TANK)}
        loader.add(f"{name} cylinder", "hydraulic.Cylinder", dimensions | oil | {"viscous": VISCOUS} | start)
        loader.add(f"{name} pump", "hydraulic.FlowSource")
        loader.add(f"{name} orifice", "hydraulic.Orifice", {"area": AREA, "discharge": DISCHARGE, "density": DENSITY, "laminar": LAMINAR})
        loader.drive(f"{name} pump.flow", flow(name, t, sympy.cos))
        loader.connect(f"{name}.flange", f"{name} cylinder.flange")
        to, back = "AB" if fed(name) == 1 else "BA"
        loader.connect(f"{name} cylinder.{to}", f"{name} pump.port")
        loader.connect(f"{name} cylinder.{back}", f"{name} orifice.A")
        loader.connect("tank.port", f"{name} orifice.B")
    return loader


def assembled(loader: System) -> Pose:
    """Assembles the machine from the lengths of the cylinders; the angles are guessed to 0.4 rad."""
    lengths = {f"{name}.length": CYLINDERS[name]["start"] for name in CYLINDERS}
    return loader.assemble(hold=lengths, guess={name: (angle, 0.4) for name, angle in GUESSES.items()})


def show(folder: Path, pressures: dict[str, float]) -> tuple[Pose, Result]:
    """Assembles the machine, runs it, and writes a plot and an animation."""
    loader = machine(pressures)
    pose = assembled(loader)
    print("\n".join(pose.notes))
    moved = ", ".join(f"{name} by {each:+.2f} rad" for name, each in pose.moved.items())
    print(f"branch {pose.branch}; guesses moved: {moved}")
    result = loader.simulate(STOP, rtol=1e-9, initial=pose, output_times=np.linspace(0.0, STOP, 61))
    print(result.summary())
    result.animate(folder / "loader.html", traces=[port("bucket", "edge")])
    fed_chambers = tuple(f"{name} cylinder.p{fed(name)}" for name in CYLINDERS)
    result.plot("boom.theta", "bucket.theta", fed_chambers, path=folder / "loader.png")
    return pose, result


# 4. By hand, with complex numbers: two angles, those of boom and rocker, tell where everything is. A place is a sum of arms, each of which
# turns with a body; link and bucket close a loop, so that the bucket's lug is where two circles cross.

LEVEL_POSE, LEVEL_RUN = 1e-10, 1e-6  # m and rad; relative

Arms = list[tuple[str, complex]]


def arm(body: str, to: str, start: str | None = None) -> tuple[str, complex]:
    place = np.subtract(CENTRE[body] if to == "centre" else POINTS[body][to], POINTS[body][start] if start else (0.0, 0.0))
    return body, complex(*place)


KNEE = [arm("boom", "rocker"), arm("rocker", "link")]
CENTRES: dict[str, Arms] = {
    "boom": [arm("boom", "centre")],
    "rocker": [arm("boom", "rocker"), arm("rocker", "centre")],
    "link": [*KNEE, arm("link", "centre")],
    "bucket": [arm("boom", "bucket"), arm("bucket", "centre")],
}
LOOP = [arm("boom", "rocker", "bucket"), arm("rocker", "link"), arm("link", "bucket"), ("bucket", -arm("bucket", "link")[1])]
LINES = {"lift": (complex(*np.subtract(FRAME["boom"], FRAME["lift"])), [arm("boom", "lift")])}
LINES["curl"] = (0j, [arm("boom", "rocker", "curl"), arm("rocker", "link")])
BODIES = list(POINTS)


def place(arms: Arms, angles: np.ndarray) -> complex:
    return complex(sum(along * np.exp(1j * angles[BODIES.index(body)]) for body, along in arms))


def slopes(arms: Arms, angles: np.ndarray) -> np.ndarray:
    """Returns the derivatives of a place by the angles."""
    found = np.zeros(4, dtype=complex)
    for body, along in arms:
        k = BODIES.index(body)
        found[k] += 1j * along * np.exp(1j * angles[k])
    return np.array([found.real, found.imag])


def bending(arms: Arms, angles: np.ndarray, speeds: np.ndarray) -> np.ndarray:
    """The acceleration of a place while all angles change evenly."""
    return slopes([(body, 1j * along * speeds[BODIES.index(body)] ** 2) for body, along in arms], angles).sum(axis=1)


class ByHand:
    def angles(self, lift: float, curl: float) -> np.ndarray:
        """Returns the angles of boom and rocker, by the law of cosines in the triangles of which the cylinders are sides."""
        foot = np.subtract(FRAME["lift"], FRAME["boom"])
        eye, knee = np.array(POINTS["boom"]["lift"]), np.array(POINTS["rocker"]["link"])
        boom = _direction(foot) + _corner(foot, eye, lift) - _direction(eye)
        base = np.subtract(POINTS["boom"]["curl"], POINTS["boom"]["rocker"])
        return np.array([boom, boom + _direction(base) - _corner(base, knee, curl) - _direction(knee)])

    def all_angles(self, q: np.ndarray) -> np.ndarray:
        """Returns all angles, those of link and bucket included."""
        angles = np.array([*q, 0.0, 0.0])
        lug, link = abs(LOOP[3][1]), abs(LOOP[2][1])
        across = -place(LOOP[:2], angles)  # from the knee to the hinge of the bucket
        along = (abs(across) ** 2 + link**2 - lug**2) / (2 * abs(across))
        pin = across / abs(across) * (along + 1j * np.sqrt(link**2 - along**2))
        angles[2:] = np.angle(pin), np.angle((pin - across) / -LOOP[3][1])
        return angles

    def places(self, q: np.ndarray) -> np.ndarray:
        """Returns x, y and angle of the bodies."""
        angles, hinge = self.all_angles(q), complex(*FRAME["boom"])
        at = [hinge + place(CENTRES[name], angles) for name in BODIES]
        return np.array([[p.real, p.imag, angle] for p, angle in zip(at, angles, strict=True)])

    def moved(self, angles: np.ndarray, w: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """All angles by the two, all speeds, and the accelerations while the two change evenly."""
        loop = slopes(LOOP, angles)
        by_q = np.vstack([np.eye(2), -np.linalg.solve(loop[:, 2:], loop[:, :2])])
        speeds = by_q @ w
        return by_q, speeds, np.array([0.0, 0.0, *-np.linalg.solve(loop[:, 2:], bending(LOOP, angles, speeds))])

    def lengths(self, angles: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Returns the lengths of the cylinders, and their derivatives by all angles."""
        lines = [start + place(arms, angles) for start, arms in LINES.values()]
        along = [[line.real, line.imag] @ slopes(arms, angles) / abs(line) for line, (_, arms) in zip(lines, LINES.values(), strict=True)]
        return np.abs(lines), np.array(along)

    def weights(self, angles: np.ndarray) -> np.ndarray:
        """Moments by the angles."""
        return -GRAVITY * sum(MASS[name] * slopes(CENTRES[name], angles)[1] for name in BODIES)

    def pressures(self, q: np.ndarray) -> dict[str, float]:
        """Returns the pressures in the chambers that carry the machine at rest, by virtual work."""
        angles = self.all_angles(q)
        by_q = self.moved(angles, np.zeros(2))[0]
        found = {}
        for name, force in zip(CYLINDERS, np.linalg.solve((self.lengths(angles)[1] @ by_q).T, -by_q.T @ self.weights(angles)), strict=True):
            push = force if fed(name) == 1 else -force
            found[name] = (push + TANK * area(name, 3 - fed(name))) / area(name, fed(name))
        return found

    def rates(self, time: float, state: np.ndarray) -> np.ndarray:
        w, p = state[2:4], state[4:].reshape(2, 2)
        angles = self.all_angles(state[:2])
        by_q, turning, even = self.moved(angles, w)
        lengths, along = self.lengths(angles)
        speeds = along @ turning
        forces, changes = np.zeros(2), np.zeros((2, 2))
        for i, name in enumerate(CYLINDERS):
            areas, stroke = (area(name, 1), area(name, 2)), CYLINDERS[name]["stroke"]
            out = lengths[i] - CYLINDERS[name]["closed"]
            driven = fed(name) - 1
            drop = p[i, 1 - driven] - TANK
            flows = np.array([-areas[0], areas[1]]) * speeds[i]
            flows[driven] += flow(name, time, np.cos)
            flows[1 - driven] -= DISCHARGE * AREA * np.sqrt(2 / DENSITY) * drop / np.sqrt(max(abs(drop), LAMINAR))
            for k, length in enumerate((out, stroke - out)):
                swept = areas[k] * length
                softness = 1 / OIL + swept / (swept + VOLUME) / WALL + VOLUME / (swept + VOLUME) / HOSE
                changes[i, k] = flows[k] / softness / (swept + VOLUME)
            forces[i] = p[i, 0] * areas[0] - p[i, 1] * areas[1] - VISCOUS * speeds[i]
        masses, load = np.diag([INERTIA[name] for name in BODIES]), self.weights(angles) + along.T @ forces
        for name in BODIES:
            arms = slopes(CENTRES[name], angles)
            masses = masses + MASS[name] * arms.T @ arms
            load = load - MASS[name] * arms.T @ bending(CENTRES[name], angles, turning)
        turned = np.linalg.solve(by_q.T @ masses @ by_q, by_q.T @ (load - masses @ even))
        return np.array([*w, *turned, *changes.ravel()])

    def run(self, times: np.ndarray) -> np.ndarray:
        q = self.angles(*(CYLINDERS[name]["start"] for name in CYLINDERS))
        start = [*q, 0.0, 0.0]
        for name, pressure in self.pressures(q).items():
            start += [pressure, TANK] if fed(name) == 1 else [TANK, pressure]
        scale = np.array([1.0] * 4 + [1e6] * 4)
        return solve_ivp(self.rates, (0.0, times[-1]), start, method="LSODA", rtol=1e-10, atol=1e-11 * scale, t_eval=times).y


def _direction(v: np.ndarray) -> float:
    return float(np.arctan2(v[1], v[0]))


def _corner(a: np.ndarray, b: np.ndarray, opposite: float) -> float:
    return float(np.arccos((a @ a + b @ b - opposite**2) / (2 * np.linalg.norm(a) * np.linalg.norm(b))))


# 5. The check.


def off_pose(pose: Pose, places: np.ndarray) -> float:
    """The largest difference of places and angles, whole turns aside."""
    off = np.array([[pose[f"{name}.{state}"] for state in ("x", "y", "theta")] for name in BODIES]) - places
    off[:, 2] -= 2 * np.pi * np.round(off[:, 2] / (2 * np.pi))
    return float(np.abs(off).max())


def off_run(result: Result, known: np.ndarray) -> dict[str, float]:
    """Returns the largest error of each quantity, relative to its largest value."""
    found = {"boom.theta": 0, "rocker.theta": 1, "boom.omega": 2, "rocker.omega": 3}
    found |= {f"{name} cylinder.p{k}": 3 + 2 * i + k for i, name in enumerate(CYLINDERS) for k in (1, 2)}
    return {name: float(np.abs(result[name] - known[i]).max() / np.abs(known[i]).max()) for name, i in found.items()}


def main() -> int:
    parser = argparse.ArgumentParser(description="A loader, assembled from the lengths of its cylinders.")
    parser.add_argument("--out", type=Path, default=Path("build/loader"), help="folder for the plot (default: build/loader)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    hand = ByHand()
    q = hand.angles(*(CYLINDERS[name]["start"] for name in CYLINDERS))
    pose, result = show(folder, hand.pressures(q))
    there = off_pose(pose, hand.places(q))
    print(f"pose: off by {there:.1e} m or rad from circles that cross ({LEVEL_POSE:g} is allowed)")
    known = hand.run(result.time)
    off = off_run(result, known)
    for name in ("boom", "bucket"):
        print(f"{name}: from {result[f'{name}.theta'][0]:+.4f} to {result[f'{name}.theta'][-1]:+.4f} rad")
    for name in CYLINDERS:
        print(
            f"{name} cylinder: {result[f'{name}.length'][-1]:.6f} m long at the end, {result[f'{name} cylinder.p{fed(name)}'].max() / 1e5:.2f} bar at most"
        )
    worst = max(off, key=lambda name: off[name])
    print(f"motion: off by {off[worst]:.1e} from Lagrange's equations by hand, at '{worst}' ({LEVEL_RUN:g} is allowed)")
    print(f"plot: {folder / 'loader.png'}")
    return 0 if result.outcome.completed and there <= LEVEL_POSE and off[worst] <= LEVEL_RUN else 1


if __name__ == "__main__":
    sys.exit(main())
