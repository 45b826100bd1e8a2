"""Detection of stiff problems by explicit methods, and the solver that they recommend."""

from __future__ import annotations

import re

import pytest

from coupling import Ending
from tests.support.oracles.planar import FourBar, Pendulum, SliderCrank
from tests.support.systems import seven_bodies
from tests.support.systems.hard_systems import damped_hinge, line_of_masses
from tests.support.systems.systems import system_of

solvers = pytest.mark.parametrize("solver", ["dopri5", "dop853"])
LOOKS_STIFF = re.compile(
    r"the problem looks stiff from t = (\S+) s on because of '(\S+)': in (\d+) of (\d+) steps stability and not accuracy limited the step size; "
    "choose solver='cvode'"
)


@solvers
def test_a_stiff_problem_is_noticed(solver: str) -> None:
    """The warning names a rod at the hinge that is damped too much, and the solver that it names needs a tenth of the steps."""
    result = damped_hinge(1e3).simulate(2.0, solver=solver, rtol=1e-6)
    assert result.outcome.completed and len(result.outcome.warnings) == 1
    found = LOOKS_STIFF.fullmatch(result.outcome.warnings[0])
    assert found is not None, result.outcome.warnings
    since, state, limited, steps = found.groups()
    assert float(since) < 0.2 and state in ("rod1.omega", "rod2.omega") and int(steps) == result.statistics.steps
    assert 0.9 < int(limited) / int(steps) <= 1
    cvode = damped_hinge(1e3).simulate(2.0, solver="cvode", rtol=1e-6)
    assert 10 * cvode.statistics.steps < result.statistics.steps and not cvode.outcome.warnings


@solvers
def test_the_remedy_for_too_many_steps_names_the_state(solver: str) -> None:
    """Already where they are too few for a warning."""
    outcome = damped_hinge(1e3).simulate(2.0, solver=solver, rtol=1e-6, max_steps=200).outcome
    assert outcome.ending is Ending.TOO_MANY_STEPS and not outcome.warnings
    assert re.search(
        r"after max_steps = 200 steps; raise max_steps, or, since the problem looks stiff from t = \S+ s on because of 'rod[12]\.omega', "
        r"choose solver='cvode'\. ",
        outcome.sentence,
    )


@solvers
def test_dampers_in_a_row_are_noticed(solver: str) -> None:
    """30 masses in a line, all of whose states take part."""
    warnings = line_of_masses(30, 1e3).simulate(1.0, solver=solver, rtol=1e-6).outcome.warnings
    assert len(warnings) == 1 and re.search(r"stiff from t = \S+ s on because of 'mass\d+\.v'", warnings[0])


@solvers
@pytest.mark.parametrize("rtol", [1e-4, 1e-7, 1e-10])
@pytest.mark.parametrize("name", ["seven bodies", "pendulum", "four-bar", "slider-crank"])
def test_a_problem_that_is_not_stiff_is_not_taken_for_one(name: str, rtol: float, solver: str) -> None:
    """However long it runs and however loose the tolerance is."""
    if name == "seven bodies":
        system, stop = seven_bodies.system(), seven_bodies.STOP
    else:
        oracle = {"pendulum": Pendulum(angle=1.0), "four-bar": FourBar(angle=0.9, speed=2.0), "slider-crank": SliderCrank(speed=4.0)}[name]
        system, stop = system_of(oracle), 30.0
    result = system.simulate(stop, solver=solver, rtol=rtol)
    assert result.outcome.completed, result.outcome.sentence
    assert not any("stiff" in warning for warning in result.outcome.warnings)
