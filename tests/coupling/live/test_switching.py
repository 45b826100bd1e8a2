"""Joints that stick, slip and hit, in the master: against closed forms, by every solver that takes events."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np
import pytest

from coupling import BuildError, Contacts, Index3, Result, System
from coupling.errors import InitialStateError
from coupling.record import Change
from tests.support.systems.switching import belt, stop

EXACT = [("dopri5", 1e-11, 1e-9), ("dop853", 1e-11, 1e-9), ("cvode", 1e-9, 1e-6), ("ida", 1e-9, 1e-6)]
by_solver = pytest.mark.parametrize(("solver", "rtol", "error"), EXACT, ids=[each[0] for each in EXACT])
QUARTER = math.pi / 10
"""Quarter of the period of 2 kg on 50 N/m."""


def hits(result: Result) -> list[Change]:
    return [each for each in result.changes if each.what == "hit"]


def switches(result: Result) -> list[tuple[str, str]]:
    return [(each.joint, each.what) for each in result.changes if each.what != "hit"]


def test_what_may_be_rigid_is_built_for_runs_without_communication() -> None:
    assert stop().build().name == "stop"
    with pytest.raises(BuildError, match="'stop' cannot hit or hold 'mass', which runs in Co-Simulation"):
        stop().build(communication=True)


@by_solver
def test_a_mass_on_a_spring_bounces_off_its_stop(solver: str, rtol: float, error: float) -> None:
    result = stop().simulate(3.0, solver=solver, rtol=rtol)
    found = hits(result)
    assert result.outcome.completed and len(found) == 5
    for n, each in enumerate(found):
        assert each.time == pytest.approx((2 * n + 1) * QUARTER, abs=error)
        assert each.impulses["stop.lambda[1]"] == pytest.approx(2 * 5 * 0.7**n * 1.7, abs=10 * error)
        assert each.energy == pytest.approx(25 * 0.49**n * 0.51, abs=25 * error)


@pytest.mark.parametrize("method", ["trapezoidal", "generalised-alpha", "trbdf2"])
def test_fixed_steps_have_order_2_across_impacts(method: str) -> None:
    errors = [
        abs(hits(stop().simulate(1.7, solver=Index3(step_size=step, method=method)))[-1].time - 5 * QUARTER) for step in (0.01, 0.005)
    ]
    assert 1.9 <= math.log2(errors[0] / errors[1]) <= 2.1


@by_solver
def test_a_block_on_a_belt_sticks_and_slips(solver: str, rtol: float, error: float) -> None:
    result = belt().simulate(6.0, solver=solver, rtol=rtol, atol=rtol / 10)
    slip, stick = 3 * math.pi / 20, 0.2
    times = [0.4 + n * (slip + stick) + (0, slip)[i] for n in range(9) for i in (0, 1)]
    assert [each.what for each in result.changes] == [("sticks -> slips back", "slips back -> sticks")[i % 2] for i in range(17)]
    np.testing.assert_allclose([each.time for each in result.changes], times[:17], atol=error)
    assert result.statistics.events <= len(result.changes) + (solver in ("cvode", "ida"))  # that may fall behind once


def test_fixed_steps_have_order_2_across_sticking() -> None:
    errors = [
        abs(belt().simulate(2.0, solver=Index3(step_size=step)).changes[4].time - 0.4 - 2 * (3 * math.pi / 20 + 0.2))
        for step in (0.005, 0.0025)
    ]
    assert 1.9 <= math.log2(errors[0] / errors[1]) <= 2.1


def stack(order: Sequence[int] = (0, 1)) -> System:
    """1 kg on 1 kg on the floor, 10 N on the upper one from 0.5 to 1 s; 3 and 5 N of friction."""
    system = System("stack")
    system.add("floor", "mechanical1d.Fixed1D")
    for i in order:
        system.add(("lower", "upper")[i], "mechanical1d.Mass")
        system.add(("below", "between")[i], "mechanical1d.Friction", {"static": (5.0, 3.0)[i], "kinetic": (5.0, 3.0)[i]})
    system.add("pull", "mechanical1d.Force")
    for a, b in (
        ("floor.flange", "below.M"),
        ("below.N", "lower.flange"),
        ("lower.flange", "between.M"),
        ("between.N", "upper.flange"),
        ("pull.flange", "upper.flange"),
    ):
        system.connect(a, b)
    system.drive("pull.force", [(0, 0), (0.5, 0), (0.5, 10), (1, 10), (1, 0), (3, 0)])
    return system


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_block_is_not_driven_backwards_by_its_own_friction(order: tuple[int, int]) -> None:
    result = stack(order).simulate(3.0)
    assert switches(result) == [("between", "sticks -> slips"), ("between", "slips -> sticks")]
    assert result.changes[1].time == pytest.approx(2.1666666666667, abs=1e-12)
    assert abs(result["lower.v"]).max() == 0 and result["upper.v"].max() == pytest.approx(3.5, abs=1e-12)
    assert result.statistics.events == 4  # two jumps of the force and the end of its table, the end of the slip


def test_friction_without_a_limit_slips_from_the_start() -> None:
    """A mass at rest, pushed from 0.5 s on by a force that grows: it begins to move without an event of its friction."""
    system = System("smooth")
    system.add("floor", "mechanical1d.Fixed1D")
    system.add("friction", "mechanical1d.Friction", {"static": 0.0, "kinetic": 0.0})
    system.add("mass", "mechanical1d.Mass", {"m": 2.0})
    system.add("push", "mechanical1d.Force")
    for a, b in (("floor.flange", "friction.M"), ("friction.N", "mass.flange"), ("push.flange", "mass.flange")):
        system.connect(a, b)
    system.drive("push.force", [(0, 0), (0.5, 0), (1.5, 6.0)])
    result = system.simulate(1.5)
    assert result.changes == ()
    np.testing.assert_allclose(result["mass.v"], 1.5 * np.maximum(result.time - 0.5, 0) ** 2, atol=1e-9)


def backlash() -> System:
    system = System("backlash")
    system.add("a", "mechanical1d.Mass", {"v": 2.0})
    system.add("b", "mechanical1d.Mass", {"m": 3.0})
    system.add("gap", "mechanical1d.EndStop", {"low": -0.05, "high": 0.05, "e": 0.6})
    system.connect("a.flange", "gap.M")
    system.connect("gap.N", "b.flange")
    return system


def test_masses_with_backlash_keep_their_momentum_and_lose_what_impulses_take() -> None:
    result = backlash().simulate(1.0, rtol=1e-12)
    np.testing.assert_allclose(
        [each.time for each in hits(result)][:4], [0.025, 0.108333333333333, 0.247222222222222, 0.478703703703704], atol=1e-12
    )
    np.testing.assert_allclose(result["a.v"] + 3 * result["b.v"], 2, atol=1e-12)
    kinetic = (result["a.v"] ** 2 + 3 * result["b.v"] ** 2) / 2
    for each in hits(result):
        before, after = np.flatnonzero(result.time == each.time)[[0, -1]]
        impulse, speeds = each.impulses["gap.lambda[1]"] - each.impulses["gap.lambda[2]"], (result["b.v"] - result["a.v"])[[before, after]]
        assert kinetic[before] - kinetic[after] == pytest.approx(each.energy, abs=1e-12)
        assert -impulse * speeds.sum() / 2 == pytest.approx(each.energy, abs=1e-12)
    assert (np.diff(kinetic) <= 1e-12).all()


@pytest.mark.parametrize(("impacts", "after"), [("sequential", [0, 0, 0, 0, 1]), ("simultaneous", [-0.6, 0.4, 0.4, 0.4, 0.4])])
def test_newtons_cradle_one_after_the_other_or_all_at_once(impacts: str, after: list[float]) -> None:
    system = System("cradle")
    for i in range(5):
        system.add(f"ball{i}", "mechanical1d.Mass", {"s": 0.1 * i or -0.1, "v": float(i == 0)})
    for i in range(4):
        system.add(f"touch{i}", "mechanical1d.EndStop", {"low": 0.1, "high": 9.0, "e": 1.0})
        system.connect(f"ball{i}.flange", f"touch{i}.M")
        system.connect(f"touch{i}.N", f"ball{i + 1}.flange")
    result = system.simulate(0.3, contacts=Contacts(impacts=impacts))
    np.testing.assert_allclose([result[f"ball{i}.v"][-1] for i in range(5)], after, atol=1e-12)


def ball() -> System:
    """Dropped from 1 m, e = 0.8."""
    system = System("ball")
    system.add("ground", "mechanical1d.Fixed1D")
    system.add("ball", "mechanical1d.Mass", {"s": 1.0})
    system.add("weight", "mechanical1d.Force")
    system.add("wall", "mechanical1d.EndStop", {"low": 0.0, "high": 9.0, "e": 0.8})
    for a, b in (("weight.flange", "ball.flange"), ("ground.flange", "wall.M"), ("wall.N", "ball.flange")):
        system.connect(a, b)
    system.drive("weight.force", -9.81)
    return system


@pytest.mark.parametrize(("rest", "count", "time"), [(1e-2, 28, 4.054979031), (1e-3, 38, 4.062774991), (1e-6, 69, 4.063711840)])
def test_a_ball_comes_to_rest(rest: float, count: int, time: float) -> None:
    result = ball().simulate(5.0, rtol=1e-10, contacts=Contacts(rest_velocity=rest))
    assert len(hits(result)) == count
    assert [(each.time, each.what) for each in result.changes if each.what != "hit"] == [(pytest.approx(time, abs=1e-8), "open -> closed")]
    (warning,) = result.outcome.warnings
    assert (
        warning
        == f"'wall' was hit {count} times, and rests from t = {result.changes[-1].time:.6g} s on: below {rest:g} m/s impacts are plastic (rest_velocity)"
    )
    assert result["wall.lambda[1]"][-1] == pytest.approx(9.81)


def test_only_constraints_that_hold_count_as_violated() -> None:
    result = stop().simulate(1.0, outputs=["*", "stop"])
    assert result["stop.position[1]"].max() > 0.9
    assert result.violation["position"].max() < 1e-9


def test_a_start_inside_is_refused() -> None:
    with pytest.raises(InitialStateError) as refused:
        stop(s=-0.01).simulate(1.0)
    assert str(refused.value) == "'stop' starts 0.01 m inside (position[1] = -0.01 m, at most 1e-06 m); move it, or use initial='assemble'"
