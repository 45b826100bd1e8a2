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
from tests.support.systems.machines import example

INSTANTS = [0.0, 1.0, 2.0, 3.0, 4.0, 5.0]


def two_masses() -> System:
    """They keep their relative velocity, and one is pushed: x1 = 3 + t^2 / 12, the force between them is 5/6 N."""
    system = System("two masses")
    system.add("A", "planar.Body2", {"m": 7.0, "gy": 0.0, "x": 3.0})
    system.add("B", "planar.Body1", {"m": 5.0, "gy": 0.0})
    system.add("rail", "planar.RelativeVelocity")
    system.add("push", "planar.Wrench", {"Fx": 2.0})
    return connected(system, ("A.p1", "rail.M"), ("B.p1", "rail.N"), ("A.p2", "push.M"))


_POINTING, _WHEEL, _PARALLELOGRAM = (example(name) for name in ("18_pointing", "19_wheel", "20_parallelogram"))
pointed, pointed_exact = _POINTING.system, _POINTING.exact
wheel, parallelogram, parallelogram_exact = _WHEEL.system, _PARALLELOGRAM.system, _PARALLELOGRAM.exact
WHEEL = {"m": _WHEEL.MASS, "radius": _WHEEL.RADIUS}
_REACTIONS = example("38_reaction_forces")
natural_wheel, wheel_in_space = _REACTIONS.natural_wheel, _REACTIONS.system
GRIP, TRAVELLED, ROLLING = _WHEEL.GRIP, _WHEEL.TRAVELLED, _WHEEL.ACCELERATION


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
    """Returns the force of a pin on a rod of 1 kg whose mass centre is half a metre away."""
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


def door(posts: Sequence[type[Component] | str] = ("planar.Fixed",) * 3) -> System:
    """Returns a door on as many coincident hinges as there are posts."""
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
