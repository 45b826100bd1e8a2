"""Endings of runs, and the sentences that report them."""

from __future__ import annotations

import re

import pytest

from coupling import Ending, Outcome, Result, System
from tests.support import foreign
from tests.support.systems.systems import pendulum


def run(path: object, **options: object) -> Result:
    system = System()
    system.add("osc", path)
    return system.simulate(1.0, **options)  # type: ignore[arg-type]


KEPT = "The result holds everything up to there"


def test_a_completed_run() -> None:
    """Its outcome is true to itself and to a user who asks."""
    outcome = pendulum().simulate(0.25).outcome
    assert outcome.completed and outcome.ending is Ending.COMPLETED
    assert (str(outcome), outcome.warnings) == ("completed at t = 0.25 s", [])


@pytest.mark.parametrize("version", [2, 3])
def test_an_fmu_that_fails(version: int) -> None:
    """Its own words are passed on, with its name, what it was asked for, and when."""
    outcome = run(foreign.fails_at(0.5, version=version)).outcome
    assert not outcome.completed and outcome.ending is Ending.FMU_FAILED
    assert outcome.sentence.startswith("stopped at t = 0.")
    assert "'osc' (Oscillator.fmu) returned 'error' at t = 0.5" in outcome.sentence
    assert outcome.sentence.endswith(f": {foreign.BURNT_OUT}; see the FMU's documentation for the cause. {KEPT}")


def test_an_fmu_that_has_no_value_from_a_time_on() -> None:
    """Shorter steps approach that time, and the result holds everything up to there."""
    result = run(foreign.discards_at(0.5))
    assert result.outcome.ending is Ending.FMU_FAILED and foreign.NOT_YET in result.outcome.sentence
    assert 0.49 < result.time[-1] <= 0.5


def test_too_many_steps() -> None:
    """The remedy names the options."""
    outcome = pendulum().simulate(10.0, max_steps=5).outcome
    assert outcome.ending is Ending.TOO_MANY_STEPS
    assert outcome.sentence.endswith(
        f" s after max_steps = 5 steps; raise max_steps, loosen rtol = 1e-08, or, if the system is stiff, choose solver='cvode'. {KEPT}"
    )


def test_warnings_stand_below_the_sentence() -> None:
    """Each has a line of its own."""
    outcome = Outcome(Ending.COMPLETED, "completed at t = 1 s", ["a is redundant", "b jumps"])
    assert str(outcome) == "completed at t = 1 s\nWarning: a is redundant\nWarning: b jumps"


def test_a_kink_without_an_event_is_named() -> None:
    """The run is completed, and the state whose derivative jumps is named in a warning."""
    system = System()
    system.add("slope", foreign.hidden_jump(0.5))
    (warning,) = system.simulate(1.0).outcome.warnings
    assert re.fullmatch(
        r"the step at t = (0\.5|0\.49999\d*) s was rejected \d+ times because of 'slope\.x', whose derivative seems to be discontinuous there "
        "without an event; let its FMU signal an event, or treat values after it with caution",
        warning,
    )


def test_outcomes_that_are_the_same_have_the_same_key_and_no_others() -> None:
    """A sentence that is a warning is no note, though both have the same words."""
    parts = {"ending": Ending.COMPLETED, "sentence": "completed", "warnings": ["a", "b"], "notes": ["c"], "stabilisation": "held"}
    others = {"ending": Ending.TERMINATED, "sentence": "ended", "warnings": ["b", "a"], "notes": ["d"], "stabilisation": "free"}
    outcome = Outcome(**parts)  # type: ignore[arg-type]  # of several types
    assert Outcome(**parts).key == outcome.key and hash(outcome.key)  # type: ignore[arg-type]
    for name, other in others.items():
        assert Outcome(**{**parts, name: other}).key != outcome.key, name  # type: ignore[arg-type]
    assert Outcome(**{**parts, "warnings": ["a"], "notes": ["b", "c"]}).key != outcome.key  # type: ignore[arg-type]
