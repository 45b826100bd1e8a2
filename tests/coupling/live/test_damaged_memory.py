"""Memory that is shared with the process of a run, overwritten at random moments; ``make soak`` does so 500 times."""

from __future__ import annotations

from tests.support.foreign.damage import check_damaged


def test_memory_that_is_overwritten() -> None:
    """Each of ten runs ends in time, with an ending and its rows; some of them lose their process."""
    found = [check_damaged(seed) for seed in range(2, 12)]
    assert sum("PROCESS_DIED" in each for each in found) >= 3
