"""Rows of a run in pieces that go into a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coupling import BuildError, Result, System
from tests.coupling.steering.test_run import pulled, refusal, stepped


@pytest.mark.parametrize("options", [{}, {"solver": "cvode"}, {"until": "rod.theta < -1.0"}, stepped(scheme="implicit")], ids=str)
def test_rows_go_into_a_file(options: dict[str, Any], tmp_path: Path) -> None:
    results = []
    for number, file in enumerate((None, tmp_path / "run.jrd")):
        with pulled().start(record_to=file, **options) as run:
            while run.time < 0.6 and run.outcome is None:
                run.advance(0.03)
            seen = run["rod.theta"]
            assert seen == run.result["rod.theta"][-1]
            if number and run.outcome is None:
                assert str(run.result.outcome).startswith("waits at t = 0.6 s")
                assert refusal(run.save, BuildError).startswith("the rows of this run are in '")
                assert refusal(run.fork, BuildError).endswith("; start without record_to to save states")
        results.append(run.result)
    in_memory, in_file = results
    kept = Result.load(tmp_path / "run.jrd")
    for found in (in_file, kept):
        assert np.array_equal(found._record.rows, in_memory._record.rows)
        assert found.outcome.sentence == in_memory.outcome.sentence
        assert found._record.options["stop_time"] == in_memory.time[-1]


@pytest.mark.parametrize("interval", [5e-324, 1e-12])
def test_too_many_rows_in_a_piece_are_refused(interval: float, tmp_path: Path) -> None:
    """The run stays where it is; a step is taken, and a checkpoint that is gone on with have the same limit."""
    path = tmp_path / "run.ckpt"
    with pulled().start(output_interval=interval, checkpoint=path) as run:
        for call in (lambda: run.advance(1.0), lambda: run.advance_to(1.0)):
            assert refusal(call, BuildError).startswith(f"output_interval = {interval:g} s asks for ")
        assert run.time == 0.0 and run.outcome is None
        run.advance(0.0)
    text = refusal(lambda: System.resume(path, stop_time=1.0), BuildError)
    assert text.startswith(f"output_interval = {interval:g} s asks for ") and text.endswith(" rows up to t = 1 s; choose a longer one")
    with pulled().start(output_interval=interval) as run:
        run.step()
        assert 0.0 < run.time < 1.0
