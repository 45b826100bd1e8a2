"""A hundred damaged checkpoints, results, texts and packages each, the same each time, and more in the whole run; ``make fuzz`` tries
thousands."""

from __future__ import annotations

import os
import signal
import time
from pathlib import Path

import pytest

from tests.fuzz.files import KINDS
from tests.fuzz.trials import offences


@pytest.mark.every_case
@pytest.mark.parametrize("seeds", [range(100), pytest.param(range(100, 400), marks=pytest.mark.slow)], ids=str)
@pytest.mark.parametrize("kind", KINDS)
def test_damaged_files_are_answered_by_a_sentence(kind: str, seeds: range, tmp_path: Path) -> None:
    """The damage is behind a checksum that is right; or the file is used, where it does not matter."""
    make, trial_of = KINDS[kind]
    originals, damaged = tmp_path / "originals", tmp_path / "damaged"
    originals.mkdir()
    damaged.mkdir()
    assert list(offences(trial_of(make(originals), damaged), seeds)) == []


def test_what_is_no_answer_is_told() -> None:
    """A wrong answer, a crash and a hang; the trials after each of them are made."""

    def trial(seed: int) -> str:
        if seed == 3:
            os.kill(os.getpid(), signal.SIGSEGV)
        if seed == 5:
            time.sleep(9)
        return "wrong" if seed in (1, 6) else ""

    assert list(offences(trial, range(8), seconds=1)) == [
        *((1, "wrong"), (3, "the process was ended by SIGSEGV"), (5, "the process was ended by SIGALRM"), (6, "wrong")),
    ]
