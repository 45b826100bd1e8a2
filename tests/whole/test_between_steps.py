"""Events that begin and end between two steps, which a solver that has nothing to integrate takes as long as it likes."""

from __future__ import annotations

import math

import numpy as np
import pytest
import sympy

from coupling.live.time_scales import period
from coupling.plan.drives import ConstantDrive, drive_of
from coupling.plan.smooth import pieces
from jourdain import System, t
from tests.support.switched.one_shaft import random_shaft

TURNS = 5
WAYS = ["Speed", "Angle"]


def geneva(slots: int, speed: float, way: str) -> System:
    """A crank that begins opposite to the wheel."""
    system = System("geneva")
    system.add("crank", f"mechanical1d.{way}", {"angle": math.pi} if way == "Speed" else {})
    system.drive(f"crank.{way.lower()}", speed if way == "Speed" else math.pi + speed * t)
    system.add("wheel", "mechanical1d.Inertia", {"I": 0.3})
    system.join("mechanical1d.Geneva", "crank.flange", "wheel.flange", {"slots": float(slots)}, name="drive")
    return system


def check(slots: int, speed: float, way: str, solver: str) -> None:
    """Each turn turns the wheel by one slot; the pin enters and leaves half a slot's supplement before and after the line of centres."""
    result = geneva(slots, speed, way).simulate(TURNS * 2 * math.pi / speed, solver=solver, rtol=1e-9)
    assert result.outcome.completed, result.outcome.sentence
    loose = 100 if solver != "dopri5" else 1
    assert result["wheel.phi"][-1] == pytest.approx(-TURNS * 2 * math.pi / slots, abs=1e-7 * loose)
    half = math.pi / 2 - math.pi / slots
    expected = [(math.pi + 2 * math.pi * turn + side * half) / speed for turn in range(TURNS) for side in (-1, 1)]
    found = result.time[np.flatnonzero(np.diff(result.time) == 0)]
    np.testing.assert_allclose(found, expected, atol=1e-9 * loose / speed * 10)


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("speed", [0.5, 3.0, 40.0])
@pytest.mark.parametrize("slots", [3, 4, 5, 6, 7, 8])
def test_a_geneva_drive_loses_no_turn_at_any_speed(slots: int, speed: float, way: str) -> None:
    check(slots, speed, way, "dopri5")


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["dop853", "cvode", "ida", "RK45", "Radau", "LSODA"])
@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("speed", [0.5, 40.0])
@pytest.mark.parametrize("slots", [3, 8])
def test_nor_by_any_solver(slots: int, speed: float, way: str, solver: str) -> None:
    check(slots, speed, way, solver)


@pytest.mark.parametrize("way", WAYS)
def test_the_rows_that_are_recorded_change_nothing(way: str) -> None:
    few, many = (geneva(4, 3.0, way).simulate(12.0, output_interval=12.0 / rows) for rows in (10, 10_000))
    assert few.statistics.steps == many.statistics.steps and few.statistics.events == many.statistics.events
    events = [result.time[np.flatnonzero(np.diff(result.time) == 0)] for result in (few, many)]
    assert len(events[0]) == 12 and (events[0] == events[1]).all()
    for name in ("crank.flange.phi", "wheel.phi", "wheel.w", "drive.lambda[1]"):
        assert few[name][-1] == many[name][-1]


def test_friction_at_rest_gives_way_to_a_peak_of_its_load() -> None:
    """Nothing moves until the torque passes the limit for 0.2 s at 1.75 s."""
    shaft = random_shaft(1)
    angle, speed = shaft.run(6.0)
    result = shaft.system((0, 1)).simulate(6.0, rtol=1e-10, atol=1e-12)
    assert result["shaft.phi"][-1] == pytest.approx(angle, abs=1e-7) and result["shaft.w"][-1] == pytest.approx(speed, abs=1e-7)


def test_periods_of_drives() -> None:
    assert period(ConstantDrive(1.0)) == math.inf
    assert period(drive_of("x", 2 * sympy.sin(5 * t) + t * sympy.cos(7 * t + 1))) == pytest.approx(2 * math.pi / 7)
    assert period(drive_of("x", t**2)) == math.inf
    zigzag = drive_of("x", [(0, 0), (1, 1), (1.5, 0), (3, 2), (4, 0)], smooth=True)
    assert period(pieces(zigzag, 0, "x")[0]) == pytest.approx(1.0)  # type: ignore[arg-type]  # a curve


def shaken(*, together: bool, fast: bool, indicators: bool = True) -> System:
    """A mass on a spring that hits a stop, and a second mass on the same ground, or on the first mass, which a force shakes."""
    system = System("shaken")
    system.add("ground", "mechanical1d.Fixed1D")
    system.add("mass", "mechanical1d.Mass", {"m": 2.0, "s": 1.0})
    system.add("other", "mechanical1d.Mass", {"m": 1.0, "s": 3.0})
    system.join("mechanical1d.SpringDamper1D", "ground.flange", "mass.flange", {"k": 50.0, "b": 0.0, "rest": 0.0}, name="spring")
    if indicators:
        system.join("mechanical1d.EndStop", "ground.flange", "mass.flange", {"low": 0.0, "high": 50.0, "e": 0.7}, name="stop")
    middle = "mass.flange" if together else "ground.flange"
    system.join("mechanical1d.SpringDamper1D", middle, "other.flange", {"k": 9.0, "b": 0.0, "rest": 2.0}, name="second")
    system.add("shaker", "mechanical1d.Force")
    system.connect("shaker.flange", "other.flange")
    system.drive("shaker.force", 1e-9 * sympy.sin(4000 * t) if fast else 0.0)
    return system


def test_drives_that_reach_no_event_do_not_limit_steps() -> None:
    """Amplitudes are so small that error control does not see them."""
    steps = {
        (together, fast): shaken(together=together, fast=fast).simulate(1.0, rtol=1e-6).statistics.steps
        for together in (True, False)
        for fast in (True, False)
    }
    assert steps[False, True] == steps[False, False] < 200
    assert steps[True, True] > 8 * 4000 / (2 * math.pi) > 10 * steps[True, False]
    plain = shaken(together=True, fast=True, indicators=False).simulate(1.0, rtol=1e-6).statistics.steps
    assert plain < 200


def spring(pendulums: int, stop: bool) -> System:
    """A mass on a spring that hits a stop three times in 2 s, beside pendulums that have nothing to do with it."""
    system = System("beside", gravity=(0.0, -9.81))
    system.add("ground", "mechanical1d.Fixed1D")
    system.add("mass", "mechanical1d.Mass", {"m": 2.0, "s": 1.0})
    system.join("mechanical1d.SpringDamper1D", "ground.flange", "mass.flange", {"k": 50.0, "b": 0.0, "rest": 0.0}, name="spring")
    if stop:
        system.join("mechanical1d.EndStop", "ground.flange", "mass.flange", {"low": 0.0, "high": 50.0, "e": 0.7}, name="stop")
    for i in range(pendulums):
        system.add(f"pivot{i}", "planar.Fixed")
        system.add(f"bob{i}", "planar.Body1", {"y": -0.5, "vx": 0.15 * (i % 5), "p1.ry": 0.5, "omega": 0.3 * (i % 5)})
        system.join("planar.Revolute", f"pivot{i}.p1", f"bob{i}.p1", name=f"hinge{i}")
    return system


@pytest.mark.parametrize("pendulums", [0, 20])
def test_an_impact_takes_at_most_thirty_evaluations(pendulums: int) -> None:
    with_stop, without = (spring(pendulums, stop).simulate(2.0, output_interval=2.0).statistics for stop in (True, False))
    assert with_stop.events == 3 and without.events == 0
    of_a_step = without.evaluations / without.steps
    assert (with_stop.evaluations - without.evaluations - of_a_step * (with_stop.steps - without.steps)) / 3 <= 30
