"""A watched run: in real time and never ahead, with pauses and inputs from its page, until one of them ends it."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from coupling import BuildError, Ending, Index3, System
from coupling.steering.run import SteeredRun
from tests.coupling.steering.test_run import mass, pulled
from tests.support.systems.systems import pendulum, refusal
from tests.support.watching.reader import Reader

FORCE = "mass.flange.f"


def watched(run: SteeredRun, act: Callable[[Reader], None], inputs: dict[str, Any] | None = None, **options: Any) -> Reader:
    """Watches a run while a reader acts in another thread, and returns the reader, whose stream has ended."""
    readers, failed = [], []

    def acts() -> None:
        try:
            act(readers[0])
        except BaseException as error:
            failed.append(error)
            run.stop()

    thread = threading.Thread(target=acts)

    def show(address: str) -> None:
        readers.append(Reader(address))
        readers[0].listen()
        readers[0].wait(lambda state: True)
        thread.start()

    run.watch(inputs, show=show, **options)
    thread.join()
    assert not failed, failed
    readers[0].wait(lambda state: state["ended"])
    return readers[0]


@pytest.mark.parametrize(("options", "pieces"), [({}, 10), ({"communication_step": 0.4}, 2)])
def test_it_keeps_time_and_is_never_ahead(options: dict[str, Any], pieces: int) -> None:
    """A row reaches the reader after the moment of its time, at the speed asked for, in the order of time."""
    with mass().start(**options) as run:
        began = time.monotonic()  # the run begins to pace after this
        reader = watched(run, lambda reader: None, speed=2.0, stop_time=1.0)
        assert run.outcome is None and run.time == 1.0
        run.advance(0.5)  # the run waits, and can go on
    times = [row[0] for row in reader.rows]
    assert times == sorted(times) and times[0] == 0.0 and times[-1] == 1.0 and len(times) > pieces
    for moment, rows, _ in reader.arrived:
        assert all(row[0] <= 2.0 * (moment - began) for row in rows)
    assert reader.arrived[-1][2]["ended"] == "ended at t = 1 s"
    assert run.result.time[-1] == 1.5 and set(times) <= set(run.result.time)


def test_a_pause_holds_and_an_input_acts() -> None:
    """While the run is paused no row comes; then a force moves the mass by F / m from the moment it was set on."""

    def act(reader: Reader) -> None:
        assert reader.say({"pause": True})[0] == 204
        reader.wait(lambda state: state["paused"])
        still = len(reader.rows)
        assert reader.say({"set": {FORCE: 1.5}, "speed": 5.0})[0] == 204
        reader.wait(lambda state: state["values"] == {FORCE: 1.5} and state["speed"] == 5.0)
        time.sleep(0.3)
        assert len(reader.rows) == still
        assert reader.say({"pause": False})[0] == 204
        reader.wait(lambda state: not state["paused"] and reader.rows[-1][0] > reader.rows[still - 1][0] + 0.5)
        assert reader.say({"end": True})[0] == 204

    with mass().start() as run:
        reader = watched(run, act, {FORCE: (-2.0, 2.0)})
        assert run.outcome is None
    result = run.result
    v, t = result["mass.v"], result.time
    assert v[0] == 0.0 and v[-1] > 0.1
    since = t[-1] - v[-1] * 2.0 / 1.5  # the mass is 2 kg
    assert np.allclose(v, np.maximum(0.0, (t - since) * 1.5 / 2.0), atol=1e-9)
    shown = np.array(reader.rows)
    assert np.allclose(shown[:, 2], np.interp(shown[:, 0], t, v), atol=1e-7)


@pytest.mark.parametrize("options", [{}, {"isolate": "all"}, {"solver": "cvode"}])
def test_what_is_shown_are_the_rows_of_the_run(options: dict[str, Any]) -> None:
    """Poses and plots of the page have the recorded values, to the digits that are sent."""
    with pulled().start(**options) as run:
        reader = watched(run, lambda reader: None, stop_time=0.3, signals=["rod.omega"])
    shown = np.array(reader.rows)
    wanted = np.stack([run.result.time, *(run.result[f"rod.{name}"] for name in ("x", "y", "theta"))], axis=1)
    assert len(shown) == len(wanted) and np.allclose(shown[:, :4], wanted, rtol=1e-7, atol=1e-12)
    assert np.allclose(shown[:, -1], run.result["rod.omega"], rtol=1e-7, atol=1e-12)


@pytest.mark.parametrize("options", [{"solver": Index3(step_size=0.003)}, {"communication_step": 0.003}])
def test_fixed_steps_stay_as_they_are(options: dict[str, Any]) -> None:
    """Pieces are whole steps: the run has the same rows as one call of ``simulate`` with rows at the ends of the pieces."""
    with pendulum().start(**options) as run:
        watched(run, lambda reader: None, stop_time=0.21)
    found = run.result
    assert np.allclose(np.diff(found.time)[1:-1], 0.021)
    wanted = pendulum().simulate(0.21, output_interval=0.021, **options)
    assert np.abs(found["rod.theta"][-1] - wanted["rod.theta"][-1]) < 1e-12


def test_another_thread_stops_it() -> None:
    before = threading.active_count()
    with mass().start() as run:
        watched(run, lambda reader: run.stop())
        assert run.outcome and run.outcome.ending is Ending.COMPLETED
    deadline = time.monotonic() + 10
    while threading.active_count() > before and time.monotonic() < deadline:
        time.sleep(0.01)
    assert threading.active_count() == before


@pytest.mark.parametrize("paused", [False, True])
def test_ctrl_c_ends_it_and_frees_everything(paused: bool) -> None:
    def act(reader: Reader) -> None:
        if paused:
            reader.say({"pause": True})
            reader.wait(lambda state: state["paused"])
        os.kill(os.getpid(), signal.SIGINT)

    readers: list[Reader] = []
    with mass().start() as run:
        with pytest.raises(KeyboardInterrupt):
            run.watch(
                show=lambda address: (readers.append(Reader(address)), threading.Thread(target=act_soon, args=(readers, act)).start())
            )
        assert run.outcome is not None and run.outcome.ending is Ending.INTERRUPTED and len(run.result.time) > 0
    with pytest.raises(OSError):
        readers[0].get()


def act_soon(readers: list[Reader], act: Callable[[Reader], None]) -> None:
    """Acts once the run is under way."""
    readers[0].listen()
    readers[0].wait(lambda state: len(readers[0].rows) > 2)
    act(readers[0])


def test_a_run_that_fails_says_so_on_its_page() -> None:
    with mass().start(start_values={"mass.v": 1.0}, value_limit=2.0) as run:
        reader = watched(run, lambda reader: None, speed=10.0)
    assert run.outcome and run.outcome.ending is Ending.BEYOND_LIMIT
    assert reader.arrived[-1][2]["ended"] == f"ended: {run.outcome.sentence}"


def test_a_notebook_shows_the_page_below_its_cell(monkeypatch: pytest.MonkeyPatch) -> None:
    shown: list[Any] = []
    display = SimpleNamespace(IFrame=lambda *of: of, display=shown.append)
    monkeypatch.setitem(sys.modules, "IPython", SimpleNamespace(get_ipython=lambda: SimpleNamespace(kernel=1), display=display))
    monkeypatch.setitem(sys.modules, "IPython.display", display)
    with mass().start() as run:
        run.watch(stop_time=0.01)
    ((address, width, height),) = shown
    assert address.startswith("http://127.0.0.1:") and (width, height) == ("100%", 560)


def test_elsewhere_the_address_is_printed(capsys: pytest.CaptureFixture[str]) -> None:
    with mass().start() as run:
        run.watch(stop_time=0.01)
    assert capsys.readouterr().out.startswith("the run is shown at http://127.0.0.1:")


def driven_slide() -> System:
    system = System("slide", gravity=(0.0, 0.0))
    system.add("ground", "planar.Fixed")
    system.add("slide", "planar.Body1", {"m": 2.0})
    system.join("planar.RelativePosition", "ground.p1", "slide.p1", name="drive")
    return system


def test_what_a_page_cannot_set_is_refused() -> None:
    with mass().start() as run:
        for inputs, sentence in (
            ({"mass.v": (0.0, 1.0)}, "inputs: 'mass.v' is refused: it is a state; name an input or a parameter"),
            (
                {FORCE: (1.0, 2.0)},
                f"inputs: '{FORCE}' is refused: its present value 0 is outside of 1 to 2; widen the range, or set it before",
            ),
            (
                {FORCE: (1.0, -1.0)},
                f"inputs: '{FORCE}' is refused: (1.0, -1.0) is no range; give two finite numbers, the smaller one first",
            ),
            (
                {FORCE: (0.0, np.inf)},
                f"inputs: '{FORCE}' is refused: (0.0, inf) is no range; give two finite numbers, the smaller one first",
            ),
            ({FORCE: 3.0}, f"inputs: '{FORCE}' is refused: 3.0 is no range; give two numbers, such as (-1.0, 1.0)"),
            ([FORCE], f"inputs = ['{FORCE}'] is refused: give ranges by names, such as {{'motor.effort': (-5.0, 5.0)}}"),
        ):
            assert refusal(lambda given=inputs: run.watch(given), BuildError) == sentence
        assert "has no port or variable 'none'" in refusal(lambda: run.watch({"mass.none": (0.0, 1.0)}), BuildError)
        assert "'mass.m'" in refusal(lambda: run.watch({"mass.m": (-1.0, 3.0)}), BuildError)
        assert refusal(lambda: run.watch(speed=0.0), BuildError) == "speed = 0 is refused: give a positive number, such as 0.5"
        assert refusal(lambda: run.watch(stop_time=-1.0), BuildError).startswith("stop_time = -1 s lies before t = 0 s")
        run.signals(inputs=[FORCE])
        assert "is one of signals(inputs=[...])" in refusal(lambda: run.watch({FORCE: (0.0, 1.0)}), BuildError)
    with driven_slide().start(inputs=["drive.distance"]) as run:
        assert "a prescribed motion, which cannot jump" in refusal(lambda: run.watch({"drive.distance": (0.0, 1.0)}), BuildError)
