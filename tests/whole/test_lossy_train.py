"""A gear train with losses and a worm that locks itself, of the catalogue's components alone, against a solution by cases."""

from __future__ import annotations

from collections.abc import Callable
from math import atan, cos, tan

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import brentq

from jourdain import Result, System

pytestmark = pytest.mark.slow

G, MASS, DRUM, WHEEL = 9.81, 200.0, 0.1, 0.8
"""Gravity, load, radius of the drum and inertia of the drum."""
ROTOR, BELT, WORM = 2e-3, 5e-3, 4e-3
"""Inertias of the motor, and of the shafts at both ends of the belt."""
PLANETS = {"ratio": 3.0, "efficiency": 0.96, "back": 0.95}
TEETH = {"teeth_M": 15.0, "teeth_N": 45.0, "efficiency": 0.97, "back": 0.965}
THREAD = {"starts": 1.0, "teeth": 40.0, "module": 4e-3, "diameter": 0.04, "mu": 0.13, "flank": 0.35}
BEARING = 0.3


def torque(t: float) -> float:
    return 0.25 + 2.0 * np.sin(1.2 * t) ** 5


def train() -> System:
    """Returns a motor, planets with a held ring, a chain, a worm, and a drum with a load on a rope."""
    system = System("train")
    for name, inertia in {"rotor": ROTOR, "pulley": BELT, "worm": WORM, "wheel": WHEEL}.items():
        system.add(name, "mechanical1d.Inertia", {"I": inertia})
    system.add("frame", "mechanical1d.Fixed1D")
    system.add("motor", "mechanical1d.Torque")
    system.add("load", "mechanical1d.Mass", {"m": MASS})
    system.add("weight", "mechanical1d.Force", {"force": -MASS * G})
    system.add("planets", "mechanical1d.LossyPlanetary", PLANETS)
    for a, b in {"rotor.flange": "planets.sun", "pulley.flange": "planets.carrier", "frame.shaft": "planets.ring"}.items():
        system.connect(a, b)
    system.join("mechanical1d.ToothedBelt", "pulley.flange", "worm.flange", TEETH, name="chain")
    system.join("mechanical1d.Worm", "worm.flange", "wheel.flange", {**THREAD, "bearing": BEARING}, name="gear")
    system.join("mechanical1d.RackAndPinion", "wheel.flange", "load.flange", {"radius": DRUM}, name="rope")
    system.connect("motor.flange", "rotor.flange")
    system.connect("weight.flange", "load.flange")
    system.drive("motor.torque", torque)
    for name, output in {
        "work": "motor.power",
        "lost_planets": "planets.loss",
        "lost_chain": "chain.loss",
        "lost_gear": "gear.loss",
    }.items():
        system.add(name, "signal.Integrator")
        system.connect(output, f"{name}.u")
    return system


def borne(load: float, way: int, efficiency: float, back: float) -> float:
    """Returns the torque on the driving side of a mesh that turns one way, by the load on this side."""
    return load / efficiency if load * way >= 0 else load * back


def needed(a: float, way: int) -> float:
    """Returns the torque of the motor that gives it an acceleration, from the load back to the motor, which turns 480 times as fast."""
    lead, rho = atan(THREAD["module"] / THREAD["diameter"]), atan(THREAD["mu"] / cos(THREAD["flank"]))
    at_wheel = WHEEL * a / 480 + MASS * (G + DRUM * a / 480) * DRUM
    at_worm = borne(at_wheel / 40, way, tan(lead) / tan(lead + rho), tan(lead - rho) / tan(lead)) + way * BEARING + WORM * a / 12
    at_carrier = borne(at_worm / 3, way, TEETH["efficiency"], TEETH["back"]) + BELT * a / 4
    drives = at_carrier * way >= 0  # the power through the meshes, which is 3/4 of all, loses
    return at_carrier / (1 + PLANETS["ratio"] * (PLANETS["efficiency"] if drives else 1 / PLANETS["back"])) + ROTOR * a


def train_by_cases(end: float) -> tuple[list[float], list[int], float, float]:
    """Returns times and ways of all changes, and angle and speed of the motor at the end."""
    t, y, way = 0.0, [0.0, 0.0], 0
    least, most = needed(0.0, -1), needed(0.0, 1)
    assert least < 0 < most  # it locks itself
    times, ways = [], []
    while t < end:
        leaves: list[Callable[..., float]] = [lambda t, y, way=way: way * y[1]]
        if not way:
            leaves = [lambda t, y: most - torque(t), lambda t, y: torque(t) - least]
        for each in leaves:
            each.terminal, each.direction = True, -1  # type: ignore[attr-defined]

        def rates(t: float, y: np.ndarray, way: int = way) -> list[float]:
            return [y[1], brentq(lambda a: needed(a, way) - torque(t), -1e4, 1e4, xtol=1e-12, rtol=1e-14) if way else 0.0]

        part = solve_ivp(rates, (t, end), y, "DOP853", rtol=1e-11, atol=1e-11, max_step=0.05, events=leaves)
        t, y = part.t[-1], list(part.y[:, -1])
        if part.status != 1:
            break
        if way:
            y[1], way = 0.0, 1 if torque(t) > most else -1 if torque(t) < least else 0
        else:
            way = 1 if len(part.t_events[0]) else -1
        times.append(t)
        ways.append(way)
    return times, ways, *y


def courses(result: Result, joint: str) -> list[tuple[float, int]]:
    """Returns times and ways of the changes of a joint that last, 0 where it does not slip."""
    lasting = {
        each.time: {"slips": 1, "slips back": -1}.get(each.what.split(" -> ")[1], 0) for each in result.changes if each.joint == joint
    }
    ways = [0, *lasting.values()]
    return [(time, way) for (time, way), before in zip(lasting.items(), ways, strict=False) if way != before]


def test_a_gear_train_with_losses_and_a_worm_that_locks_itself() -> None:
    """Under a sine the motor lifts the load and lowers it, and the worm holds it; the work is energy and losses, to 1e-9."""
    result = train().simulate(9.0, solver="dop853", rtol=1e-11)
    assert result.outcome.completed, result.outcome
    times, ways, angle, speed = train_by_cases(9.0)
    assert {-1, 0, 1} == set(ways)
    for joint in ("planets", "chain", "gear"):
        found = courses(result, joint)
        assert [way for _, way in found] == ways
        assert [time for time, _ in found] == pytest.approx(times, abs=2e-7)
    assert (result["rotor.phi"][-1], result["rotor.w"][-1]) == pytest.approx((angle, speed), rel=1e-8)
    assert result["load.s"][-1] == pytest.approx(DRUM * angle / 480, rel=1e-8)
    energy = sum(result[f"{name}.energy.kinetic"][-1] for name in ("rotor", "pulley", "worm", "wheel", "load"))
    lost = sum(result[f"lost_{name}.y"][-1] for name in ("planets", "chain", "gear"))
    assert result["work.y"][-1] == pytest.approx(energy + MASS * G * result["load.s"][-1] + lost, rel=1e-8)
    assert lost > 100
