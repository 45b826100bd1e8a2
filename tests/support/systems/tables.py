"""A pendulum on a torsion spring whose torque a table gives, for tests of tables in the master."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator

from coupling import System
from fmu_components.declare.component import Component
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import ROTATIONAL, TRANSLATIONAL, Side

ANGLES, TORQUES = (-2.0, -1.1, -0.4, 0.1, 0.9, 2.2), (30.0, 8.0, 6.5, -0.5, -4.0, -25.0)
M, LENGTH, INERTIA, GRAVITY, START = 2.0, 0.5, 0.1, 9.81, 0.8


class TorsionSpring(Component):
    """Torsion spring by a table."""

    def declare(self) -> None:
        flange = self.port("flange", ROTATIONAL, Side.EFFORT, "shaft")
        torque = self.table("torque", (ANGLES, TORQUES), ("rad", "N.m"), "torque by angle", kind="cubic")
        self.gives(flange, self.output("load", torque(flange.phi), "N.m", "torque on the shaft"))


def pendulum(component: Any = TorsionSpring, values: Mapping[str, Any] | None = None) -> System:
    system = System("tables", gravity=(0.0, -GRAVITY))
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.ActuatedRevolute")
    place = {"x": LENGTH * np.cos(START), "y": LENGTH * np.sin(START), "theta": START}
    system.add("rod", "planar.Body1", {"m": M, "I": INERTIA, "p1.rx": -LENGTH, **place})
    system.add("spring", component, values)
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    system.connect("spring.flange", "pin.flange")
    return system


PHASES = tuple(np.linspace(0, 2 * np.pi, 13))
LIFTS = (*(0.02 * (1 - np.cos(PHASES[:-1]))), 0.0)


class Cam(Joint):
    """Cam by a table: the follower N moves by the lift at the angle of the shaft M."""

    kinds = (ROTATIONAL, TRANSLATIONAL)

    def constraint(self, M: Any, N: Any) -> list[Any]:
        lift = self.table("lift", (PHASES, LIFTS), ("rad", "m"), "lift by angle", kind="periodic cubic")
        return [N.s - lift(M.phi)]


def cam() -> System:
    """Returns a shaft that moves a mass by a cam, without losses."""
    system = System("cam")
    system.add("shaft", "mechanical1d.Inertia", {"I": 0.01, "w": 10.0})
    system.add("cam", Cam)
    system.add("follower", "mechanical1d.Mass", {"m": 0.5})
    system.connect("shaft.flange", "cam.M")
    system.connect("cam.N", "follower.flange")
    return system


def curve(torques: tuple[float, ...] = TORQUES) -> PchipInterpolator:
    return PchipInterpolator(ANGLES, torques)


def swings(times: np.ndarray, torques: tuple[float, ...] = TORQUES) -> np.ndarray:
    """Returns the angle of the rod by SciPy, with the value of the end beyond the table."""
    torque = curve(torques)

    def rates(t: float, y: np.ndarray) -> list[float]:
        moment = float(torque(np.clip(y[0], ANGLES[0], ANGLES[-1]))) - M * GRAVITY * LENGTH * np.cos(y[0])
        return [y[1], moment / (INERTIA + M * LENGTH**2)]

    found = solve_ivp(rates, (0, times[-1]), [START, 0.0], "DOP853", times, rtol=1e-12, atol=1e-12, max_step=0.02)
    return np.asarray(found.y[0])
