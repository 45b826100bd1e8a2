"""Mechanisms for solvers with fixed steps, and what is exactly known of them: three of a paper (Gonzalez, Dopico, Cuadrado, Kovecses, Reaction
efforts associated with non-holonomic and rheonomic constraints in index-3 augmented Lagrangian formulations), and some that are hard."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from scipy.integrate import solve_ivp
from sympy import sin

from coupling import System
from fmu_components.declare.component import Component
from fmu_components.declare.ports import PLANAR, Side

INSTANTS = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def two_masses() -> System:
    """They keep their relative velocity, and one is pushed: x1 = 3 + t^2 / 12, the force between them is 5/6 N."""
    system = System("two masses")
    system.add("A", "planar.Body2", {"m": 7.0, "gy": 0.0, "x": 3.0})
    system.add("B", "planar.Body1", {"m": 5.0, "gy": 0.0})
    system.add("rail", "planar.RelativeVelocity")
    system.add("push", "planar.Wrench", {"Fx": 2.0})
    return connected(system, ("A.p1", "rail.M"), ("B.p1", "rail.N"), ("A.p2", "push.M"))


def pointed() -> System:
    """The velocity of A points at B, which is pushed aside."""
    system = System("A pointing at B")
    system.add("A", "planar.Body1", {"m": 1.5, "gy": 0.0, "vx": 1.0})
    system.add("B", "planar.Body2", {"m": 2.0, "gy": 0.0, "x": 3.0, "vx": 1.0})
    system.add("pointer", "planar.PointedVelocity")
    system.add("push", "planar.Wrench", {"Fy": 2.0})
    return connected(system, ("A.p1", "pointer.M"), ("B.p1", "pointer.N"), ("B.p2", "push.M"))


def pointed_exact(times: Sequence[float]) -> dict[str, np.ndarray]:
    """A keeps its speed: r_A' = (r_B - r_A) / |r_B - r_A|, and the force is m |v_A| times the rate of its direction."""

    def towards(t: float, r: np.ndarray) -> np.ndarray:
        to = np.array([3 + t, t * t / 2]) - r
        return to / np.linalg.norm(to)

    r = solve_ivp(towards, (0, times[-1]), [0, 0], method="DOP853", rtol=1e-13, atol=1e-14, t_eval=times).y
    v = np.array([towards(t, each) for t, each in zip(times, r.T, strict=True)]).T
    to = np.array([3 + np.array(times), np.array(times) ** 2 / 2]) - r
    turning = (to[0] * np.array(times) - to[1]) / (to**2).sum(axis=0)
    return {"A.x": r[0], "A.y": r[1], "A.vx": v[0], "A.vy": v[1], "force": 1.5 * np.abs(turning)}


WHEEL = {"m": 2.5467, "I": 0.045224, "radius": 0.175}
ROLLING = 2 / (WHEEL["m"] + WHEEL["I"] / WHEEL["radius"] ** 2)
"""The acceleration in m/s2 while it is pushed, and the force at the ground."""
GRIP = WHEEL["I"] / WHEEL["radius"] ** 2 * ROLLING
TRAVELLED = ROLLING * (0.5 + 2.5)
"""In m after 5 s."""


def wheel() -> System:
    """Rolls without slip, and is pushed with 2 N from 1.5 s to 2.5 s."""
    system = System("wheel")
    system.add("ground", "planar.Fixed")
    system.add("wheel", "planar.Body2", {"m": WHEEL["m"], "I": WHEEL["I"], "y": WHEEL["radius"]})
    system.add("contact", "planar.RollingDisc", {"radius": WHEEL["radius"]})
    system.add("push", "planar.Wrench")
    system.drive("push.Fx", [(0, 0), (1.5, 0), (1.5, 2), (2.5, 2), (2.5, 0), (5, 0)])
    return connected(system, ("ground.p1", "contact.M"), ("wheel.p1", "contact.N"), ("wheel.p2", "push.M"))


def lagging(lag: float = 0.1, start: float = 0.0, **parameters: float) -> System:
    """A rod from the horizontal, with a torque in its pin that follows its rate with a lag, and brakes."""
    system = System("lagging")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.ActuatedRevolute", parameters)
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
    system.add("lag", "signal.FirstOrder", {"k": -1.0, "T": lag, "x": start})
    pairs = ("ground.p1", "pin.M"), ("pin.N", "rod.p1"), ("pin.rotation.qd", "lag.u"), ("lag.y", "pin.effort")
    return connected(system, *pairs)


def lagging_exact(times: Sequence[float]) -> np.ndarray:
    """Angle, rate, torque, and the forces of the pin, by row, for a lag of 0.1 s."""

    def slope(t: float, y: np.ndarray) -> list[float]:
        return [y[1], 3 * (y[2] - 9.81 / 2 * np.cos(y[0])), -(y[1] + y[2]) / 0.1]

    y = solve_ivp(slope, (0, times[-1]), [0, 0, 0], method="DOP853", rtol=1e-13, atol=1e-14, t_eval=times).y
    faster = slope(0, y)[1]
    return np.vstack([y, *_of_arm(y[0], y[1], faster)])


def _of_arm(angle: np.ndarray, rate: np.ndarray, faster: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """What a pin gives to a rod of 1 kg whose mass centre is half a metre away."""
    x, y = np.cos(angle) / 2, np.sin(angle) / 2
    return -y * faster - x * rate**2, x * faster - y * rate**2 + 9.81


class Shaken(Component):
    """Point that oscillates by 0.1 m with 5 rad/s along x, whatever acts on it."""

    def declare(self) -> None:
        p1 = self.port("p1", PLANAR, Side.MOTION, "the point")
        phase = self.state("phase", 0.0, "rad", "of the oscillation")
        self.rate(phase, self.parameter("rate", 5.0, "rad/s", "of the oscillation"))
        self.moves(p1, self.parameter("amplitude", 0.1, "m", "of the oscillation") * sin(phase), 0, 0)


class Dragged(Component):
    """Point that is pulled away along x from rest, harder and harder, whatever acts on it."""

    def declare(self) -> None:
        p1 = self.port("p1", PLANAR, Side.MOTION, "the point")
        x, v, a = (self.state(name, 0.0, unit, "of its motion") for name, unit in (("x", "m"), ("v", "m/s"), ("a", "m/s2")))
        self.rate(x, v)
        self.rate(v, a)
        self.rate(a, self.parameter("jerk", 100.0, "m/s3", "rate of its acceleration"))
        self.moves(p1, x, 0, 0)


def shaken() -> System:
    """A rod on a pin that moves by itself; its mass centre starts with the pin's 0.5 m/s."""
    system = System("shaken")
    system.add("pivot", Shaken)
    system.add("pin", "planar.Revolute")
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5, "vx": 0.5})
    return connected(system, ("pivot.p1", "pin.M"), ("pin.N", "rod.p1"))


def shaken_exact(times: Sequence[float]) -> np.ndarray:
    """Angle and rate, by row."""

    def slope(t: float, y: np.ndarray) -> list[float]:
        return [y[1], 1.5 * (-2.5 * np.sin(5 * t) * np.sin(y[0]) - 9.81 * np.cos(y[0]))]

    return solve_ivp(slope, (0, times[-1]), [0, 0], method="DOP853", rtol=1e-13, atol=1e-14, t_eval=times).y


def parallelogram() -> System:
    """Links of 1 m and 2 m, 1 kg each, upright, driven over with 6 rad/s: it goes round and round, twice in each turn with its links in a line."""
    system = System("parallelogram")
    upright = {"m": 1.0, "I": 1 / 12, "p1.ry": -0.5, "p2.ry": 0.5, "y": 0.5, "vx": -3.0, "omega": 6.0}
    system.add("left", "planar.Fixed")
    system.add("right", "planar.Fixed", {"p1.rx": 2.0})
    system.add("crank", "planar.Body2", upright)
    system.add("rocker", "planar.Body2", {**upright, "x": 2.0})
    system.add("coupler", "planar.Body2", {"m": 1.0, "I": 1 / 3, "p1.rx": -1.0, "p2.rx": 1.0, "x": 1.0, "y": 1.0, "vx": -6.0})
    for name, a, b in (
        ("a", "left.p1", "crank.p1"),
        ("b", "right.p1", "rocker.p1"),
        ("c", "crank.p2", "coupler.p1"),
        ("d", "rocker.p2", "coupler.p2"),
    ):
        hinge(system, name, a, b)
    return system


def parallelogram_exact(stop: float) -> float:
    """The angle of the crank, in rad."""

    def slope(t: float, y: np.ndarray) -> list[float]:
        return [y[1], 9.81 * 2 * np.sin(y[0]) / (2 / 3 + 1)]

    return float(solve_ivp(slope, (0, stop), [0, 6], method="DOP853", rtol=1e-12, atol=1e-12).y[0, -1])


def door(posts: Sequence[type[Component] | str] = ("planar.Fixed",) * 3) -> System:
    """On as many coincident hinges as there are posts."""
    system = System("door")
    ends = {f"p{k}.rx": -0.5 for k in range(1, len(posts) + 1)}
    system.add("door", f"planar.Body{len(posts)}", {**ends, "m": 1.0, "I": 1 / 12, "x": 0.5})
    for k, post in enumerate(posts, start=1):
        system.add(f"post{k}", post)
        hinge(system, f"hinge{k}", f"post{k}.p1", f"door.p{k}")
    return system


def hinge(system: System, name: str, a: str, b: str) -> None:
    system.add(name, "planar.Revolute")
    connected(system, (a, f"{name}.M"), (b, f"{name}.N"))


def connected(system: System, *pairs: tuple[str, str]) -> System:
    for a, b in pairs:
        system.connect(a, b)
    return system
