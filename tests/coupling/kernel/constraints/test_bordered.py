"""Index 3 by FMUs: an output that an FMU does not give ends the run by its name."""

from __future__ import annotations

import pytest

from coupling import Index3
from coupling.kernel.rows.rows import RowBuilder
from tests.support.systems.systems import pendulum


def test_an_fmu_that_gives_no_violation_ends_the_run(monkeypatch: pytest.MonkeyPatch) -> None:
    """The pin is asked for variables that it does not have, in place of those that say how far its constraints hold."""
    add = RowBuilder.add_level
    monkeypatch.setattr(RowBuilder, "add_level", lambda self, part, asked, places: add(self, part, [10**6] * len(asked), places))
    outcome = pendulum().simulate(0.1, solver=Index3(step_size=0.01), evaluation="fmus").outcome
    assert not outcome.completed
    assert "when getting 'pin.1000000': pin: the value reference 1000000 is unknown" in str(outcome)
