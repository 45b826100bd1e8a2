"""The script that compares results of two commits finds equal runs equal, and reports each number that differs."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest

from tests.support.same_cases import cases
from tests.support.same_results import chosen, compare, load, run, save


@pytest.mark.slow
def test_equal_runs_are_equal_and_a_changed_number_is_reported(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    names = ("evaluation four-bar by tape", "impacts impulse, ball")
    quick = {name: case for each in names for name, case in chosen(cases(), each).items()}
    kept = tmp_path / "results.npz"
    save(kept, run(quick))
    again = run(quick)
    assert not compare(load(kept), again)
    assert capsys.readouterr().out == "2 cases: 0 differ\n"

    values = again[names[0]]["values"]
    assert isinstance(values, np.ndarray)
    values[7, 2] = np.nextafter(values[7, 2], np.inf)
    again[names[1]]["outcome.sentence"] = "another sentence"
    assert compare(load(kept), again)
    number, text, count = capsys.readouterr().out.splitlines()
    variable, time = again[names[0]]["names"][2], again[names[0]]["time"][7]
    assert number.startswith(f"{names[0]}: values: 1 of {values.size} differ, first {variable} in row 7, t = {time:.9g} s: ")
    assert text == f"texts {names[1]}: outcome.sentence: 'completed at t = _ s' -> 'another sentence'"
    assert count == "2 cases: 1 differ"
