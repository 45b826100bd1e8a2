"""The progress bar and the summary behind it: on a terminal, and nowhere else."""

from __future__ import annotations

import io
import math
import os
import pty
import signal
import sys
import termios
import threading

import pytest

from coupling import Ending, System
from tests.support.systems.systems import pendulum


def seen_on_a_terminal(monkeypatch: pytest.MonkeyPatch, **options: object) -> str:
    """What a simulation writes to its standard error, which is a terminal."""
    here, there = pty.openpty()
    text = bytearray()

    def read() -> None:
        while b"the end" not in text:
            text.extend(os.read(here, 65536))

    reader = threading.Thread(target=read, daemon=True)  # a terminal holds a few kilobytes that nobody has read; a slow run writes more
    reader.start()
    termios.tcsetwinsize(there, (24, 120))
    with os.fdopen(there, "w") as terminal, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", terminal)
        pendulum().simulate(**options)  # type: ignore[arg-type]
        print("the end", file=terminal, flush=True)
        reader.join()
    os.close(here)
    return text.decode().replace("the end", "").replace("\r", "\n").strip()


def test_a_bar_and_a_summary_on_a_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar ends at 100 % with the time and the steps; then come the outcome and the costs."""
    lines = [line for line in seen_on_a_terminal(monkeypatch, stop_time=3.0, start_time=1.0, progress=True).split("\n") if line]
    *bar, outcome, stabilisation, costs = lines
    assert bar[-1].startswith("simulating: 100%|") and "| t = 3 of 3 s, " in bar[-1] and " steps [" in bar[-1]
    assert outcome == "completed at t = 3 s" and "projection" in stabilisation
    assert "steps (" in costs and "in the master" in costs


def test_nothing_passes_nothing_to_show(monkeypatch: pytest.MonkeyPatch) -> None:
    """A run of no length has no bar."""
    text = seen_on_a_terminal(monkeypatch, stop_time=0.0, progress=True)
    assert "simulating" not in text and text.startswith("completed at t = 0 s")


def test_nothing_is_shown_unless_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    """Silence is the default."""
    assert seen_on_a_terminal(monkeypatch, stop_time=1.0) == ""


def test_nothing_is_shown_where_there_is_no_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    """A file of logs is spared."""
    log = io.StringIO()
    monkeypatch.setattr(sys, "stderr", log)
    pendulum().simulate(1.0, progress=True)
    assert log.getvalue() == ""


@pytest.mark.parametrize("solver", ["dopri5", "cvode"])
def test_ctrl_c_ends_a_run_that_calls_back_python(solver):
    """The signal may come while C is about to call a user's function, where an exception would be lost; the last point is recorded."""
    system = System("driven")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    presses: list[threading.Timer] = []

    def torque(t: float) -> float:
        if t > 1 and not presses:  # the run is under way
            presses.append(threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)))
            presses[0].start()
        return 0.01 * math.sin(t)

    system.drive("rod.p1.Cz", torque)
    system.build()
    for _ in range(3):
        presses.clear()
        result = system.simulate(1e6, solver=solver, output_interval=1e5)
        presses[0].join()
        assert result.outcome.ending is Ending.INTERRUPTED
        assert len(result) >= 1
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
