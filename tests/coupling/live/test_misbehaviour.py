"""FMUs that misbehave: each run ends with a sentence that names the instance and the variable, and keeps what came before."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest

from coupling import BuildError, Ending, FmuError, Result, StartError, System
from tests.support import foreign
from tests.support.foreign import Model, Variable
from tests.support.systems.systems import refusal


@pytest.fixture(params=["dopri5", "dop853"])
def solver(request: pytest.FixtureRequest) -> str:
    return request.param


def alone(fmu: Path) -> System:
    system = System("alone")
    system.add("unit", fmu)
    return system


def said(result: Result) -> str:
    return str(result.outcome)


def assert_kept(result: Result, until: float) -> None:
    """Every row up to there is that of the sound oscillator, cos t."""
    assert len(result) > 1 and result.time[-1] <= until
    assert result["unit.x"] == pytest.approx(np.cos(result.time), abs=1e-6)


def test_an_error_ends_the_run(fmi, solver):
    """The standards forbid going on with an instance after it: rows end with the last step that was accepted."""
    result = alone(foreign.fails_at(0.52, version=fmi)).simulate(2.0, solver=solver)
    assert result.outcome.ending is Ending.FMU_FAILED
    assert foreign.BURNT_OUT in said(result) and "'unit'" in said(result) and "'unit.der(x)'" in said(result) and "'error'" in said(result)
    assert_kept(result, 0.52)


def test_a_discard_has_the_step_repeated_smaller(fmi, solver):
    """It is repeated until no step is small enough; rows reach to the end of the FMU's range."""
    result = alone(foreign.discards_at(0.52, version=fmi)).simulate(2.0, solver=solver)
    assert result.outcome.ending is Ending.FMU_FAILED
    assert foreign.NOT_YET in said(result) and "'unit.der(x)'" in said(result) and "'discard'" in said(result)
    assert "t = 0.52 s" in said(result)
    assert_kept(result, 0.52)
    assert result.time[-1] > 0.515


def test_long_steps_that_are_discarded_are_repeated(fmi, solver):
    """Shorter steps succeed, and the FMU hears of every completed step."""
    result = alone(foreign.discards_long_steps(0.01, version=fmi)).simulate(2.0, solver=solver)
    assert result.outcome.ending is Ending.COMPLETED
    assert result.statistics.steps >= 200
    assert_kept(result, 2.0)


def test_an_output_that_becomes_nan(fmi, solver):
    """Nothing depends on it, but it is recorded: a warning names it, with its first recorded time, and the run goes on."""
    result = alone(foreign.nan_output_at(0.52, version=fmi)).simulate(2.0, solver=solver)
    assert result.outcome.completed
    first = result.time[np.isnan(result["unit.y"])][0]
    assert f"outputs that feed nothing were not finite numbers: 'unit.y' from t = {first:.9g} s on" in result.outcome.warnings
    assert first == pytest.approx(0.52, abs=0.01)
    assert_kept(result, 2.0)


def test_a_nan_that_reaches_a_derivative(fmi, solver):
    """The sentence names the output it comes from, or where it went."""
    system = alone(foreign.nan_output_at(0.52, version=fmi))
    system.add("follower", foreign.oscillator(fmi))
    system.connect("unit.y", "follower.u")
    result = system.simulate(2.0, solver=solver)
    assert result.outcome.ending is Ending.NOT_FINITE
    assert "'unit.y'" in said(result) or "'follower.der(v)'" in said(result)
    assert_kept(result, 0.52)


def test_a_jump_that_nobody_announces(fmi, solver):
    """The run completes with a warning that names the state and the time; the error is of the order of the tolerance."""
    result = alone(foreign.hidden_jump(0.52, version=fmi)).simulate(2.0, solver=solver)
    assert result.outcome.ending is Ending.COMPLETED
    (warning,) = result.outcome.warnings
    assert "'unit.x'" in warning and "discontinuous" in warning and "t = 0.52" in warning
    assert result["unit.x"][-1] == pytest.approx(2 * 0.52 - 2, abs=1e-6)


@pytest.mark.parametrize("rtol", [1e-5, 1e-8, 1e-11])
def test_a_smooth_run_has_no_such_warning(fmi, solver, rtol):
    result = alone(foreign.oscillator(fmi)).simulate(20.0, solver=solver, rtol=rtol)
    assert result.outcome.ending is Ending.COMPLETED and not result.outcome.warnings


@pytest.mark.parametrize("rtol", [1e-6, 1e-8, 1e-10])
def test_chattering_that_nobody_announces(fmi, solver, rtol):
    """The derivative jumps from 1 to -1 at x = 0, where it holds the state: found out after a thousand steps, by the state's name."""
    result = alone(foreign.hidden_chatter(fmi)).simulate(2.0, solver=solver, rtol=rtol)
    assert result.outcome.ending is Ending.CHATTERING
    assert "'unit.x'" in result.outcome.sentence and "chattering" in result.outcome.sentence
    assert result.statistics.steps < 1000
    assert result["unit.x"] == pytest.approx(np.maximum(1 - result.time, 0), abs=1e-4)


def stiff(version: int, rate: float) -> Path:
    """Returns an FMU with x' = -rate (x - cos t) from 1."""
    return foreign.export(Model("Stiff", [Variable("x", "output", 1.0, rate=f"-{rate!r} * (x - cos(time))", depends=["x"])]), version)


@pytest.mark.parametrize("rate", [1e3, 1e5])
def test_a_stiff_system_is_not_taken_for_chattering(fmi, solver, rate):
    """It takes many steps, at whose ends the derivative may change its sign every time; but it does not jump."""
    result = alone(stiff(fmi, rate)).simulate(0.5, solver=solver, rtol=1e-6)
    assert result.outcome.ending is Ending.COMPLETED
    assert result["unit.x"] == pytest.approx(np.cos(result.time), abs=1e-3 + 2 / rate)


def test_steep_friction_is_not_taken_for_chattering(fmi, solver):
    """tanh(v/0.001) in place of the sign: the block comes to rest, and the run completes."""
    model = Model("Block", [Variable("v", "output", 1.0, rate="-tanh(v / 0.001)", depends=["v"])])
    result = alone(foreign.export(model, fmi)).simulate(2.0, solver=solver, rtol=1e-5)
    assert result.outcome.ending is Ending.COMPLETED
    assert result["unit.v"][-1] == pytest.approx(0, abs=1e-6)


def liar(version: int, honest: bool, gain: float = 0.25) -> System:
    """Returns y = x + 2 u in a loop with a gain: y = x/(1 - 2 gain), if the loop is known."""
    system = System("loop")
    system.add("liar", foreign.lies_about_dependencies(version, honest))
    system.add("gain", foreign.gain(version), {"factor": gain})
    system.connect("liar.y", "gain.u")
    system.connect("gain.y", "liar.u")
    return system


def test_an_honest_loop_is_solved(fmi):
    result = liar(fmi, True).simulate(2.0, rtol=1e-10)
    assert result["liar.y"] == pytest.approx(2 * np.exp(-result.time), abs=1e-8)


@pytest.mark.parametrize("gain", [0.25, 2.0])
def test_a_lie_about_dependencies_is_found_out(fmi, gain):
    """It is found at the start, by the name of a variable: passing values on may converge there, but would lag behind later."""
    text = refusal(lambda: liar(fmi, False, gain).simulate(2.0), StartError)
    assert ("'liar.y'" in text or "'liar.u'" in text or "'gain.u'" in text) and "depend" in text


@pytest.mark.parametrize(
    ("make", "message"),
    [(foreign.crashes_on_instantiate, foreign.NO_LICENCE), (foreign.fails_in_initialization, foreign.NO_EQUILIBRIUM)],
    ids=["instantiate", "initialize"],
)
def test_an_fmu_that_does_not_start(fmi, make, message):
    """The sentence is the FMU's own, with the instance's name."""
    text = refusal(lambda: alone(make(fmi)).simulate(1.0), StartError)
    assert "'unit'" in text and message in text


def test_an_fmu_that_cannot_be_loaded(fmi):
    for make, words in ((foreign.corrupt_binary, "cannot be loaded"), (foreign.wrong_platform, "no binary")):
        text = refusal(lambda make=make: alone(make(fmi)).simulate(1.0), (BuildError, FmuError))
        assert words in text and "Oscillator" in text


def test_a_function_that_the_master_does_without(fmi):
    """Derivatives are got as variables where the binary lacks their function."""
    assert_kept(alone(foreign.missing_symbol(fmi)).simulate(1.0), 1.0)


def test_what_a_function_of_time_raises_is_the_users(fmi, solver):
    """The exception passes through the kernel unchanged, and everything is freed."""
    system = alone(foreign.oscillator(fmi))

    def drive(t: float) -> float:
        if t > 0.5:
            raise LookupError("no such day")
        return 0.0

    system.drive("unit.u", drive)
    with pytest.raises(LookupError, match="no such day"):
        system.simulate(1.0, solver=solver)


def test_a_drive_that_becomes_infinite(fmi, solver):
    system = alone(foreign.oscillator(fmi))
    system.drive("unit.u", lambda t: 0.0 if t < 0.5 else math.inf)
    result = system.simulate(1.0, solver=solver)
    assert result.outcome.ending is Ending.NOT_FINITE
    assert "'unit.u'" in said(result) or "a driven input" in said(result)
    assert_kept(result, 0.5)
