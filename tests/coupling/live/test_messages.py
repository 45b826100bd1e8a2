"""Messages of failing FMUs: all of them; a remedy where they say nothing; statuses that the standards do not have."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from coupling import BuildError, Ending, StartError, System
from tests.support.foreign import OSCILLATOR, Variable, export
from tests.support.systems.systems import refusal

SAID = "the pump runs hot; the fuse of the pump blew; there is no pressure; no rate can be computed"
SEVERAL, SILENT, MANY, FINE, CREAKING, STARTING = range(100, 106)
_HOOK = """
    if (what == 100) {
        say(me, Warning, "the pump runs hot"); say(me, Error, "the fuse of the pump blew\\n"); say(me, Error, "there is no pressure");
        say(me, Error, "there is no pressure"); return say(me, Error, "no rate can be computed");
    }
    if (what == 102) {
        for (int i = 0; i < 1000; i++) { char t[60]; sprintf(t, "message number %d of very many", i); say(me, Error, t); }
        return Error;
    }
    if (what == 103) say(me, Ok, "all is well");
    if (what >= 101) return Error;
    if (what) return (int)what;
"""


def talker(what: int, version: int = 3) -> tuple[Path, dict[str, int]]:
    """An oscillator that fails from 0.5 s on: with one of the messages above, or with a status."""
    late = "if (time >= 0.5 && what != 105) {" + _HOOK + "}"
    hooks = {
        "rates": f"if (!me->slave) {late}",
        "step": late,
        "initialize": "if (what == 105) what = 100; else what = 0;" + _HOOK,
        "completed": 'if (what == 104) return say(me, Warning, "it creaks");',
    }
    variables = [*OSCILLATOR.variables, Variable("what", "parameter")]
    return export(replace(OSCILLATOR, name="Talker", variables=variables, hooks=hooks, wants_completed=True), version), {"what": what}


def alone(talker: tuple[Path, dict[str, int]], kind: str = "me", logging: bool = False) -> System:
    system = System("alone")
    system.add("unit", *talker, kind=kind, logging=logging)
    return system


@pytest.mark.parametrize("version", [2, 3])
def test_all_messages_of_a_failing_call_are_shown(version: int) -> None:
    """They stand in their order, each once: the cause is seldom the last."""
    outcome = alone(talker(SEVERAL, version)).simulate(1.0).outcome
    assert outcome.ending is Ending.FMU_FAILED and f"when getting 'unit.der(x)': {SAID}; see" in outcome.sentence


def test_all_messages_of_a_failing_step_and_start() -> None:
    """The step is one of Co-Simulation; the start fails when leaving Initialization Mode."""
    outcome = alone(talker(SEVERAL), "cs").simulate(1.0, communication_step=0.1).outcome
    assert f"when stepping: {SAID}; see" in outcome.sentence
    assert f"when leaving Initialization Mode: {SAID}" in refusal(lambda: alone(talker(STARTING)).simulate(1.0), StartError)


def test_messages_of_calls_before_are_not_taken_for_the_cause() -> None:
    """A warning that came with a success, and then a failure without a word."""
    sentence = alone(talker(SILENT)).simulate(1.0).outcome.sentence
    assert "; it did not say why, add('unit', ..., logging=True) may give the reason; see" in sentence
    assert "it did not say why" in alone(talker(CREAKING)).simulate(1.0).outcome.sentence


def test_many_messages_are_cut_with_dots() -> None:
    """Four thousand characters are kept, the first ones."""
    sentence = alone(talker(MANY)).simulate(1.0).outcome.sentence
    assert "message number 0 of very many; message number 1 of" in sentence and "; ...; see" in sentence and len(sentence) < 4500


def test_logging_shows_everything_as_it_comes(capfd: pytest.CaptureFixture[str]) -> None:
    """Messages without a failure are shown as well, on the standard error output, with the instance, the status and the category."""
    sentence = alone(talker(FINE), logging=True).simulate(1.0).outcome.sentence
    assert "; it did not say why, though its logging is on; see" in sentence
    assert "'unit' ok [log] all is well\n" in capfd.readouterr().err
    alone(talker(FINE)).simulate(1.0)
    assert "all is well" not in capfd.readouterr().err
    assert refusal(lambda: System().add("unit", "planar.Fixed", logging="all"), BuildError) == (  # type: ignore[arg-type]  # what is tested
        "logging = 'all' of 'unit' is refused: give True or False"
    )


@pytest.mark.parametrize("version", [2, 3])
@pytest.mark.parametrize("status", [-1, 5, 6, 77])
def test_statuses_that_do_not_exist_are_errors(version: int, status: int) -> None:
    """Model Exchange and steps treat them so; the rows up to there are kept. The status 5 is pending in FMI 2, which only a step may
    return."""
    result = alone(talker(status, version)).simulate(1.0)
    said = f"returned the status {status}, which FMI {version} does not have"
    pending = version == 2 and status == 5
    assert result.outcome.ending is Ending.FMU_FAILED and len(result) > 1
    assert ("returned 'pending'" if pending else f"when getting 'unit.der(x)': it {said}") in result.outcome.sentence
    result = alone(talker(status, version), "cs").simulate(1.0, communication_step=0.1)
    assert result.outcome.ending is Ending.FMU_FAILED and result.time[-1] == pytest.approx(0.5)
    assert ("it steps asynchronously, which is not supported" if pending else said) in str(result.outcome)
