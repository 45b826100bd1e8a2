"""Friction with the curve of Stribeck or by a table, brakes and belts under a sine, against a solution by cases with SciPy; their losses are the energy that leaves."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.interpolate import PchipInterpolator

from coupling.errors import BuildError
from tests.support.components.circuits import circuit, event_times

INERTIA, KINETIC, STATIC, SPEED, VISCOUS, W = 2.0, 3.0, 4.5, 0.4, 0.7, 2.0


def push(t: float) -> float:
    return 5.6 * np.sin(W * t) + 0.8 * np.sin(3 * W * t)


def by_cases(end: float, curve: Callable[[float], float], static: float) -> tuple[list[float], list[int], float, float, float]:
    """Returns the times and ways of all changes (0 sticks), and place, speed and lost energy at the end, of a mass that rubs on the ground."""
    t, y, way = 0.0, [0.0, 0.0, 0.0], 0
    times, ways = [], []
    while t < end:
        leaves: list[Callable[..., float]] = (
            [lambda t, y: static - push(t), lambda t, y: static + push(t)] if way == 0 else [lambda t, y, way=way: way * y[1]]
        )
        for each in leaves:
            each.terminal, each.direction = True, -1  # type: ignore[attr-defined]

        def rates(t: float, y: np.ndarray, way: int = way) -> list[float]:
            friction = curve(abs(y[1]))
            return [y[1], (push(t) - way * friction) / INERTIA if way else 0.0, friction * abs(y[1]) if way else 0.0]

        part = solve_ivp(rates, (t, end), y, "DOP853", rtol=1e-12, atol=1e-14, max_step=0.02, events=leaves)
        t, y = part.t[-1], list(part.y[:, -1])
        if part.status != 1:
            break
        if way:
            y[1] = 0.0
            way = 0 if abs(push(t)) <= static else int(np.sign(push(t)))
        else:
            way = 1 if len(part.t_events[0]) else -1
        times.append(t)
        ways.append(way)
    return times, ways, *y


def curve(v: float) -> float:
    return KINETIC + (STATIC - KINETIC) * np.exp(-((v / SPEED) ** 2)) + VISCOUS * v


STRIBECK = {"kinetic": KINETIC, "static": STATIC, "stribeck": SPEED, "viscous": VISCOUS}
SPEEDS, FORCES = [0.0, 0.2, 0.5, 1.2, 6.0], [3.8, 3.2, 3.0, 3.3, 6.0]
PCHIP = PchipInterpolator(SPEEDS, FORCES)
MEASURED = {"points": [SPEEDS, FORCES], "kind": "cubic"}
PARTS = {
    "Friction": (STRIBECK, curve, STATIC),
    "RotationalFriction": (STRIBECK, curve, STATIC),
    "TableFriction": ({"force": MEASURED, "peak": 1.2}, lambda v: float(PCHIP(v)), 1.2 * 3.8),
    "RotationalTableFriction": ({"torque": MEASURED, "peak": 1.2}, lambda v: float(PCHIP(v)), 1.2 * 3.8),
    "LineBrake": ({"force": 5.0, "mu": 0.35, "peak": 1.25}, lambda v: 3.5, 4.375),
    "Brake": ({"force": 25.0, "mu": 0.35, "radius": 0.2, "peak": 1.25}, lambda v: 3.5, 4.375),
    "Clutch": ({"capacity": 3.5, "peak": 1.25}, lambda v: 3.5, 4.375),
}


@pytest.mark.parametrize("name", PARTS)
def test_it_sticks_and_slips_both_ways_as_by_cases(name: str) -> None:
    """Times of all changes, place, speed and lost energy, forwards and backwards."""
    values, law, static = PARTS[name]
    turns = name in ("RotationalFriction", "RotationalTableFriction", "Brake", "Clutch")
    mass, size, s, v, effort = ("Inertia", "I", "phi", "w", "torque") if turns else ("Mass", "m", "s", "v", "force")
    flange = "shaft" if turns else "flange"
    system = circuit(
        {
            "wall": ("mechanical1d.Fixed1D", {}),
            "mass": (f"mechanical1d.{mass}", {size: INERTIA}),
            "push": (f"mechanical1d.{effort.title()}", {}),
            "rub": (f"mechanical1d.{name}", values),
            "lost": ("signal.Integrator", {}),
        },
        [(f"wall.{flange}", "rub.M"), ("mass.flange", "rub.N"), ("mass.flange", "push.flange"), ("rub.loss", "lost.u")],
        {f"push.{effort}": push},
    )
    result = system.simulate(5.0, solver="dop853", rtol=1e-11)
    times, ways, place, speed, lost = by_cases(5.0, law, static)
    assert {-1, 0, 1} == set(ways)
    assert result.outcome.completed and [each.what.split(" -> ")[1] for each in result.changes] == [
        {0: "sticks", 1: "slips", -1: "slips back"}[way] for way in ways
    ]
    assert event_times(result)[: len(times)] == pytest.approx(times, abs=2e-8)
    assert (result[f"mass.{s}"][-1], result[f"mass.{v}"][-1]) == pytest.approx((place, speed), rel=1e-8, abs=1e-8)
    assert result["lost.y"][-1] == pytest.approx(lost, rel=1e-8)
    assert lost > 0.5


def test_friction_by_a_negative_table() -> None:
    """The sentence names the instance, the value and the least one."""
    system = circuit({"wall": ("mechanical1d.Fixed1D", {}), "mass": ("mechanical1d.Mass", {"v": 0.5})}, [])
    with pytest.raises(BuildError, match=r"'rub' cannot be added: the table 'force' .* has the value -5, but must be at least 0"):
        system.join("mechanical1d.TableFriction", "wall.flange", "mass.flange", {"force": [[0, 1], [3, -5]]}, name="rub")


def test_a_belt_that_slips_loses_its_slip() -> None:
    """A driven pulley that stands still: the loss is the greatest pull of Euler and Eytelwein times the speed of the slip."""
    tension, mu, wrap, speed = 200.0, 0.3, 3.0, 12.0
    result = circuit(
        {
            "motor": ("mechanical1d.Speed", {}),
            "wall": ("mechanical1d.Fixed1D", {}),
            "belt": ("mechanical1d.BeltDrive", {"tension": tension, "mu": mu, "wrap": wrap, "radius_M": 0.05, "radius_N": 0.1}),
        },
        [("motor.flange", "belt.M"), ("wall.shaft", "belt.N")],
        {"motor.speed": speed},
    ).simulate(0.5)
    E = np.exp(mu * wrap)
    assert result["belt.loss"][-1] == pytest.approx(2 * tension * (E - 1) / (E + 1) * 0.05 * speed, rel=1e-10)
