"""SciPy's solvers: how accurate they get, and stiff systems."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.systems import seven_bodies
from tests.support.systems.hard_systems import BRACED, ONE_ROD, braced_parallelogram, damped_hinge, line_exact, line_of_masses


@pytest.mark.parametrize(
    ("solver", "tolerance", "allowed"),
    [("RK45", 1e-9, 1e-7), ("DOP853", 1e-9, 1e-7), ("Radau", 1e-9, 1e-9), ("BDF", 1e-8, 2e-5), ("LSODA", 1e-11, 1e-7)],
)
def test_the_seven_bodies(solver: str, tolerance: float, allowed: float) -> None:
    """Errors in rad: RK45 and DOP853 1e-8, Radau 6e-11, LSODA 7e-9 at 1e-11."""
    result = seven_bodies.system().simulate(
        seven_bodies.STOP, solver=solver, rtol=tolerance, atol=tolerance, outputs=["*.theta"], output_times=[seven_bodies.STOP]
    )
    assert seven_bodies.error(result) < allowed


@pytest.mark.parametrize("solver", ["Radau", "BDF", "LSODA"])
def test_stiff_systems_cost_few_steps(solver: str) -> None:
    """The implicit ones know the exact Jacobian."""
    times = np.linspace(0, 1, 6)
    result = damped_hinge(1000.0).simulate(1.0, solver=solver, rtol=1e-6, output_times=times)
    assert result.outcome.completed and result.statistics.steps < 300
    np.testing.assert_allclose(result["rod2.theta"], ONE_ROD.motion(times)["rod"].theta, atol=1e-3)
    result = line_of_masses(20, 1000.0).simulate(1.0, solver=solver, rtol=1e-7, outputs=["*.s"], output_times=[1.0])
    assert result.outcome.completed and result.statistics.steps < 300
    np.testing.assert_allclose([result[f"mass{i}.s"][-1] for i in range(20)], line_exact(20, 1000.0, 1.0), atol=1e-5)


@pytest.mark.parametrize("solver", ["RK45", "Radau", "BDF", "LSODA"])
def test_redundant_constraints_share_their_load(solver: str) -> None:
    """The other solvers have the same test."""
    times = np.linspace(0, 0.4, 5)
    result = braced_parallelogram().simulate(0.4, solver=solver, rtol=1e-8, atol=1e-8, output_times=times)
    assert result.outcome.completed
    np.testing.assert_allclose(result["rod1.theta"], BRACED.motion(times)["rod0"].theta, atol=1e-5)


def test_tolerances_below_what_scipy_allows_are_no_reason_to_warn(recwarn: pytest.WarningsRecorder) -> None:
    """It raises them to what numbers resolve; nothing is printed on the way."""
    result = line_of_masses(2, 1.0).simulate(0.1, solver="DOP853", rtol=1e-15)
    assert result.outcome.completed and not recwarn.list
