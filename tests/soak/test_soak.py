"""A crane whose valve crashes at random gives the bits of one that does not, and a process that runs it again and again does not grow."""

from __future__ import annotations

from pathlib import Path

import pytest

from tests.soak.crane import soak


@pytest.mark.slow  # two minutes
@pytest.mark.parametrize("options", [{"process": "own"}, {"isolate": "all"}], ids=["own", "all"])
def test_a_valve_that_crashes_at_random(options: dict, tmp_path: Path) -> None:
    found = soak(1.0, tmp_path, **options)
    assert found.restarts > 0
    assert found.after[1:] == found.before[1:]
    assert found.after.memory < found.before.memory + 20e6
