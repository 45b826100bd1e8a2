"""A few damaged FMUs, the same each time; ``make fuzz`` tries thousands."""

from __future__ import annotations

import random
from pathlib import Path
from xml.etree.ElementTree import Element

import pytest

from tests.fuzz.mutants import _element_changed, check, mutant, offence
from tests.fuzz.originals import originals


@pytest.mark.parametrize("seed", range(20))
def test_a_damaged_fmu_is_answered_by_a_sentence(seed: int, tmp_path: Path) -> None:
    """It runs where the damage does not matter."""
    assert check(seed, originals(), tmp_path) is None


def test_mutants_differ_and_can_be_made_again() -> None:
    """A seed gives the same fault again."""
    made = [mutant(seed, originals()) for seed in range(20)]
    assert made == [mutant(seed, originals()) for seed in range(20)]
    assert len(set(made)) == 20


def test_a_description_without_elements_is_not_put_into_itself() -> None:
    """It would be written until memory ran out."""
    for seed in range(200):
        root = Element("fmiModelDescription")
        _element_changed(root, random.Random(seed))
        assert not len(root)


@pytest.mark.parametrize(
    "harm, seen", [("raise KeyError(1)", "no answer: KeyError"), ("os.kill(os.getpid(), 11)", "SIGSEGV"), ("time.sleep(9)", "SIGALRM")]
)
def test_what_is_no_answer_is_told(harm: str, seen: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """An error that is no sentence, a crash, and a reading without end."""
    monkeypatch.setattr("tests.fuzz.mutants.System", lambda name: exec(f"import os, time\n{harm}"))
    assert seen in str(offence(tmp_path, "me", seconds=1))
