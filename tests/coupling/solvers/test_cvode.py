"""CVODE: stiff systems, and how accurate it gets."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.systems import seven_bodies
from tests.support.systems.hard_systems import BRACED, ONE_ROD, braced_parallelogram, damped_hinge, line_exact, line_of_masses


@pytest.mark.parametrize(("tolerance", "allowed", "steps"), [(1e-9, 1e-5, 1500), (1e-12, 5e-8, 5000)])
def test_the_error_of_the_seven_bodies_follows_the_tolerance(tolerance: float, allowed: float, steps: int) -> None:
    """It is 2e-6 rad at 1e-9 and 6e-9 at 1e-12; with exact Jacobians there is little more than one evaluation per step."""
    result = seven_bodies.system().simulate(
        seven_bodies.STOP, solver="cvode", rtol=tolerance, atol=tolerance, outputs=["*.theta"], output_times=[seven_bodies.STOP]
    )
    assert seven_bodies.error(result) < allowed
    assert result.statistics.steps < steps
    assert result.statistics.evaluations < 1.3 * result.statistics.steps + 30


def test_a_stiff_hinge_costs_no_steps() -> None:
    """Two rods with a damped hinge swing as one; an explicit method has to follow the hinge instead."""
    times = np.linspace(0, 1, 6)
    expected = ONE_ROD.motion(times)["rod"].theta
    results = {solver: damped_hinge(1000.0).simulate(1.0, solver=solver, rtol=1e-6, output_times=times) for solver in ("dopri5", "cvode")}
    for result in results.values():
        assert result.outcome.completed
        np.testing.assert_allclose(result["rod1.theta"], expected, atol=1e-3)
        np.testing.assert_allclose(result["rod2.theta"], expected, atol=1e-3)
    assert results["cvode"].statistics.steps < 0.1 * results["dopri5"].statistics.steps


@pytest.mark.parametrize("count", [5, 40, 150])
def test_chains_without_loops_have_a_sparse_jacobian(count: int) -> None:
    """Dampers of 1000 N.s/m make a line of masses stiff; up to 300 states, against the exponential of its matrix."""
    result = line_of_masses(count, 1000.0).simulate(1.0, solver="cvode", rtol=1e-7, outputs=["*.s"], output_times=[1.0])
    assert result.outcome.completed and result.statistics.steps < 200
    places = [result[f"mass{i}.s"][-1] for i in range(count)]
    np.testing.assert_allclose(places, line_exact(count, 1000.0, 1.0), atol=1e-5)


def test_redundant_constraints_share_their_load() -> None:
    """One of three parallel rods is redundant: the motion is that of two, and a warning says so."""
    times = np.linspace(0, 0.4, 5)
    result = braced_parallelogram().simulate(0.4, solver="cvode", rtol=1e-8, atol=1e-8, output_times=times)
    assert result.outcome.completed and "1 constraint is redundant" in str(result.outcome)
    for k in range(3):
        np.testing.assert_allclose(result[f"rod{k}.theta"], BRACED.motion(times)["rod0"].theta, atol=1e-6)
