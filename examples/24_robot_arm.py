"""Robot arm: inverse dynamics.

The tool of a robot arm of six axes follows a circle. The example finds the torques of its motors. Each link is a block, a joint and a
body in one, and the load is welded to the last. The path of the tool gives the accelerations of the angles, which drive the blocks'
inputs `qdd`. The output ``required`` of the blocks is compared with the recursion of Newton's and Euler's equations. Given to the motors,
these torques move the arm along the same path.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

import numpy as np

from jourdain import Result, System

X, Y, Z = np.eye(3)
G = np.array((0, 0, -9.81))  # m/s2
STOP, RADIUS = 3.0, 0.15  # s and m
STRIDE = 0.05  # s, in which the path is followed to find the arm's angles
START = (0.2, 0.3, -0.2, 0.4, 0.9, -0.3)  # rad, from where the arm is stretched out forward, upper arm up
MOVED = 0.5  # s, for which the torques are given to the motors
ALLOWED = {"torque": 1e-8, "path": 1e-7, "forward": 1e-5}  # N.m, m, rad


class Link(NamedTuple):
    """A link of the robot, in the axes that all links share where all angles are 0; lengths in m."""

    axis: np.ndarray | None
    """Axis of its joint; None if the link is welded."""
    offset: tuple[float, float, float]
    """Place of its joint, from the joint before."""
    centre: tuple[float, float, float]
    """The mass centre, from the joint."""
    mass: float
    inertia: tuple[float, float, float]


LINKS = {
    "turret": Link(Z, (0, 0, 0), (0.03, 0, 0.25), 20.0, (0.4, 0.4, 0.3)),
    "upper arm": Link(Y, (0.1, 0, 0.4), (0, 0.02, 0.2), 15.0, (0.35, 0.35, 0.05)),
    "forearm": Link(Y, (0, 0, 0.45), (0.1, 0, 0.08), 8.0, (0.05, 0.1, 0.1)),
    "roll": Link(X, (0.2, 0, 0.1), (0.12, 0, 0), 4.0, (0.01, 0.03, 0.03)),
    "pitch": Link(Y, (0.25, 0, 0), (0.04, 0, 0), 2.0, (0.004, 0.006, 0.006)),
    "flange": Link(X, (0.08, 0, 0), (0.02, 0, 0), 0.5, (0.001, 0.001, 0.001)),
    "load": Link(None, (0.12, 0, 0), (0.05, 0.01, 0), 3.0, (0.01, 0.02, 0.02)),
}
JOINTS = [name for name, link in LINKS.items() if link.axis is not None]


# 1. The system. A joint turns about z of its port, so both ports at a joint have z along the axis; their x is any direction across it.


def frame(name: str, axis: np.ndarray | None) -> dict[str, float]:
    z = Z if axis is None else axis
    across = Y if z is X else X
    return {f"{name}.{kind}{a}": float(value) for kind, of in (("z", z), ("x", across)) for a, value in zip("xyz", of, strict=True)}


def port(name: str, place: np.ndarray, axis: np.ndarray | None) -> dict[str, float]:
    return {**{f"{name}.r{a}": float(value) for a, value in zip("xyz", place, strict=True)}, **frame(name, axis)}


def system() -> System:
    arm = System("robot arm")
    names, links = list(LINKS), list(LINKS.values())
    arm.add("ground", "spatial.Fixed", port("p1", np.zeros(3), links[0].axis))
    for number, (name, link) in enumerate(LINKS.items()):
        values = {"m": link.mass, **dict(zip(("Ixx", "Iyy", "Izz"), link.inertia, strict=True))}
        values |= {**dict(zip(("rx", "ry", "rz"), link.centre, strict=True)), **frame("P", link.axis)}
        if number + 1 < len(links):
            values |= port("C1", np.array(links[number + 1].offset), links[number + 1].axis)
        if link.axis is not None:
            values |= {"q": START[number]}
        arm.add(name, f"spatial.{'Welded' if link.axis is None else 'Revolute'}Body", values)
        arm.connect(f"{names[number - 1]}.C1" if number else "ground.p1", f"{name}.P")
    return arm


# 2. The recursion: outwards the motion of each link, inwards forces and torques.


class Motion(NamedTuple):
    """The motion of a link, in absolute axes: its joint's place and axis, its attitude, and its velocities and accelerations at the joint."""

    place: np.ndarray
    axis: np.ndarray
    R: np.ndarray
    omega: np.ndarray
    alpha: np.ndarray
    acceleration: np.ndarray


def cross(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """Returns the cross product of two vectors, for which NumPy's own function takes ten times as long."""
    return np.array((a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]))


def turned(axis: np.ndarray, angle: float) -> np.ndarray:
    return np.outer(axis, axis) + np.cos(angle) * (np.eye(3) - np.outer(axis, axis)) + np.sin(angle) * np.cross(np.eye(3), axis)


def outwards(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> list[Motion]:
    place = omega = alpha = acceleration = np.zeros(3)
    R, found = np.eye(3), []
    rates = iter(zip(q, qd, qdd, strict=True))
    for link in LINKS.values():
        arm = R @ link.offset
        place = place + arm
        acceleration = acceleration + cross(alpha, arm) + cross(omega, cross(omega, arm))
        axis = np.zeros(3)
        if link.axis is not None:
            angle, rate, change = next(rates)
            axis = R @ link.axis
            alpha = alpha + change * axis + rate * cross(omega, axis)
            omega = omega + rate * axis
            R = R @ turned(link.axis, angle)
        found.append(Motion(place, axis, R, omega, alpha, acceleration))
    return found


def torques(q: np.ndarray, qd: np.ndarray, qdd: np.ndarray) -> np.ndarray:
    """Returns the torques that the motors have to give, in N.m."""
    force, moment, found = np.zeros(3), np.zeros(3), []
    after = None
    for link, here in zip(reversed(LINKS.values()), reversed(outwards(q, qd, qdd)), strict=True):
        if after is not None:
            moment = moment + cross(after.place - here.place, force)
        centre, J = here.R @ link.centre, here.R @ np.diag(link.inertia) @ here.R.T
        own = link.mass * (here.acceleration + cross(here.alpha, centre) + cross(here.omega, cross(here.omega, centre)) - G)
        force = force + own
        moment = moment + J @ here.alpha + cross(here.omega, J @ here.omega) + cross(centre, own)
        if link.axis is not None:
            found.append(here.axis @ moment)
        after = here
    return np.array(found[::-1])


# 3. The path: a circle in the plane of y and z, at rest at both ends, with the attitude of the start. Of the angles' accelerations one
# part makes the tool's, and what curved joint motion adds to that is taken off.


def on_path(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Returns the displacement of the tool from its start, and two derivatives."""
    s = np.clip(t / STOP, 0, 1)
    turn, rate, change = (
        2 * np.pi * each
        for each in (s**3 * (10 - 15 * s + 6 * s**2), 30 * s**2 * (1 - s) ** 2 / STOP, 60 * s * (1 - s) * (1 - 2 * s) / STOP**2)
    )
    out, along = np.cos(turn) * Z + np.sin(turn) * Y, np.cos(turn) * Y - np.sin(turn) * Z
    return RADIUS * (out - Z), RADIUS * rate * along, RADIUS * (change * along - rate**2 * out)


def jacobian(links: list[Motion]) -> np.ndarray:
    """Returns the derivatives of the load's joint and attitude by the angles."""
    return np.array([(*cross(each.axis, links[-1].place - each.place), *each.axis) for each in links[:-1]]).T


HOME = outwards(np.array(START), np.zeros(6), np.zeros(6))[-1]


def angles(t: float, q: np.ndarray) -> np.ndarray:
    """Solves for the angles by Newton's method, from angles near the solution."""
    for _ in range(6):
        links = outwards(q, np.zeros(6), np.zeros(6))
        off = HOME.R @ links[-1].R.T
        left = np.array((*(HOME.place + on_path(t)[0] - links[-1].place), *((off - off.T)[[2, 0, 1], [1, 2, 0]] / 2)))
        if np.abs(left).max() < 1e-13:
            break
        q = q + np.linalg.solve(jacobian(links), left)
    return q


@lru_cache
def followed(strides: int) -> np.ndarray:
    """The angles after so many strides along the path."""
    return angles(strides * STRIDE, followed(strides - 1)) if strides else np.array(START)


@lru_cache(maxsize=4096)
def planned(t: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Angles, rates and accelerations of the joints."""
    _, velocity, acceleration = on_path(t)
    q, none = angles(t, followed(int(t / STRIDE))), np.zeros(6)
    J = jacobian(outwards(q, none, none))
    qd = np.linalg.solve(J, (*velocity, 0, 0, 0))
    curved = outwards(q, qd, none)[-1]
    return q, qd, np.linalg.solve(J, (*(acceleration - curved.acceleration), *-curved.alpha))


# 4. The inverse dynamics, then the arm with these torques.


def of_joint(number: int) -> Callable[[float], float]:
    return lambda t: float(planned(t)[2][number])


def inverse() -> Result:
    arm = system()
    for number, name in enumerate(JOINTS):
        arm.drive(f"{name}.qdd", of_joint(number))
    return arm.simulate(STOP, rtol=1e-8, output_interval=0.03)


def forward(given: Callable[[float], np.ndarray]) -> Result:
    arm = system()
    for number, name in enumerate(JOINTS):
        arm.drive(f"{name}.torque", lambda t, number=number: float(given(t)[number]))
    return arm.simulate(MOVED, rtol=1e-7)


def show(folder: Path) -> Result:
    """Runs the inverse dynamics, and writes a plot and an animation."""
    result = inverse()
    print(result.outcome)
    result.animate(folder / "robot_arm.html", traces=["flange.C1"])
    result.plot("*.q", "*.required", path=folder / "robot_arm.png")
    return result


def main() -> int:
    parser = argparse.ArgumentParser(description="A robot arm of six axes: torques along a path.")
    parser.add_argument("--out", type=Path, default=Path("build/demo"), help="folder for the plot (default: build/demo)")
    folder = parser.parse_args().out
    folder.mkdir(parents=True, exist_ok=True)
    result = show(folder)
    states = [np.column_stack([result[f"{name}.{each}"] for name in JOINTS]) for each in ("q", "qd", "qdd", "required")]
    errors = {"torque": max(float(np.abs(torques(*each[:3]) - each[3]).max()) for each in zip(*states, strict=True))}
    places = np.column_stack([result[f"flange.C1.{a}"] for a in "xyz"])
    errors["path"] = max(float(np.linalg.norm(place - HOME.place - on_path(t)[0])) for t, place in zip(result.time, places, strict=True))
    largest = np.abs(states[3]).max(axis=0)
    print("largest torques in N.m: " + ", ".join(f"{name} {torque:.1f}" for name, torque in zip(JOINTS, largest, strict=True)))
    print(f"largest difference to the recursion: {errors['torque']:.1e} N.m")
    print(f"largest distance from the path: {errors['path']:.1e} m")
    moved = forward(lambda t: torques(*planned(t)))
    errors["forward"] = max(abs(moved[f"{name}.q"][-1] - planned(MOVED)[0][number]) for number, name in enumerate(JOINTS))
    print(f"after {MOVED} s by these torques the angles are right to {errors['forward']:.1e} rad")
    print(f"plot: {folder / 'robot_arm.png'}")
    return 0 if all(errors[name] <= allowed for name, allowed in ALLOWED.items()) else 1


if __name__ == "__main__":
    sys.exit(main())
