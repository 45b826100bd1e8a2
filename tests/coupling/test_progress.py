"""The progress bar and the summary behind it: on a terminal, and nowhere else. Ctrl-C and SIGTERM."""

from __future__ import annotations

import io
import math
import os
import pty
import re
import signal
import sys
import termios
import threading
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from coupling import Ending, Result, System
from coupling.sweep import sweep
from fmu_components.declare.component import Component
from tests.support.systems.systems import pendulum, pushed


def seen_on_a_terminal(monkeypatch: pytest.MonkeyPatch, **options: object) -> str:
    """Returns the text that a simulation writes to its standard error, which is a terminal."""
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


def test_the_bar_of_a_run_in_real_time_has_its_factor(monkeypatch: pytest.MonkeyPatch) -> None:
    """At half of real time, 0.15 s take 0.3 s."""
    text = seen_on_a_terminal(monkeypatch, stop_time=0.15, real_time=0.5, progress=True)
    factors = [float(each) for each in re.findall(r"([\d.]+) x real time", text)]
    assert factors and 0.2 < factors[-1] < 0.6 and "; real time: " in text


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


def terminated(run: Callable[[], object], when: Callable[[], object]) -> int:
    """Runs something in a process and sends SIGTERM once something is there. Returns the process's end: an exit code, or minus a signal."""
    child = os.fork()
    if not child:
        run()
        os._exit(0)
    deadline = time.monotonic() + 30
    while not when() and time.monotonic() < deadline:
        time.sleep(0.005)
    os.kill(child, signal.SIGTERM)
    return os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])


def long_run(path: Path | None = None) -> Result:
    return pendulum().simulate(1e4, output_interval=1e-2, max_steps=10**9, record_to=path)


def test_sigterm_ends_a_run_that_writes_its_rows_with_all_of_them(tmp_path: Path) -> None:
    """The signal is raised again after that, and the sender sees its effect."""
    path = tmp_path / "run.jrd"
    pendulum().build()
    assert terminated(lambda: long_run(path), lambda: path.exists() and len(Result.load(path)) > 100) == -signal.SIGTERM
    left = Result.load(path)
    assert left.outcome.ending is Ending.INTERRUPTED
    assert left.outcome.sentence.startswith("interrupted at t = ")
    assert left.statistics.steps > 0 and len(left) > 100


def test_sigterm_ends_what_writes_nothing_at_once(tmp_path: Path) -> None:
    """It does so after a run that wrote its rows, too."""
    path = tmp_path / "run.jrd"
    ready = tmp_path / "ready"

    def run() -> None:
        pendulum().simulate(0.1, record_to=path)
        ready.touch()
        long_run()

    assert terminated(run, ready.exists) == -signal.SIGTERM
    assert Result.load(path).outcome.completed


def test_sigterm_is_left_to_whoever_handles_it(tmp_path: Path) -> None:
    came: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: came.append(number))
    try:
        threading.Timer(0.05, lambda: os.kill(os.getpid(), signal.SIGTERM)).start()
        result = pendulum().simulate(1e6, output_interval=1e5, record_to=tmp_path / "run.jrd", max_steps=20_000)
        while not came:
            time.sleep(0.01)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert result.outcome.ending is Ending.TOO_MANY_STEPS


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


class Gone(Terminal):
    """A terminal that goes away once something was written to it."""

    def write(self, text: str) -> int:
        if self.tell():
            raise OSError(5, "Input/output error")
        return super().write(text)


def test_a_terminal_that_goes_away_loses_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar ends, the summary is left out, and the rows are those of a run without a bar."""
    terminal = Gone()
    with monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", terminal)
        result = pendulum().simulate(3.0, progress=True)
    assert terminal.getvalue() and result.outcome.completed
    assert np.array_equal(result.values, pendulum().simulate(3.0).values)


def test_a_bar_that_fails_loses_no_result(monkeypatch: pytest.MonkeyPatch) -> None:
    """The bar of a run or of a sweep may raise anything."""

    class Bar:
        n, postfix = 0, [""]

        def __init__(self, **_: object) -> None: ...

        def update(self, by: float) -> None:
            raise RuntimeError("the widget is no more")

        close = update

    monkeypatch.setattr(sys.stderr, "isatty", lambda: True)
    monkeypatch.setattr("tqdm.tqdm", Bar)
    assert pendulum().simulate(0.5, progress=True).outcome.completed
    assert len(sweep(pendulum(), {"rod.m": [1.0, 2.0]}, stop_time=0.1, progress=True)) == 2


def test_a_terminal_shows_which_fmu_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    """The line has the number of the FMU and goes away; nothing is written where there is no terminal; a terminal that goes away loses no FMU."""

    class Own(Component):
        """Gain: of this test."""

        def declare(self) -> None:
            self.output("y", self.input("u", 0.0, "", "input") * 2, "", "output")

    for terminal, shown in ((Gone(), r".+"), (Terminal(), r"building FMU \d+: Own.*\r"), (io.StringIO(), "")):
        system = System()
        with monkeypatch.context() as patch:
            patch.setattr(sys, "stderr", terminal)
            patch.setattr("coupling.plan.instances._components", {})
            system.add("gain", Own)
        system.drive("gain.u", 3.0)
        assert system.simulate(0.1)["gain.y"][-1] == 6.0
        assert re.fullmatch(shown, terminal.getvalue().lstrip("\r"), re.DOTALL), terminal.getvalue()


@pytest.mark.parametrize("executor", [None, "threads"])
def test_the_bar_of_a_sweep_names_a_run_that_takes_long(monkeypatch: pytest.MonkeyPatch, executor: str | None) -> None:
    """A force that sleeps makes the run slow."""
    here, there = pty.openpty()
    termios.tcsetwinsize(there, (24, 160))
    monkeypatch.setattr("coupling.sweep._LONG", 0.2)
    system = pushed(lambda t: time.sleep(0.03) or 0.0)  # type: ignore[func-returns-value]  # sleep returns None
    with os.fdopen(there, "w") as terminal, monkeypatch.context() as patch:
        patch.setattr(sys, "stderr", terminal)
        sweep(system, [{"rod.m": 1.5}], stop_time=0.05, progress=True, executor=executor, output_times=[0.05], max_seconds=0.8)
        terminal.write("the end")
        terminal.flush()
        text = b""
        while b"the end" not in text:
            text += os.read(here, 65536)
    assert re.search(r"run 0 \(rod\.m = 1\.5\) for \d s", text.decode()), text
