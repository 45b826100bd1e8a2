"""Intermediate updates and early return of a slave that is written by hand: its answers, its events, and the others beside it."""

from __future__ import annotations

import signal
import threading
import time
from functools import partial

import numpy as np
import pytest

from coupling import Ending, Result, Scheme, System
from tests.support.foreign.early import early
from tests.support.foreign.misbehaving import oscillator

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
    for name in ("a", "b"):  # without a reason the master asks for no return; it gives all that an update may ask for
        assert result[f"{name}.asked"][-1] == result[f"{name}.odd"][-1] == result[f"{name}.inside"][-1] == 0
    return result


@pytest.mark.parametrize("process", [None, "own"])
@pytest.mark.parametrize("scheme", ["explicit", "gauss-seidel", "implicit"])
def test_steps_end_at_events(scheme: str, process: str | None) -> None:
    """Both slaves go back and stop at each event. Inputs within steps are polynomials: x = t^2 / 2 as soon as these are lines."""
    result = run(scheme, process=process)
    for number, moment in enumerate(EVENTS, 1):
        at = np.flatnonzero(np.abs(result.time - moment) < 1e-9)
        assert result["a.count"][at].tolist() == [number - 1, number]
    assert not [note for note in result.outcome.notes if "alone" in note]
    assert result["a.x"][-1] == pytest.approx(0.5, abs=1e-4 if scheme == "explicit" else 1e-12)
    assert result["b.x"][-1] == pytest.approx(1 / 6, abs=3e-3)


@pytest.mark.parametrize("process", [None, "own"])
def test_states_that_cannot_be_saved(process: str | None) -> None:
    """Then the slave handles its events within the steps of the other, and a note says so."""
    result = run("gauss-seidel", saves=False, process=process)
    assert "events within steps were handled by 'a' (2) alone" in " ".join(result.outcome.notes)
    assert not [moment for moment in EVENTS if np.isclose(result.time, moment).any()]
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


def test_the_only_slave_stops_at_its_events_without_saved_states() -> None:
    """No other instance has to go back: each event has two rows, and inputs are right at them."""
    system = System("alone")
    system.add("a", early(saves=False), {"period": EVENTS[0]})
    system.drive("a.u", lambda t: t)
    result = system.simulate(1.0, communication_step=0.1, scheme=Scheme("explicit", extrapolation=1))
    for number, moment in enumerate(EVENTS, 1):
        at = np.flatnonzero(np.abs(result.time - moment) < 1e-9)
        assert result["a.count"][at].tolist() == [number - 1, number]
    assert not [note for note in result.outcome.notes if "alone" in note]
    assert result["a.x"][-1] == pytest.approx(0.5, abs=1e-4)


def asked(step: float, *, saves: bool, events: bool, scheme: str, beside: bool, process: str | None = None) -> Result:
    """Runs a slave with x = t until x > 0.4, which lies within its steps; ``beside``: with another one."""
    system = System("asked")
    system.add("a", early(saves, events), {"u": 1.0}, process=process)
    if beside:
        system.add("b", early(saves, events))
        system.connect("a.x", "b.u")
    return system.simulate(1.0, communication_step=step, scheme=scheme, until="a.x > 0.4", output_interval=0.05)


@pytest.mark.parametrize("events", [True, False])
@pytest.mark.parametrize(
    ("saves", "scheme", "beside"),
    [
        (True, "explicit", True),
        (True, "gauss-seidel", True),
        (True, "implicit", True),
        (False, "explicit", False),
        (False, "gauss-seidel", False),
    ],
)
def test_the_condition_of_the_run_ends_a_step(saves: bool, scheme: str, beside: bool, events: bool) -> None:
    """x = t passes 0.4. A step of 0.32 has parts of 0.04: the run ends at the first end of a part, 0.44, and not at that of the step, 0.64."""
    result = asked(0.32, saves=saves, events=events, scheme=scheme, beside=beside)
    assert result.outcome.ending is Ending.UNTIL
    assert result.time[-1] == result["a.x"][-1] == pytest.approx(0.44, abs=1e-12)
    assert result["a.odd"][-1] == 0
    assert result["a.asked"][-1] == (not saves)  # what was asked in a step that is made again is forgotten with its state
    if beside:
        assert result["b.x"][-1] == pytest.approx(0.44**2 / 2, abs=0.06)  # it has come to the same time


@pytest.mark.parametrize("isolate", ["none", "all"])
def test_integrated_instances_stop_there_too(isolate: str) -> None:
    """An oscillator in Model Exchange, x = cos t, is integrated up to the time at which the slave has ended its step."""
    system = System("beside")
    system.add("a", early(saves=False), {"u": 1.0})
    system.add("free", oscillator(), kind="me")
    result = system.simulate(1.0, communication_step=0.32, until="a.x > 0.4", rtol=1e-9, isolate=isolate)
    assert result.outcome.ending is Ending.UNTIL
    assert result.time[-1] == pytest.approx(0.44, abs=1e-12)
    assert result["free.x"][-1] == pytest.approx(np.cos(0.44), abs=1e-8)


def test_a_slave_that_need_not_be_asked() -> None:
    """In a process of its own, and beside another one whose state cannot be saved, it goes on to the end of the step."""
    for result in (
        asked(0.32, saves=True, events=True, scheme="explicit", beside=False, process="own"),
        asked(0.32, saves=False, events=True, scheme="explicit", beside=True),
    ):
        assert result.outcome.ending is Ending.UNTIL and result.time[-1] == pytest.approx(0.64)
        assert result["a.asked"][-1] == 0


def slow(pause: float = 0.05) -> System:
    """Returns a slave whose step of 1 s takes 8 pauses."""
    system = System("slow")
    system.add("a", early(saves=False, events=False), {"u": 1.0, "pause": pause})
    return system


def test_a_step_ends_when_the_time_is_up() -> None:
    """The run is over before the step would be, at the time that the slave has reached, with the row there."""
    began = time.monotonic()
    result = slow().simulate(20.0, communication_step=10.0, max_seconds=0.15)
    assert time.monotonic() - began < 0.8  # two steps of 0.4 s
    assert result.outcome.ending is Ending.OUT_OF_TIME
    assert 0 < result.time[-1] < 10 and result["a.x"][-1] == pytest.approx(result.time[-1])
    assert result["a.asked"][-1] == 1 and result["a.steps"][-1] == 1


def test_ctrl_c_ends_a_step() -> None:
    timer = threading.Timer(0.5, partial(signal.raise_signal, signal.SIGINT))
    timer.start()
    began = time.monotonic()
    result = slow(0.3).simulate(20.0, communication_step=10.0)
    timer.join()
    assert time.monotonic() - began < 2.4  # the seconds of one step
    assert result.outcome.ending is Ending.INTERRUPTED
    assert 0 < result.time[-1] < 10 and result["a.x"][-1] == pytest.approx(result.time[-1])
