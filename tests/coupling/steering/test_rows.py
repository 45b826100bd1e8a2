"""Rows of a run in pieces that go into a file."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coupling import BuildError, Result
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
