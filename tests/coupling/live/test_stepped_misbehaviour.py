"""Co-Simulation FMUs that misbehave: each run ends with a sentence that names the instance, keeps what came before, and frees everything."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import numpy as np
import pytest

from coupling import Ending, Result, Scheme, System
from tests.support import foreign
from tests.support.foreign import Variable
from tests.support.systems.stepped import without

COURSES = [("explicit", "fixed"), ("gauss-seidel", "fixed"), ("implicit", "fixed"), ("explicit", "adaptive"), ("implicit", "adaptive")]
STEP = 1e-3


@pytest.fixture(params=COURSES, ids=["-".join(course) for course in COURSES])
def course(request: pytest.FixtureRequest) -> dict[str, object]:
    """A scheme and a step control; steps are no longer than a millisecond."""
    scheme, control = request.param
    return {"scheme": Scheme(scheme, step_control=control), "communication_step": STEP, "max_step": STEP, "output_interval": STEP}


@pytest.fixture
def alive(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Gives the file in which FMUs that are COUNTED log their begin and end; all that have begun must have ended, once."""
    log = tmp_path / "log"
    monkeypatch.setenv("COUNTED", str(log))
    yield log
    begun, *ended = (sorted(line[1:] for line in log.read_text().split() if line[0] == sign) for sign in "+-")
    assert begun and ended == [begun]


def _counted(sign: str) -> str:
    return f'{{ FILE *log = fopen(getenv("COUNTED"), "a"); fprintf(log, "{sign}%p\\n", (void *)me); fclose(log); }}'


COUNTED = {"instantiate": _counted("+"), "free": _counted("-")}


def beside_a_sound_one(fmu: Path, version: int) -> System:
    """The FMU, and another that takes its output x; both count their lives."""
    system = System("two")
    system.add("unit", fmu, kind="cs")
    system.add("sound", foreign.of_oscillator(version, **COUNTED), kind="cs")
    system.connect("unit.x", "sound.u")
    return system


def assert_kept(result: Result, rows: int) -> None:
    """Checks so many rows, each a step apart and that of the sound oscillator, cos t."""
    assert len(result) == rows and result.time == pytest.approx(STEP * np.arange(rows), abs=1e-9)
    assert result["unit.x"] == pytest.approx(np.cos(result.time), abs=1e-9)


def test_an_error_ends_the_run(fmi, course, alive):
    """It ends in the step after the 700th of 1,000. The outcome names the FMU and its message, and all rows up to there are kept."""
    failing = foreign.of_oscillator(fmi, step=f'if (time > 0.6999) return say(me, Error, "{foreign.BURNT_OUT}");', **COUNTED)
    result = beside_a_sound_one(failing, fmi).simulate(1.0, **course)
    assert result.outcome.ending is Ending.FMU_FAILED
    assert result.outcome.sentence == (
        f"stopped at t = 0.7 s: 'unit' (Oscillator.fmu) returned 'error' at t = 0.7 s when stepping: {foreign.BURNT_OUT}; "
        "see the FMU's documentation for the cause. The result holds everything up to there"
    )
    assert_kept(result, 701)


def test_a_start_that_fails_frees_what_has_begun(fmi, alive):
    """The sound one has been initialised by then."""
    failing = foreign.of_oscillator(fmi, initialize=f'return say(me, Error, "{foreign.NO_EQUILIBRIUM}");', **COUNTED)
    with pytest.raises(ValueError, match=foreign.NO_EQUILIBRIUM):
        beside_a_sound_one(failing, fmi).simulate(1.0, communication_step=STEP)


def test_ctrl_c_ends_the_run(fmi, course, alive):
    """The signal comes from within a step; it is heard at the latest a tenth of a second later."""
    hook = "static int rung; if (time < 0.1) rung = 0; if (time > 0.4995 && !rung) rung = 1, raise(2);"
    ringing = foreign.of_oscillator(fmi, step=hook, **COUNTED)
    result = beside_a_sound_one(ringing, fmi).simulate(1000.0, **course)
    assert result.outcome.ending is Ending.INTERRUPTED
    assert result.outcome.sentence.startswith("interrupted at t = ") and result.outcome.sentence.endswith(
        "The result holds everything up to there"
    )
    reached = float(result.outcome.sentence.split()[4])
    assert 0.499 <= reached < 1000
    assert_kept(result, round(reached / STEP) + 1)
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler


# -- discarded steps -------------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("fmi", [pytest.param(2, marks=pytest.mark.slow), 3])
def test_a_step_that_is_discarded_is_made_in_smaller_ones(fmi, course):
    """The number of smaller steps is as large as needed, from the first step or from a later one. The result shows no trace, though the FMU
    takes no steps longer than 0.3 ms."""
    smooth = System("alone")
    smooth.add("unit", foreign.of_oscillator(fmi), kind="cs")
    smooth.drive("unit.u", np.sin)
    expected = smooth.simulate(1.0, **course)["unit.x"][-1]
    for from_time in (0.0, 0.5):
        hook = f'if (time > {from_time} && step_size > 0.0003) return say(me, Discard, "{foreign.TOO_LONG}");'
        system = System("alone")
        system.add("unit", foreign.of_oscillator(fmi, step=hook), kind="cs")
        system.drive("unit.u", np.sin)
        result = system.simulate(1.0, **course)
        assert result.outcome.completed, result.outcome
        assert result["unit.x"][-1] == pytest.approx(expected, abs=1e-9)


def test_a_step_that_stays_discarded_ends_the_run(fmi, course):
    """The FMU discards even the smallest step."""
    discarding = foreign.of_oscillator(fmi, step=f'if (time > 0.6999) return say(me, Discard, "{foreign.NOT_YET}");')
    system = System("alone")
    system.add("unit", discarding, kind="cs")
    result = system.simulate(1.0, **course)
    assert result.outcome.ending is Ending.FMU_FAILED
    assert "'unit' (Oscillator.fmu) returned 'discard' at t = 0.7 s when stepping: " + foreign.NOT_YET in result.outcome.sentence
    assert_kept(result, 701)


def test_a_fixed_step_cannot_be_made_in_smaller_ones(fmi):
    """Therefore the master asks once, and gives up at once."""
    hook = f'if (time > 0.6999 && step_size > 0.0003) return say(me, Discard, "{foreign.TOO_LONG}");'
    system = System("alone")
    system.add("unit", without(foreign.of_oscillator(fmi, step=hook), "canHandleVariableCommunicationStepSize"), kind="cs")
    result = system.simulate(1.0, communication_step=STEP, output_interval=STEP)
    assert result.outcome.ending is Ending.FMU_FAILED
    assert_kept(result, 701)


# -- ends ------------------------------------------------------------------------------------------------------------------------------


def test_an_fmu_that_asks_for_the_end(fmi, course, alive):
    """FMI 2 says so by a discarded step and its status, FMI 3 by an argument: the run ends with all rows before that step."""
    hook = 'if (time > 0.6999) { me->terminate = 1; return say(me, Discard, "the lamp is out"); }'
    ending = foreign.of_oscillator(fmi, step=hook, **COUNTED)
    result = beside_a_sound_one(ending, fmi).simulate(1.0, **course)
    assert result.outcome.ending is Ending.TERMINATED
    assert result.outcome.sentence == (
        "stopped at t = 0.7 s: 'unit' asked for the end at t = 0.7 s: the lamp is out. The result holds everything up to there"
    )
    assert_kept(result, 701)


def test_an_fmu_that_asks_for_the_end_where_a_step_ends(fmi, course, alive):
    """FMI 2 by a step that is discarded though it came to its end: all get there, which is the last row."""
    answer = {2: "return advance(me, time + step_size) > Warning ? Error : Discard;", 3: ""}[fmi]
    hook = f"if (time + step_size > 0.6999) {{ me->terminate = 1; {answer} }}"
    result = beside_a_sound_one(foreign.of_oscillator(fmi, step=hook, **COUNTED), fmi).simulate(1.0, **course)
    assert result.outcome.ending is Ending.TERMINATED
    assert result.outcome.sentence.startswith("stopped at t = 0.7 s: 'unit' asked for the end at t = 0.7 s")
    assert_kept(result, 701)
    assert result["unit.x"][-1] == pytest.approx(np.cos(0.7), abs=1e-9)


# -- values that are none --------------------------------------------------------------------------------------------------------------


def broken(version: int) -> Path:
    return foreign.of_oscillator(version, [Variable("y", "output", value="time > 0.6999 ? NAN : x", depends=["x"])])


def test_an_output_that_becomes_nan(fmi, course):
    """It is recorded and nothing else: the run goes on, and a warning gives the time."""
    system = System("alone")
    system.add("unit", broken(fmi), kind="cs")
    result = system.simulate(1.0, **course)
    assert result.outcome.completed
    assert "outputs that feed nothing were not finite numbers: 'unit.y' from t = 0.7 s on" in result.outcome.warnings
    assert np.isnan(result["unit.y"]).tolist() == (result.time > 0.6999).tolist()
    assert result["unit.x"] == pytest.approx(np.cos(result.time), abs=1e-9)


def followed(fmi: int, course: dict[str, object], outputs: list[str] | None) -> Result:
    system = System("two")
    system.add("unit", broken(fmi), kind="cs")
    system.add("follower", foreign.of_oscillator(fmi), kind="cs")
    system.connect("unit.y", "follower.u")
    return system.simulate(1.0, outputs=outputs, **course)


def assert_named(result: Result) -> None:
    """Checks that the outcome names the variable that is not a number, or the input that it reaches."""
    assert result.outcome.ending is Ending.NOT_FINITE, result.outcome
    assert (
        "'unit.y' is not a finite number at" in result.outcome.sentence
        or "'follower.u' is not a finite number at" in result.outcome.sentence
    )
    assert result.time[-1] == pytest.approx(0.7, abs=1.5 * STEP)
    assert result["unit.x"] == pytest.approx(np.cos(result.time), abs=1e-9)


@pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel"])
def test_a_nan_that_arrives_at_another_and_is_recorded(fmi, scheme):
    """It is found before the other gets it."""
    assert_named(followed(fmi, {"scheme": scheme, "communication_step": STEP, "output_interval": STEP}, None))


def test_a_nan_that_arrives_at_another(fmi, course):
    """The NaN is recorded or not, and the other FMU may use it in any way."""
    assert_named(followed(fmi, course, ["unit.x"]))
