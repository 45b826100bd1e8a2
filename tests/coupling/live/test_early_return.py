"""Intermediate updates and early return of a slave that is written by hand: its answers, its events, and the others beside it."""

from __future__ import annotations

import numpy as np
import pytest

from coupling import Result, System
from tests.support.foreign.early import early

EVENTS = (0.37, 0.74)


def run(scheme: str, saves: bool = True, process: str | None = None) -> Result:
    """Runs a slave that integrates the time, whose events lie within steps, and one that integrates its output."""
    system = System("early")
    system.add("a", early(saves), {"period": EVENTS[0]}, process=process)
    system.add("b", early(saves), process=process)
    system.connect("a.x", "b.u")
    system.drive("a.u", lambda t: t)
    result = system.simulate(1.0, communication_step=0.1, scheme=scheme)
    assert result.outcome.completed and result["a.count"][-1] == len(EVENTS)
    for name in ("a", "b"):  # the master asks for no return, and gives all that an update may ask for
        assert result[f"{name}.asked"][-1] == result[f"{name}.odd"][-1] == result[f"{name}.inside"][-1] == 0
    return result


@pytest.mark.parametrize("process", [None, "own"])
@pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel", "implicit"])
def test_steps_end_at_events(scheme: str, process: str | None) -> None:
    """Both slaves go back and stop at each event. Inputs within steps are polynomials: x = t^2 / 2 as soon as these are lines."""
    result = run(scheme, process=process)
    for number, time in enumerate(EVENTS, 1):
        at = np.flatnonzero(np.abs(result.time - time) < 1e-9)
        assert result["a.count"][at].tolist() == [number - 1, number]
    assert not [note for note in result.outcome.notes if "alone" in note]
    assert result["a.x"][-1] == pytest.approx(0.5, abs=1e-4 if scheme == "explicit" else 1e-12)
    assert result["b.x"][-1] == pytest.approx(1 / 6, abs=3e-3)


@pytest.mark.parametrize("process", [None, "own"])
def test_states_that_cannot_be_saved(process: str | None) -> None:
    """Then the slave handles its events within the steps of the other, and a note says so."""
    result = run("gauss-seidel", saves=False, process=process)
    assert "events within steps were handled by 'a' (2) alone" in " ".join(result.outcome.notes)
    assert not [time for time in EVENTS if np.isclose(result.time, time).any()]
    assert result["a.x"][-1] == pytest.approx(0.5, abs=1e-12)


def test_events_are_those_of_fmpy() -> None:
    """FMPy lets the slave return early too, and records the same events."""
    fmpy = pytest.importorskip("fmpy")
    found = fmpy.simulate_fmu(
        str(early()),
        validate=False,
        stop_time=1.0,
        output_interval=0.1,
        step_size=0.1,
        start_values={"period": EVENTS[0]},
        output=["count"],
        early_return_allowed=True,
        use_event_mode=True,
    )
    own, times = run("explicit"), found["time"]
    assert times[1:][np.diff(found["count"]) > 0] == pytest.approx(EVENTS, abs=1e-9)
    assert own.time[1:][np.diff(own["a.count"]) > 0] == pytest.approx(EVENTS, abs=1e-9)
