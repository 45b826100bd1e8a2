"""Drives as libraries of mechanics show them, of this library's components alone, against SciPy with all modes tried at each event."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest
import sympy
from scipy.integrate import solve_ivp

from coupling import Result
from jourdain.declare import t as TIME
from tests.support.switched.by_enumeration import Rub, Train
from tests.support.switched.case import built, integrated, moments

EXACT = {"solver": "dop853", "rtol": 1e-11, "atol": 1e-13}


def check(result: Result, train: Train, end: np.ndarray, speeds: Sequence[str], allowed: float = 1e-8) -> None:
    """Speeds in the end, and times at which what has a force changes; what has none may slip either way."""
    assert result.outcome.completed and not result.outcome.warnings
    n = len(train.masses)
    found = moments(result)
    assert len(train.times) > 1
    assert [each for each in train.times if abs(each - np.array(found)).min() > allowed] == []
    np.testing.assert_allclose([result[name][-1] for name in speeds], end[n : 2 * n], atol=allowed)


def test_clutches_in_a_row_with_pressures_that_change() -> None:
    """Four shafts, three clutches of mu = 1/2: the first one's force fades as a cosine, the others are put on at 0.4 and 0.9 s."""
    parts = {f"J{i}": ("mechanical1d.Inertia", {"w": 10.0 * (i == 1)}) for i in (1, 2, 3, 4)}
    parts |= {f"clutch{i}": ("mechanical1d.Clutch", {"peak": 1.1}) for i in (1, 2, 3)}
    drive = built("clutches", parts | {"engine": "mechanical1d.Torque", "heat": "signal.Integrator"}, "engine.flange-J1.flange")
    for i in (1, 2, 3):
        drive.connect(f"J{i}.flange", f"clutch{i}.M")
        drive.connect(f"clutch{i}.N", f"J{i + 1}.flange")
    drive.connect("clutch1.loss", "heat.u")
    drive.drive("engine.torque", 10 * sympy.sin(10 * sympy.pi * TIME))
    drive.drive("clutch1.capacity", 10 * sympy.cos(0.4 * sympy.pi * TIME))
    drive.drive("clutch2.capacity", [(0, 0), (0.4, 0), (0.4, 10), (2, 10)])
    drive.drive("clutch3.capacity", [(0, 0), (0.9, 0), (0.9, 10), (2, 10)])
    capacities = (
        lambda t, w: max(0.0, 10 * math.cos(0.4 * math.pi * t)),
        lambda t, w: 10.0 * (t >= 0.4),
        lambda t, w: 10.0 * (t >= 0.9),
    )
    rubs = [Rub(row=np.diff(np.eye(4), axis=0)[i], limit=capacity, peak=1.1) for i, capacity in enumerate(capacities)]
    train = Train(masses=[1.0] * 4, force=lambda t, q, v: [10 * math.sin(10 * math.pi * t), 0, 0, 0], rubs=rubs, breaks=[0.4, 0.9])
    result = drive.simulate(1.5, **EXACT)  # type: ignore[arg-type]  # of several types
    check(result, train, train.run([0] * 4, [10, 0, 0, 0], 1.5), [f"J{i}.w" for i in (1, 2, 3, 4)])


def test_a_drive_with_clutch_and_bearing_under_a_load_that_reverses() -> None:
    """Torque 25 sin(2 pi t) on 1 kg.m2 in a bearing that rubs, and a clutch to 0.5 kg.m2 on a spring: times, speeds and heat."""
    parts = {
        "ground": "mechanical1d.Fixed1D",
        "a": ("mechanical1d.Inertia", {"I": 1.0}),
        "b": ("mechanical1d.Inertia", {"I": 0.5}),
        "engine": "mechanical1d.Torque",
        "bearing": ("mechanical1d.RotationalFriction", {"kinetic": 1.5, "static": 2.0, "viscous": 0.1}),
        "clutch": ("mechanical1d.Clutch", {"peak": 1.2, "capacity": 8.0}),
        "spring": ("mechanical1d.RotationalSpringDamper", {"k": 40.0, "b": 0.2}),
        "lost": "signal.Integrator",
    }
    lines = "engine.flange-a.flange ground.shaft-bearing.M bearing.N-a.flange a.flange-clutch.M clutch.N-b.flange "
    lines += "ground.shaft-spring.M spring.N-b.flange clutch.loss-lost.u"
    drive = built("reversal", parts, lines)
    drive.drive("engine.torque", 25 * sympy.sin(2 * sympy.pi * TIME))
    bearing = Rub(row=[1, 0], limit=lambda t, w: 1.5 + 0.1 * w, peak=2 / 1.5)
    clutch = Rub(row=[-1, 1], limit=lambda t, w: 8.0, peak=1.2)
    train = Train(
        masses=[1.0, 0.5], force=lambda t, q, v: [25 * math.sin(2 * math.pi * t), -40 * q[1] - 0.2 * v[1]], rubs=[bearing, clutch]
    )
    result = drive.simulate(3.0, **EXACT, outputs=["*", "bearing.lambda[1]"])  # type: ignore[arg-type]  # of several types
    end = train.run([0, 0], [0, 0], 3.0)
    check(result, train, end, ["a.w", "b.w"])
    assert len(moments(result)) == len(train.times)
    rubbed = -np.trapezoid(result["bearing.lambda[1]"] * result["a.w"], result.time)
    assert result["lost.y"][-1] + rubbed == pytest.approx(end[-1], rel=1e-3)


def test_a_freewheel_that_disengages_and_carries_again() -> None:
    """A shaft of 1 kg.m2 at 6 rad/s that a torque brakes and turns on again drives 1 kg.m2 with a viscous load through a freewheel."""
    parts = {
        "a": ("mechanical1d.Inertia", {"w": 6.0}),
        "b": ("mechanical1d.Inertia", {"w": 6.0}),
        "engine": "mechanical1d.Torque",
        "load": ("mechanical1d.RotationalDrag", {"b": 0.4}),
        "wheel": "mechanical1d.OneWayClutch",
    }
    drive = built("freewheel", parts, "engine.flange-a.flange a.flange-wheel.M wheel.N-b.flange load.flange-b.flange")
    drive.drive("engine.torque", [(0, 5), (1, 5), (1, -5), (2, -5), (2, 10), (9, 10)])

    def force(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        return [5 if t < 1 else -5 if t < 2 else 10, -0.4 * v[1]]

    train = Train(masses=[1, 1], force=force, rubs=[Rub(row=[-1, 1])], breaks=[1, 2])
    result = drive.simulate(4.0, **EXACT)  # type: ignore[arg-type]  # of several types
    check(result, train, train.run([0, 0], [6, 6], 4.0), ["a.w", "b.w"])


def test_a_gear_shifts_by_a_brake_and_a_clutch() -> None:
    """A planetary gear between engine and load: a brake on its ring gives 3 to 1; it lets go, and a clutch makes the gear one block."""
    parts = {
        "ground": "mechanical1d.Fixed1D",
        "engine": ("mechanical1d.Inertia", {"w": 60.0}),
        "load": ("mechanical1d.Inertia", {"I": 8.0}),
        "ring": ("mechanical1d.Inertia", {"I": 0.2, "w": -30.0}),
        "torque": ("mechanical1d.Torque", {"torque": 20.0}),
        "gear": ("mechanical1d.Planetary", {"ratio": 2.0}),
        "brake": ("mechanical1d.Brake", {"mu": 0.5, "radius": 0.1, "surfaces": 2.0}),
        "clutch": "mechanical1d.Clutch",
    }
    lines = "torque.flange-engine.flange engine.flange-gear.sun load.flange-gear.carrier ring.flange-gear.ring ground.shaft-brake.M "
    lines += "brake.N-ring.flange engine.flange-clutch.M clutch.N-load.flange"
    drive = built("gear shift", parts, lines)
    drive.drive("brake.force", [(0, 0), (0.5, 0), (0.5, 1500), (3, 1500), (3, 0), (9, 0)])
    drive.drive("clutch.capacity", [(0, 0), (3, 0), (3.2, 150), (9, 150)])
    limits = [lambda t, w: 150.0 * (0.5 <= t < 3), lambda t, w: min(max(0.0, 750 * (t - 3)), 150.0)]
    train = Train(
        masses=[1, 8, 0.2],
        force=lambda t, q, v: [20, 0, 0],
        links=[[1, -3, 2]],
        rubs=[Rub(row=row, limit=limit) for row, limit in zip([[0, 0, 1], [-1, 1, 0]], limits, strict=True)],
        breaks=[0.5, 3, 3.2],
    )
    result = drive.simulate(5.0, **EXACT)  # type: ignore[arg-type]  # of several types
    check(result, train, train.run([0] * 3, [60, 0, -30], 5.0), ["engine.w", "load.w", "ring.w"])


def test_a_brake_whose_force_changes_on_a_mass_with_a_spring() -> None:
    """Pads on the shaft of a rack, pressed more and less: the mass of 3 kg on 200 N/m stops away from rest, and lets go again."""
    parts = {
        "ground": "mechanical1d.Fixed1D",
        "mass": ("mechanical1d.Mass", {"m": 3.0, "s": 0.2}),
        "spring": ("mechanical1d.SpringDamper1D", {"k": 200.0, "b": 1.0, "rest": 0.0}),
        "rack": ("mechanical1d.RackAndPinion", {"radius": 0.05}),
        "shaft": ("mechanical1d.Inertia", {"I": 0.001}),
        "brake": ("mechanical1d.Brake", {"mu": 0.4, "radius": 0.05, "surfaces": 2.0}),
    }
    lines = "ground.flange-spring.M spring.N-mass.flange rack.M-shaft.flange rack.N-mass.flange ground.shaft-brake.M brake.N-shaft.flange"
    drive = built("brake", parts, lines)
    drive.drive("brake.force", 20 + 20 * sympy.sin(2 * TIME))

    def force(t: float, q: np.ndarray, v: np.ndarray) -> list[float]:
        return [-200 * q[0] - v[0]]

    train = Train(masses=[3.4], force=force, rubs=[Rub(row=[1], limit=lambda t, w: 0.8 * (20 + 20 * math.sin(2 * t)))])
    result = drive.simulate(6.0, **EXACT)  # type: ignore[arg-type]  # of several types
    check(result, train, train.run([0.2], [0], 6.0), ["mass.v"])


@pytest.mark.parametrize("torque", [2.5, 60.0])
def test_a_vehicle_with_drag_and_rolling_resistance(torque: float) -> None:
    """1000 kg on wheels of 0.3 m: it stands until rolling resistance is overcome, reaches v tanh(t/T), coasts by the arctangent, and stands again."""
    roll, c, m = 12.0, 0.4, 1000 + 4 * 0.9 / 0.09
    parts = {
        "ground": "mechanical1d.Fixed1D",
        "car": ("mechanical1d.Mass", {"m": 1000.0}),
        "wheels": ("mechanical1d.Inertia", {"I": 3.6}),
        "road": ("mechanical1d.RackAndPinion", {"radius": 0.3}),
        "engine": "mechanical1d.Torque",
        "rolling": ("mechanical1d.Friction", {"kinetic": roll}),
        "air": ("mechanical1d.Drag", {"c": c}),
    }
    lines = "engine.flange-wheels.flange road.M-wheels.flange road.N-car.flange ground.flange-rolling.M rolling.N-car.flange air.flange-car.flange"
    car = built("vehicle", parts, lines)
    car.drive("engine.torque", [(0, 0), (1, 0), (1, torque), (61, torque), (61, 0), (999, 0)])
    result = car.simulate(700.0, **EXACT)  # type: ignore[arg-type]  # of several types
    push = torque / 0.3 - roll
    if push < 0:
        assert not result.changes and abs(result["car.v"]).max() < 1e-12
        return
    fast = math.sqrt(push / c) * math.tanh(60 * math.sqrt(push * c) / m)
    stands = 61 + m / math.sqrt(roll * c) * math.atan(fast * math.sqrt(c / roll))
    assert moments(result) == pytest.approx([1.0, stands], abs=1e-7)
    assert result["car.v"].max() == pytest.approx(fast, rel=1e-9)
    way = m / c * (math.log(math.cosh(60 * math.sqrt(push * c) / m)) + math.log(1 + c * fast**2 / roll) / 2)
    assert result["car.s"][-1] == pytest.approx(way, rel=1e-9)


@pytest.mark.parametrize("component", ["EndStop", pytest.param("CompliantContact", marks=pytest.mark.slow)])
def test_a_mass_in_an_elastic_gap(component: str) -> None:
    """The mass is between two stops, rigid ones with springs behind them as masses would have, or compliant ones: by SciPy, contact by
    contact."""
    stops: dict[str, tuple[str, dict[str, float]]]
    if component == "EndStop":
        stops = {"gap": ("mechanical1d.EndStop", {"low": -0.1, "high": 0.1, "e": 0.7})}
        lines = "ground.flange-gap.M gap.N-mass.flange"
    else:
        law = {"k": 1e4, "n": 1.0, "e": 0.8, "speed": 2.0, "gap": -0.1}
        stops = {"low": ("mechanical1d.CompliantContact", law), "high": ("mechanical1d.CompliantContact", law)}
        lines = "ground.flange-low.M low.N-mass.flange mass.flange-high.M high.N-ground.flange"
    parts = {
        "ground": "mechanical1d.Fixed1D",
        "mass": ("mechanical1d.Mass", {"v": 2.0}),
        "spring": ("mechanical1d.SpringDamper1D", {"k": 20.0, "b": 0.5, "rest": 0.0}),
        **stops,
    }
    machine = built("gap", parts, lines + " ground.flange-spring.M spring.N-mass.flange")
    result = machine.simulate(1.0, **EXACT)  # type: ignore[arg-type]  # of several types
    if component == "EndStop":
        t, y, times = 0.0, np.array([0.0, 2.0]), []
        while True:
            part = integrated(lambda _, y: [y[1], -20 * y[0] - 0.5 * y[1]], (t, 1.0), y, lambda _, y: 0.1 - abs(y[0]))
            t, y = part.t[-1], part.y[:, -1]
            if part.status != 1:
                break
            times.append(t)
            y = np.array([math.copysign(0.1, y[0]) * (1 - 1e-15), -0.7 * y[1]])
        np.testing.assert_allclose(moments(result), times, atol=1e-9)
        assert len(times) == 4
    else:
        c = law_of_restitution(0.8) / 2.0

        def rates(_: float, y: np.ndarray) -> list[float]:
            depth = abs(y[0]) - 0.1
            push = 1e4 * depth * (1 + c * math.copysign(1, y[0]) * y[1]) if depth > 0 else 0.0
            return [y[1], -20 * y[0] - 0.5 * y[1] - math.copysign(push, y[0])]

        y = solve_ivp(rates, (0, 1.0), [0.0, 2.0], "DOP853", rtol=1e-12, atol=1e-13, max_step=1e-3).y[:, -1]
    np.testing.assert_allclose([result["mass.s"][-1], result["mass.v"][-1]], y, atol=1e-7)


def law_of_restitution(e: float) -> float:
    """Returns c v where c v (1 + e) = ln((1 + c v)/(1 - c e v)), by bisection."""
    low, high = 1e-6, 1 / e - 1e-12
    for _ in range(200):
        x = (low + high) / 2
        low, high = (x, high) if x * (1 + e) > math.log((1 + x) / (1 - e * x)) else (low, x)
    return low
