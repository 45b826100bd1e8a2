"""IDA: states and multipliers together."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from coupling import System
from tests.support import foreign
from tests.support.oracles.planar import ParallelFourBars, Pendulum
from tests.support.systems import seven_bodies
from tests.support.systems.hard_systems import BRACED, ONE_ROD, braced_parallelogram, damped_hinge, line_exact, line_of_masses
from tests.support.systems.systems import around_a_nonlinear_loop, system_of


@pytest.mark.parametrize(
    ("tolerance", "loose", "allowed"),
    [(1e-9, {}, 2e-6), (1e-11, {}, 2e-8), (1e-11, {"*.lambda*": 1e-3}, 1e-8), (1e-12, {"*.lambda*": 1e-3}, 1e-8)],
    ids=["1e-9", "1e-11", "1e-11 with loose multipliers", "1e-12 with loose multipliers"],
)
def test_the_error_of_the_seven_bodies_follows_the_tolerance(tolerance: float, loose: dict[str, float], allowed: float) -> None:
    """It is 1e-7 rad at 1e-9, 2e-9 at 1e-11 and 6e-10 at 1e-12."""
    result = seven_bodies.system().simulate(
        seven_bodies.STOP,
        solver="ida",
        rtol=tolerance,
        atol={"*": tolerance, **loose} if loose else tolerance,
        outputs=["*.theta"],
        output_times=[seven_bodies.STOP],
    )
    assert seven_bodies.error(result) < allowed
    assert result.statistics.evaluations < 2 * result.statistics.steps
    assert result.statistics.newton_iterations < 100, "the multipliers are not solved for on their own"


def test_what_memory_held_before_does_no_harm(monkeypatch: pytest.MonkeyPatch) -> None:
    """The rates of the multipliers, which the start takes as zero, once came from memory that nothing had been written to."""
    monkeypatch.setattr(np, "empty", lambda shape, dtype=float, **_: np.full(shape, np.nan if dtype is float else 0, dtype))
    assert system_of(Pendulum()).simulate(0.1, solver="ida", output_times=[0.1]).outcome.completed


def test_tight_tolerances_of_multipliers_cost_many_steps() -> None:
    """They are loosened unless a mapping says otherwise, since the accuracy of the states gains nothing from them."""
    steps = []
    for atol in (1e-9, {"*": 1e-9}):
        result = seven_bodies.system().simulate(0.01, solver="ida", rtol=1e-9, atol=atol, outputs=["link1.theta"], output_times=[0.01])
        steps.append(result.statistics.steps)
    assert steps[1] > 1.3 * steps[0]


def test_recorded_multipliers_are_as_exact_as_the_states() -> None:
    """Recorded multipliers solve the constraints, whatever the solver's tolerance for its own: here the forces of a pin."""
    oracle, times = Pendulum(), np.linspace(0, 1, 11)
    result = system_of(oracle).simulate(1.0, solver="ida", rtol=1e-8, atol={"*": 1e-8, "pin.*": 1e-2}, output_times=times)
    forces = np.column_stack([result["pin.N.Fx"], result["pin.N.Fy"]])
    np.testing.assert_allclose(forces, oracle.reaction(times), atol=1e-4)
    assert result.violation["acceleration"].max() < 1e-3


def test_a_stiff_hinge_costs_no_steps() -> None:
    """The test for CVODE is the same."""
    times = np.linspace(0, 1, 6)
    result = damped_hinge(1000.0).simulate(1.0, solver="ida", rtol=1e-6, output_times=times)
    assert result.outcome.completed and result.statistics.steps < 500
    np.testing.assert_allclose(result["rod2.theta"], ONE_ROD.motion(times)["rod"].theta, atol=1e-3)


@pytest.mark.parametrize("count", [5, 40, 150])
def test_without_unknowns_it_integrates_all_the_same(count: int) -> None:
    """A line of masses has no multiplier; it is sparse where it is long."""
    result = line_of_masses(count, 1000.0).simulate(1.0, solver="ida", rtol=1e-7, outputs=["*.s"], output_times=[1.0])
    assert result.outcome.completed and result.statistics.steps < 250
    places = [result[f"mass{i}.s"][-1] for i in range(count)]
    np.testing.assert_allclose(places, line_exact(count, 1000.0, 1.0), atol=1e-5)


def test_long_chains_of_rods() -> None:
    """30 rods and their 60 multipliers, sparse, against an explicit method."""
    system = System("chain")
    system.add("ground", "planar.Fixed")
    for k in range(30):
        system.add(f"rod{k}", "planar.Body2", {"I": 1 / 12, "p1.rx": -0.5, "p2.rx": 0.5, "x": k + 0.5})
        system.add(f"pin{k}", "planar.Revolute")
        system.connect(f"rod{k - 1}.p2" if k else "ground.p1", f"pin{k}.M")
        system.connect(f"rod{k}.p1", f"pin{k}.N")
    ends = [system.simulate(0.5, solver=solver, rtol=1e-8, outputs=["*.theta"], output_times=[0.5]).values for solver in ("ida", "dop853")]
    np.testing.assert_allclose(*ends, atol=1e-6)


# -- redundant equations -----------------------------------------------------------------------------------------------------------


def test_redundant_constraints_share_their_load() -> None:
    """The multipliers are not unique, yet the motion is; those that are recorded are the shortest, as with the other solvers."""
    times = np.linspace(0, 0.4, 5)
    runs = {
        solver: braced_parallelogram().simulate(0.4, solver=solver, rtol=1e-9, atol=1e-9, output_times=times)
        for solver in ("ida", "dop853")
    }
    result = runs["ida"]
    assert result.outcome.completed and "1 constraint is redundant" in str(result.outcome)
    for k in range(3):
        np.testing.assert_allclose(result[f"rod{k}.theta"], BRACED.motion(times)["rod0"].theta, atol=1e-6)
    for name in result.names:
        if ".lambda" in name:
            np.testing.assert_allclose(result[name], runs["dop853"][name], atol=1e-4)


def test_what_is_redundant_at_the_start_alone_is_not_taken_for_it_later() -> None:
    """A parallelogram that starts in line, where its constraints depend on each other, moves on as one."""
    oracle, times = ParallelFourBars(1, angle=0.0, speed=-1.0), np.linspace(0, 0.5, 6)
    result = system_of(oracle).simulate(0.5, solver="ida", rtol=1e-8, atol=1e-8, output_times=times)
    assert result.outcome.completed
    np.testing.assert_allclose(result["rod0.theta"], oracle.motion(times)["rod0"].theta, atol=1e-6)


# -- other people's algebraic variables --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("model", "exact"), [("pendulum", foreign.casadi_pendulum_exact), ("diode", foreign.casadi_diode_exact)], ids=["affine", "nonlinear"]
)
def test_an_fmu_of_casadi(model: str, exact: Callable[[np.ndarray], dict[str, np.ndarray]]) -> None:
    """Its algebraic variable is affine in one model and exponential in the other."""
    system, times = System(), np.linspace(0, 1, 6)
    system.add("it", foreign.casadi_dae(model))
    result = system.simulate(1.0, solver="ida", rtol=1e-8, output_times=times)
    assert result.outcome.completed
    for name, values in exact(times).items():
        np.testing.assert_allclose(result[f"it.{name}"], values, rtol=1e-5, atol=1e-6)


@pytest.mark.parametrize("derivatives", [True, False])
def test_torn_inputs_are_unknowns_like_any_other(derivatives: bool) -> None:
    """A nonlinear loop between two FMUs, with and without derivatives, drives an oscillator."""
    system = around_a_nonlinear_loop(derivatives)
    result = system.simulate(1.0, solver="ida", rtol=1e-9)
    c = 0.9 + np.sqrt(0.07)
    np.testing.assert_allclose(result["sphere.c"], c, rtol=1e-12)
    np.testing.assert_allclose(result["oscillator.x"], c + (1 - c) * np.cos(result.time), atol=1e-7)
