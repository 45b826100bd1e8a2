"""FMUs that fail, or that do not do what they say: the outcome names the FMU and the variable, and what was computed before is kept."""

import numpy as np
import pytest

import foreign
from coupling import Ending, StartError, System

VERSIONS = pytest.mark.parametrize("version", [2, 3])


def run(path, stop=1.0, **options):
    system = System("bad")
    system.add("unit", path)
    return system.simulate(stop, **options)


@VERSIONS
@pytest.mark.parametrize(("make", "said"), [(foreign.fails_at, foreign.BURNT_OUT), (foreign.discards_at, foreign.NOT_YET)])
def test_an_error_ends_the_run_with_the_fmus_own_sentence(version, make, said):
    """The right motion up to there: x = cos t."""
    result = run(make(0.5, version=version), rtol=1e-9)
    assert result.outcome.ending is Ending.FMU_FAILED
    assert "'unit'" in str(result.outcome) and "'unit.der(x)'" in str(result.outcome) and said in str(result.outcome)
    assert "the result holds everything up to there" in str(result.outcome)
    assert 0.3 < result.time[-1] <= 0.5
    assert len(result) > 150


@VERSIONS
def test_an_output_that_is_not_a_number_ends_the_run(version):
    """Though nobody reads it but the record; without it the run goes on."""
    result = run(foreign.nan_output_at(0.5, version=version))
    assert result.outcome.ending is Ending.NOT_FINITE
    assert "'unit.y' is not a finite number at t = 0.5" in str(result.outcome)
    assert np.isfinite(result.values).all() and 0.45 < result.time[-1] < 0.5
    assert run(foreign.nan_output_at(0.5, version=version), outputs=["unit.x"]).outcome.completed


@VERSIONS
@pytest.mark.parametrize("solver", ["dopri5", "dop853"])
def test_a_derivative_that_jumps_without_an_event_is_warned_of(version, solver):
    """The solution is right all the same, since the step size control finds the jump."""
    result = run(foreign.hidden_jump(0.5, version=version), solver=solver)
    assert result.outcome.completed
    assert any(
        ("'unit.x'" in warning and "discontinuous" in warning and "t = 0.5 s" in warning) or "0.49999" in warning
        for warning in result.outcome.warnings
    )
    assert np.abs(result["unit.x"] - np.minimum(result.time, 1 - result.time)).max() < 1e-6


@VERSIONS
def test_a_derivative_that_chatters_without_an_event_ends_with_a_sentence(version):
    """Sliding along its jump is what explicit methods cannot do; it takes bounded time to find that out."""
    result = run(foreign.hidden_chatter(version), stop=10.0)
    assert "'unit.x'" in str(result.outcome)
    assert result.time[-1] >= 1 - 1e-2
    assert result.statistics.evaluations < 2_000_000


@VERSIONS
def test_dependencies_that_are_wrong_are_found_and_named(version):
    """With the honest twin the same system is an algebraic loop with a solution."""

    def system(honest):
        made = System("ring")
        made.add("unit", foreign.lies_about_dependencies(version, honest=honest))
        made.add("gain", foreign.gain(version, 0.25))
        made.connect("unit.y", f"gain.{next(v.name for v in made.instances['gain'].variables.values() if v.causality == 'input')}")
        made.connect(f"gain.{next(v.name for v in made.instances['gain'].variables.values() if v.causality == 'output')}", "unit.u")
        return made

    assert system(True).simulate(0.1).outcome.completed
    with pytest.raises(StartError, match=r"'unit\.y'.*(model structure|modelDescription\.xml)"):
        system(False).simulate(0.1)


@VERSIONS
def test_steps_that_an_fmu_finds_too_long_are_shortened(version):
    """It discards them, until they are short enough."""
    result = run(foreign.discards_long_steps(0.01, version=version))
    assert result.outcome.completed
    assert result.statistics.steps >= 100
