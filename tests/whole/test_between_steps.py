"""Events that begin and end between two steps, which a solver that has nothing to integrate takes as long as it likes."""

from __future__ import annotations

import math
from functools import partial
from pathlib import Path

import numpy as np
import pytest
import sympy

from coupling.plan.drives import ConstantDrive, drive_of
from coupling.plan.smooth import pieces
from coupling.plan.time_scales import period
from fmu_components.export.build import cached_fmu
from jourdain import Joint, Result, System
from jourdain.declare import ROTATIONAL, t
from tests.support.switched.beside import spring
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


class DwellCam(Joint):
    """Cam with a dwell: M turns N to and fro while its lobe passes, and holds it at rest otherwise."""

    kind = ROTATIONAL

    def velocity_constraint(self, M, N):
        edge = self.parameter("edge", 0.9, "", "cosine of half the angle of the lobe")
        lobe = self.relation("lobe", sympy.cos(M.phi) - edge, "whether the lobe passes")
        return [N.w + sympy.Piecewise((2 * (sympy.cos(M.phi) - edge) * sympy.sin(M.phi) * M.w, lobe), (0, True))]


STRAIGHT = 3.0 * t
SINE = 8 * sympy.sin(0.7 * t)
ROWS = [(0, 0.0), (1, -2.6), (2, -2.6), (3, 11.0), (3.5, 11.0), (6, -12.0), (9, -12.0), (10, 27.0), (17, 27.0), (20, -7.0)]


def drive_by(system: System, name: str, way: str) -> None:
    """Drives an angle that begins opposite to all events."""
    start = math.pi
    if way == "table":
        system.drive(name, [(time, start + angle) for time, angle in ROWS], smooth=True)
    else:
        system.drive(name, start + {"straight": STRAIGHT, "sine": SINE}[way])


def follower(joint: str | Path, values: dict[str, float], way: str) -> System:
    system = System("follower")
    system.add("crank", "mechanical1d.Angle")
    drive_by(system, "crank.angle", way)
    system.add("wheel", "mechanical1d.Inertia", {"I": 0.3})
    system.join(joint, "crank.flange", "wheel.flange", values, name="joint")
    return system


def geared(edge: float, speed: object) -> System:
    """A cam on a shaft that turns five times as fast as the motor."""
    system = System("geared")
    system.add("motor", "mechanical1d.Speed", {"angle": math.pi})
    system.drive("motor.speed", speed)
    system.add("shaft", "mechanical1d.Inertia", {"I": 0.1})
    system.add("wheel", "mechanical1d.Inertia", {"I": 0.3})
    system.join("mechanical1d.Gear", "motor.flange", "shaft.flange", {"ratio": 0.2}, name="gear")
    system.join(cached_fmu(DwellCam, 3), "shaft.flange", "wheel.flange", {"edge": edge}, name="joint")
    return system


def rope(way: str, length: float) -> System:
    """A turning arm whose end is far enough from a block, on a spring and a damper, to pull it by a rope for a small share of each turn."""
    system = System("rope", gravity=(0.0, 0.0))
    system.add("motor", "planar.Motion")
    drive_by(system, "motor.theta", way)
    system.add("arm", "planar.Body2", {"I": 0.1, "p1.rx": 0.25, "p2.rx": -0.25, "x": 0.25, "theta": math.pi})
    system.join("planar.Weld", "motor.p1", "arm.p1", name="weld")
    system.add("ground", "planar.Fixed", {"p1.rx": 3.0})
    system.add("block", "planar.Body1", {"x": 2.0})
    guide = {"translation.k": 40.0, "translation.b": 6.0, "translation.rest": -1.0}
    system.join("planar.Translational", "ground.p1", "block.p1", guide, name="guide")
    system.join("planar.Rope", "arm.p2", "block.p1", {"length": length}, name="rope")
    return system


def piston(length: float) -> System:
    """A slider-crank whose piston pulls a block, on a spring and a damper, by a rope near its inner dead centre."""
    system = System("piston", gravity=(0.0, 0.0))
    system.add("pivot", "planar.Fixed")
    system.add("crank", "planar.Body2", {"I": 0.1, "p1.rx": -0.25, "p2.rx": 0.25, "x": 0.25})
    system.join("planar.Revolute", "pivot.p1", "crank.p1", name="bearing")
    system.join("planar.RelativeAngle", "pivot.p1", "crank.p1", name="motor")
    system.drive("motor.angle", 2.0 * t)
    system.add("rod", "planar.Body2", {"I": 0.1, "p1.rx": -0.5, "p2.rx": 0.5, "x": 1.0})
    system.join("planar.Revolute", "crank.p2", "rod.p1", name="big end")
    system.add("piston", "planar.Body2", {"x": 1.5})
    system.join("planar.Revolute", "rod.p2", "piston.p2", name="small end")
    system.add("ground", "planar.Fixed", {"p1.rx": 3.0})
    system.join("planar.Translational", "ground.p1", "piston.p1", name="cylinder")
    system.add("block", "planar.Body1", {"x": 2.0})
    guide = {"translation.k": 40.0, "translation.b": 6.0, "translation.rest": -1.0}
    system.join("planar.Translational", "ground.p1", "block.p1", guide, name="guide")
    system.join("planar.Rope", "piston.p1", "block.p1", {"length": length}, name="rope")
    return system


def play(*, drift: float) -> System:
    """A motor that turns to and fro, a gear, and a load behind backlash."""
    system = System("play")
    system.add("ground", "mechanical1d.Fixed1D")
    system.add("motor", "mechanical1d.Speed")
    system.drive("motor.speed", 6 * sympy.sin(2 * t) + drift * (1 - sympy.exp(-t)))
    system.add("pinion", "mechanical1d.Inertia", {"I": 0.01})
    system.add("load", "mechanical1d.Inertia", {"I": 0.2})
    system.join("mechanical1d.Gear", "motor.flange", "pinion.flange", {"ratio": -3.0}, name="gear")
    system.join("mechanical1d.RotationalBacklash", "pinion.flange", "load.flange", {"play": 0.02}, name="play")
    system.join("mechanical1d.RotationalSpringDamper", "ground.shaft", "load.flange", {"k": 0.0, "b": 0.4}, name="drag")
    return system


BY_ANGLE = {
    **{f"geneva, {way}": partial(follower, "mechanical1d.Geneva", {"slots": 6.0}, way) for way in ("sine", "table")},
    **{f"cam, {way}": lambda way=way: follower(cached_fmu(DwellCam, 3), {"edge": 0.98}, way) for way in ("straight", "sine", "table")},
    "cam behind a gear": partial(geared, 0.98, 4 * sympy.sin(t)),
    **{f"rope, {way}": partial(rope, way, 2.45) for way in ("straight", "sine", "table")},
    "rope at its farthest": partial(rope, "straight", 2.498),
    "piston": partial(piston, 1.45),
    "piston at its dead centre": partial(piston, 1.498),
    "backlash": partial(play, drift=0.0),
    "backlash that changes sides seldom": partial(play, drift=5.5),
}


@pytest.mark.parametrize("solver", ["Radau", "DOP853"])
def test_states_may_be_near_zero_where_an_event_ends(solver: str) -> None:
    """The wheel starts to turn from rest at an angle of 0."""
    result = BY_ANGLE["geneva, sine"]().simulate(10.0, solver=solver, rtol=1e-9)
    assert len(instants(result)) == 10


def instants(result: Result) -> np.ndarray:
    """Returns the times of events; times that differ by rounding are one event."""
    assert result.outcome.completed, result.outcome.sentence
    found = result.time[np.flatnonzero(np.diff(result.time) == 0)]
    return found[np.diff(found, prepend=-1.0) > 1e-6]


def check_instants(case: str, solver: str, within: float) -> None:
    stop = 20.0
    long, short = (
        BY_ANGLE[case]().simulate(stop, solver=name, initial="assemble", rtol=rtol, max_step=longest)
        for name, rtol, longest in ((solver, 1e-4, math.inf), ("dopri5", 1e-10, stop / 3000))
    )
    assert long.statistics.steps < short.statistics.steps / (4 if solver == "dopri5" else 1)
    found = instants(long)
    assert len(found) >= 6
    np.testing.assert_allclose(found, instants(short), atol=within)


@pytest.mark.parametrize("case", BY_ANGLE)
def test_long_steps_lose_no_event_that_goes_by_an_angle(case: str) -> None:
    check_instants(case, "dopri5", 2e-3)


@pytest.mark.slow
@pytest.mark.parametrize("solver", ["dop853", "cvode", "ida", "RK45", "Radau", "LSODA"])
@pytest.mark.parametrize("case", [name for name in BY_ANGLE if "cam" in name or "geneva" in name])
def test_nor_do_those_of_other_solvers(case: str, solver: str) -> None:
    check_instants(case, solver, 5e-2)


def train(speed: float, place: float) -> System:
    """A locomotive and three cars with play in their couplings."""
    system = System("train")
    system.add("car0", "mechanical1d.Mass", {"m": 1e4, "v": speed, "s": place})
    system.add("pull", "mechanical1d.Force")
    system.connect("pull.flange", "car0.flange")
    system.drive("pull.force", 2e4 * sympy.sin(0.7 * t))
    for i in range(1, 4):
        system.add(f"car{i}", "mechanical1d.Mass", {"m": 1e4, "v": speed, "s": place - 10 * i})
        gap = {"play": 0.05, "offset": -10.0}
        system.join("mechanical1d.Backlash", f"car{i - 1}.flange", f"car{i}.flange", gap, name=f"coupling{i}")
    return system


def test_gaps_open_and_close_far_from_the_origin_as_near_it() -> None:
    """There a gap is a difference of great numbers: what rounding makes of it is no event."""
    near, *far = (train(*where).simulate(60.0, rtol=1e-8) for where in ((0.0, 0.0), (30.0, 0.0), (30.0, 1e6)))
    for result in far:
        assert result.outcome.completed and result.statistics.events < 70
        between = [each["car0.s"][-1] - each["car3.s"][-1] for each in (near, result)]
        assert between[1] == pytest.approx(between[0], abs=1e-5)


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


@pytest.mark.parametrize("solver", ["dop853", "cvode", "ida", "Radau", "LSODA"])
def test_periods_of_drives_limit_the_steps_of_every_solver(solver: str) -> None:
    steps = shaken(together=True, fast=True).simulate(0.05, solver=solver, rtol=1e-6).statistics.steps
    assert steps >= 0.05 * 8 * 4000 / (2 * math.pi)


@pytest.mark.parametrize("pendulums", [0, 20])
def test_an_impact_takes_at_most_thirty_evaluations(pendulums: int) -> None:
    with_stop, without = (spring(pendulums, stop).simulate(2.0, output_interval=2.0).statistics for stop in (True, False))
    assert with_stop.events == 3 and without.events == 0
    of_a_step = without.evaluations / without.steps
    assert (with_stop.evaluations - without.evaluations - of_a_step * (with_stop.steps - without.steps)) / 3 <= 30
