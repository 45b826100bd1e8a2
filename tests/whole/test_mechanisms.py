"""Mechanisms against reference solutions in minimal coordinates, and against their energy, by both stabilisations.

That of the joints has their defaults (5 and 5): it acts on drifts of the size of the tolerance, and shows in none of these numbers.
"""

from __future__ import annotations

import numpy as np
import pytest

from coupling import Ending
from tests.support.oracles.motion import Oracle, deviation
from tests.support.oracles.planar import DoublePendulum, FourBar, Pendulum, SliderCrank
from tests.support.systems.systems import system_of

ORACLES: dict[str, Oracle] = {
    "pendulum": Pendulum(angle=0.3, speed=1.0),
    "whirling": Pendulum(angle=-1.0, speed=9.0),
    "double pendulum": DoublePendulum(angles=(0.3, -0.4), speeds=(0.5, -1.0)),
    "slider-crank": SliderCrank(angle=0.3, speed=2.0, torque=0.5, stiffness=20.0, rest=1.4, offset=0.1),
    "four-bar": FourBar(angle=0.9, speed=2.0),
}
SOLVERS = {"dopri5": 1e-11, "dop853": 1e-12}
"""Solvers with the relative and absolute tolerance that is shown."""
STABILISATIONS = ("projection", "baumgarte")


@pytest.fixture(params=ORACLES)
def oracle(request: pytest.FixtureRequest) -> Oracle:
    return ORACLES[request.param]


@pytest.mark.parametrize("stabilisation", STABILISATIONS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_states_are_those_of_the_reference_solution(oracle, solver, stabilisation):
    """All states of all bodies agree to 1e-8 over 2 s."""
    times = np.linspace(0, 2, 21)
    tolerances = {"rtol": SOLVERS[solver], "atol": SOLVERS[solver]}
    result = system_of(oracle).simulate(2.0, solver=solver, stabilisation=stabilisation, output_times=times, **tolerances)
    assert result.outcome.ending is Ending.COMPLETED and not result.outcome.warnings
    assert list(result.time) == list(times)
    assert deviation(oracle.motion(times), lambda name: result[name]) < 1e-8


@pytest.mark.parametrize("stabilisation", STABILISATIONS)
@pytest.mark.parametrize("solver", SOLVERS)
def test_energy_is_conserved(oracle, solver, stabilisation):
    """It is constant over 10 s, to 1e-9 of the range of its potential part; both are summed from the states, not by the FMUs."""
    result = system_of(oracle).simulate(10.0, solver=solver, rtol=SOLVERS[solver], atol=SOLVERS[solver], stabilisation=stabilisation)
    kinetic, potential = np.zeros((2, len(result)))
    for name, (m, J) in oracle.masses.items():
        kinetic += m * (result[f"{name}.vx"] ** 2 + result[f"{name}.vy"] ** 2) / 2 + J * result[f"{name}.omega"] ** 2 / 2
        potential += m * oracle.g * result[f"{name}.y"]
    if isinstance(oracle, SliderCrank):
        potential += oracle.stiffness * (result["slider.x"] - oracle.rest) ** 2 / 2 - oracle.torque * result["crank.theta"]
    assert np.ptp(kinetic + potential) < 1e-9 * np.ptp(potential)


def test_reactions_are_those_of_newton():
    """The multipliers of the pin are the force on the rod, m (a + g)."""
    pendulum = ORACLES["pendulum"]
    assert isinstance(pendulum, Pendulum)
    result = system_of(pendulum).simulate(2.0, solver="dop853", rtol=1e-12, atol=1e-12, output_interval=0.1)
    found = np.column_stack([result["pin.lambda[1]"], result["pin.lambda[2]"]])
    assert found == pytest.approx(pendulum.reaction(result.time), abs=1e-8)
    assert np.column_stack([result["pin.N.Fx"], result["pin.N.Fy"]]) == pytest.approx(found, abs=1e-13)


@pytest.mark.parametrize("stabilisation", STABILISATIONS)
def test_constraints_stay_satisfied(oracle, stabilisation):
    """They hold at all three levels, to the tolerance times the gain of the correction."""
    violation = system_of(oracle).simulate(10.0, rtol=1e-10, atol=1e-10, stabilisation=stabilisation).violation
    assert violation["position"].max() < 1e-9
    assert violation["velocity"].max() < 1e-8


@pytest.mark.parametrize("solver", SOLVERS)
def test_a_tighter_tolerance_gives_a_smaller_error(solver):
    """A thousandth of the tolerance, at most a hundredth of the error."""
    times, oracle = np.linspace(0, 2, 21), ORACLES["double pendulum"]
    motions = oracle.motion(times)

    def error(tolerance: float) -> float:
        result = system_of(oracle).simulate(2.0, solver=solver, rtol=tolerance, atol=tolerance, output_times=times)
        return deviation(motions, lambda name: result[name])

    assert error(1e-5) > 100 * error(1e-8) > 1e4 * error(1e-11)


def test_output_costs_no_steps():
    """Rows between the steps are interpolated, to the same accuracy."""
    oracle = ORACLES["four-bar"]
    few = system_of(oracle).simulate(2.0, rtol=1e-9, output_times=[2.0])
    many = system_of(oracle).simulate(2.0, rtol=1e-9, output_interval=1e-3)
    assert (few.statistics.steps, few.statistics.rejected) == (many.statistics.steps, many.statistics.rejected)
    assert many["rocker.theta"][-1] == pytest.approx(few["rocker.theta"][-1], rel=1e-13)
    assert deviation(oracle.motion(many.time[::50]), lambda name: many[name][::50]) < 1e-6
