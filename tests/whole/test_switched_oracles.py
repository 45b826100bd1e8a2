"""Every machine that sticks, slips or hits does what its closed form says, by every solver that takes events."""

from __future__ import annotations

import math
from collections.abc import Iterable

import numpy as np
import pytest

from coupling import Index3, System
from tests.support.switched import frictions, impacts
from tests.support.switched.case import Case, moments

CASES = frictions.CASES | impacts.CASES
SOLVERS = {"dopri5": (1e-11, 1e-9), "dop853": (1e-11, 1e-9), "cvode": (1e-10, 1e-6), "ida": (1e-10, 1e-6)}
"""Relative tolerances, and what errors may be."""
QUICK = [(name, list(SOLVERS)[(number + 1) % 4]) for number, name in enumerate(CASES)]
FEW = ("bearing", "belt drive", "freewheel", "rope", "block tips")
WHOLE = [(name, solver) for name in CASES for solver in SOLVERS if (name, solver) not in QUICK]


def rare(cases: Iterable[object]) -> list[object]:
    return [pytest.param(*each if isinstance(each, tuple) else (each,), marks=pytest.mark.slow) for each in cases]


def off(case: Case, **options: object) -> np.ndarray:
    """Returns the errors of a run, in the times of its changes and in its final values."""
    result = case.machine().simulate(case.stop, **options)  # type: ignore[arg-type]  # of any type
    times, ends = case.times(), case.ends()
    assert result.outcome.completed, result.outcome.sentence
    assert len(moments(result)) == len(times)
    return np.array([*(np.array(moments(result)) - times), *(result[name][-1] - value for name, value in ends.items())])


@pytest.mark.parametrize(("name", "solver"), [*QUICK, *rare(WHOLE)])
def test_machines_switch_when_their_closed_forms_say_so(name: str, solver: str) -> None:
    rtol, error = SOLVERS[solver]
    assert abs(off(CASES[name], solver=solver, rtol=rtol, atol=rtol / 10)).max() < error


@pytest.mark.parametrize("name", [*FEW, *rare(name for name in CASES if name not in FEW)])
def test_fixed_steps_are_of_order_2_across_whatever_switches(name: str) -> None:
    """They are exact where accelerations are constant between events."""
    case = CASES[name]
    one, other = (np.linalg.norm(off(case, solver=Index3(step_size=case.stop / count))) for count in (1000, 2000))
    assert max(one, other) < 1e-11 or 1.9 <= math.log2(one / other) <= 2.1


def test_a_slip_that_reverses_in_flight_is_no_event() -> None:
    thrown = impacts.disc(0.5, 1.0, 0.0)
    thrown.add("wind", "planar.Wrench", {"Fx": -4.0})
    thrown.connect("wind.M", "disc.p1")
    result = thrown.simulate(1.0)
    assert result["disc.vx"][-1] == pytest.approx(-3) and not result.changes and result.statistics.state_events == 0


HITTING = ("stop", "backlash", "wall", "double pendulum", "rope", "disc grips", "disc slips", "ball")


@pytest.mark.parametrize("name", HITTING)
def test_every_impact_loses_the_energy_of_its_impulses_and_keeps_all_constraints(name: str) -> None:
    """Half of all impulses times the speeds before and after, and kinetic energy, to 1e-12; never a gain; equations in force to 1e-12."""
    case = CASES[name]
    first = case.machine().simulate(case.stop, solver="dop853", rtol=1e-11)
    hits = {each.time: each for each in first.changes if each.what == "hit"}
    speeds = {each: each.replace("lambda", "velocity") for hit in hits.values() for each in hit.impulses}
    result = case.machine().simulate(case.stop, solver="dop853", rtol=1e-11, outputs=["*", *speeds.values()])
    assert hits
    for time, hit in hits.items():
        before, after = np.flatnonzero(result.time == time)[[0, -1]]
        work = sum(hit.impulses[each] * (result[v][before] + result[v][after]) / 2 for each, v in speeds.items())
        kinetic = sum(result[each] for each in result.names if each.endswith("energy.kinetic"))
        assert -work == pytest.approx(hit.energy, abs=1e-12) and hit.energy >= 0
        assert kinetic[before] - kinetic[after] == pytest.approx(hit.energy, abs=1e-11 * (1 + kinetic[before]))
        assert result.violation["velocity"][after] < 1e-12


def test_bodies_that_fly_free_keep_their_momentum_through_an_impact_with_friction() -> None:
    """A spinning disc hits a plate beside its centre: both momenta and the one about the origin to 1e-12, and energy is lost."""
    system = System("collision")
    plate = {"m": 3.0, "I": 0.4, "gy": 0.0, "vx": 0.3, "vy": 0.2, "omega": -0.5}
    disc = {"m": 1.0, "I": 0.125, "gy": 0.0, "x": 0.7, "y": 1.0, "vx": 1.5, "vy": -3.0, "omega": 4.0}
    system.add("plate", "planar.Body1", plate)
    system.add("disc", "planar.Body1", disc)
    system.add("contact", "planar.DiscContact", {"radius": 0.5, "mu": 0.3, "e": 0.8})
    system.connect("contact.M", "plate.p1")
    system.connect("contact.N", "disc.p1")
    result = system.simulate(0.5, rtol=1e-12, atol=1e-14)
    assert [each.what for each in result.changes if each.what == "hit"] == ["hit"]
    total = {"x": 0.0, "y": 0.0, "turn": 0.0}
    for name, body in (("plate", plate), ("disc", disc)):
        x, y, vx, vy, omega = (result[f"{name}.{each}"] for each in ("x", "y", "vx", "vy", "omega"))
        total["x"] += body["m"] * vx
        total["y"] += body["m"] * vy
        total["turn"] += body["I"] * omega + body["m"] * (x * vy - y * vx)
    for each in total.values():
        np.testing.assert_allclose(each, each[0], atol=1e-11)
    kinetic = sum(result[each] for each in result.names if each.endswith("energy.kinetic"))
    assert kinetic[-1] < kinetic[0] - 0.1 and (np.diff(kinetic) <= 1e-10).all()
    hit = next(each for each in result.changes if each.what == "hit")
    before, after = np.flatnonzero(result.time == hit.time)[[0, -1]]
    np.testing.assert_allclose([each[after] - each[before] for each in total.values()], 0, atol=1e-12)
