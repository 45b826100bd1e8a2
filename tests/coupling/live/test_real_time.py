"""Runs in real time: they are never ahead of another clock, have the rows of a run without a clock, and treat late points as asked."""

from __future__ import annotations

import math
import os
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from coupling import Ending, Index3, Result, Scheme, System
from coupling.live import real_time
from coupling.live.real_time import Clock
from tests.support.systems.systems import pendulum, pushed, refusal

PIECE, STOP = 0.01, 0.15
ASKED: dict[str, dict[str, Any]] = {
    "dopri5": {},
    "cvode": {"solver": "cvode"},
    "index 3": {"solver": Index3(step_size=2e-3)},
    "coarse index 3": {"solver": Index3(step_size=0.03)},
    "explicit": {"communication_step": 5e-3},
    "coarse explicit": {"communication_step": 0.03},
    "implicit": {"communication_step": 5e-3, "scheme": "implicit"},
    "adaptive": {"communication_step": 5e-3, "scheme": Scheme("explicit", step_control="adaptive")},
}
SAME_BITS = ("explicit", "coarse explicit", "implicit")


class Slow:
    """A force over time, whose evaluations note the time of another clock, and which sleeps once."""

    def __init__(self, asleep: float = 0.0, at: float = math.inf) -> None:
        self.seen: list[tuple[float, float]] = []
        self._asleep, self._at = asleep, at

    def __call__(self, t: float) -> float:
        self.seen.append((t, time.perf_counter()))
        if t > self._at:
            self._at = math.inf
            time.sleep(self._asleep)
        return math.sin(20 * t)


def forced(force: Slow) -> System:
    system = System("forced")
    system.add("push", "mechanical1d.Force")
    system.add("mass", "mechanical1d.Mass", {"m": 1.0})
    system.connect("push.flange", "mass.flange")
    system.drive("push.force", force)
    return system


@pytest.mark.parametrize("name", ASKED)
def test_no_piece_begins_before_its_time(name: str) -> None:
    """A piece is evaluated no earlier than its beginning by another clock than that of the run, and the last one ends at its end."""
    force, options = Slow(), ASKED[name]
    size = max(PIECE, options.get("communication_step", 0.0), getattr(options.get("solver"), "step_size", None) or 0.0)
    result = forced(force).simulate(STOP, output_interval=PIECE, real_time=0.5, on_late="catch-up", **options)
    first = next(i for i, (t, _) in enumerate(force.seen) if t > 0)
    began, took = force.seen[first - 1][1], time.perf_counter() - force.seen[first][1]  # before the clock of the run begins, and after that
    assert result.outcome.completed and took > STOP / 0.5 - 5e-3
    assert max(t - 0.5 * (now - began) for t, now in force.seen[first:]) < size + 5e-3  # a piece is computed at its beginning
    late = result.statistics.late
    assert late and late.points == round(STOP / size + 1e-6) and 0 <= late.number <= late.points and 0 < late.p999 <= late.worst < took


@pytest.mark.parametrize("name", [each for each in ASKED if each != "adaptive"])  # it chooses other points
def test_rows_are_those_of_a_run_without_a_clock(name: str) -> None:
    options = ASKED[name]
    found, wanted = (pushed(math.sin).simulate(STOP, output_interval=PIECE, real_time=factor, **options) for factor in (20.0, None))
    assert wanted.statistics.late is None and np.array_equal(found.time, wanted.time)
    if name in SAME_BITS:
        assert np.array_equal(found._record.rows, wanted._record.rows)
    else:
        for each in wanted.names:
            assert np.abs(found[each] - wanted[each]).max() < 1e-5 * max(1.0, np.abs(wanted[each]).max())


def test_rows_at_chosen_times(tmp_path: Path) -> None:
    """The run is on time at its rows alone, and at its end. Files keep the delays."""
    result = pendulum().simulate(0.06, output_times=[0.01, 0.05], real_time=1.0, record_to=tmp_path / "run.jrd")
    assert result.time.tolist() == [0.01, 0.05] and result.statistics.late and result.statistics.late.points == 3
    assert Result.load(tmp_path / "run.jrd").statistics.late == result.statistics.late
    assert f"; real time: {result.statistics.late}" in result.summary()


def test_runs_of_no_length_and_from_another_start() -> None:
    result = pendulum().simulate(0.0, real_time=1.0)
    assert result.outcome.completed and result.statistics.late is None
    began = time.perf_counter()
    result = pendulum().simulate(0.05, start_time=-0.05, output_times=[-0.05], real_time=0.5)
    assert time.perf_counter() - began > 0.2 and result.statistics.late and result.statistics.late.points == 1


def test_a_run_that_goes_on_from_a_checkpoint(tmp_path: Path) -> None:
    """It takes the time that is left, by a clock that begins at the checkpoint."""
    system = pendulum()
    system.simulate(0.01)
    threading.Timer(0.2, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
    ended = system.simulate(0.6, output_interval=0.02, real_time=1.0, checkpoint=tmp_path / "run.checkpoint")
    assert ended.outcome.ending is Ending.INTERRUPTED
    began = time.perf_counter()
    result = System.resume(tmp_path / "run.checkpoint")
    assert result.outcome.completed and time.perf_counter() - began > 0.6 - ended.time[-1] - 1e-3


def test_late_points_delay_the_clock_end_the_run_or_are_made_up() -> None:
    found = {policy: forced(Slow(0.1, at=0.055)).simulate(0.2, output_interval=PIECE, real_time=1.0, on_late=policy) for policy in LATE}
    delays = {policy: result.statistics.late for policy, result in found.items()}
    assert all(late and late.number and (late.worst > 0.08 or policy == "stop") for policy, late in delays.items())
    warned, caught = found["warn"].outcome, found["catch-up"].outcome
    assert warned.completed and any("in real time, " in each and "the clock has waited 0." in each for each in warned.warnings)
    assert caught.completed and delays["catch-up"].number >= 5  # type: ignore[union-attr]  # of 10 pieces that the sleep takes
    stopped = found["stop"].outcome
    assert stopped.ending is Ending.LATE and found["stop"].time[-1] < 0.2
    assert (
        stopped.sentence.startswith(f"stopped at t = {found['stop'].time[-1]:.9g} s, ") and "later than the wall clock" in stopped.sentence
    )
    lost = float(next(each for each in warned.warnings if "in real time" in each).split("has waited ")[1].split()[0])
    assert lost > 0.08 and found["warn"].statistics.seconds_running > 0.2 + lost - 2e-3


LATE = ("warn", "catch-up", "stop")


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> Iterator[list[float]]:
    """Yields the time of a clock that passes by sleep alone; each sleep takes 0.1 ms longer than asked."""
    now = [100.0]

    def sleep_until(time: float) -> float:
        now[0] = max(now[0], time) + 1e-4
        return now[0]

    monkeypatch.setattr(real_time, "monotonic", lambda: now[0])
    monkeypatch.setattr(real_time, "sleep_until", sleep_until)
    return now  # type: ignore[return-value]  # the fixture needs no end


@pytest.mark.parametrize(
    ("policy", "ends", "late"),
    [
        ("warn", [0.1001, 0.2001, 0.55, 0.6501, 0.7501, 0.8501], 1),  # the fourth point is due 0.1 s after the third one
        ("catch-up", [0.1001, 0.2001, 0.55, 0.55, 0.55, 0.6001], 3),
        ("stop", [0.1001, 0.2001, 0.55], 1),
    ],
)
def test_points_are_due_as_the_policy_says(told: list[float], policy: str, ends: list[float], late: int) -> None:
    """The third piece takes 0.3499 s; all others take no time."""
    clock, reached = Clock(policy), []
    clock.begin(5.0, 2.0)
    for number in range(1, 7):
        told[0] += 0.3499 if number == 3 else 0.0
        goes_on = clock.wait(5.0 + 0.2 * number)
        reached.append(told[0] - 100.0)
        if not goes_on:
            break
        clock.begin(5.0 + 0.2 * number, 2.0)
    assert reached == pytest.approx(ends, abs=1e-9)
    assert clock.lateness and clock.lateness.number == late and clock.lateness.worst == pytest.approx(0.25, abs=1e-9)
    assert len(list(clock.warnings())) == (policy == "warn")


def test_the_share_of_delays_is_that_of_all_delays(told: list[float]) -> None:
    """NumPy finds it in all of the delays, of which the clock keeps classes alone."""
    delays = np.random.default_rng(0).exponential(1e-3, 20_000)
    clock, due = Clock("catch-up"), 100.0
    clock.begin(0.0, 1.0)
    for number, delay in enumerate(delays, start=1):
        told[0] = due + number + delay
        clock.wait(float(number))
    late = clock.lateness
    assert late and late.points == late.number == 20_000 and late.worst == pytest.approx(delays.max(), rel=1e-6)
    assert late.p999 == pytest.approx(np.quantile(delays, 0.999, method="higher"), rel=0.011)


def test_a_clock_begins_anew_where_a_run_has_moved(told: list[float]) -> None:
    clock = Clock("warn")
    clock.begin(1.0, 1.0)
    assert clock.wait(2.0) and told[0] == pytest.approx(101.0001)
    told[0] += 5.0
    clock.begin(7.0, 1.0)  # advanced, or restored, meanwhile
    assert clock.wait(8.0) and told[0] == pytest.approx(107.0002)
    assert clock.lateness and clock.lateness.number == 0


@pytest.mark.parametrize(
    "options", [{}, {"communication_step": 0.01}, {"solver": "cvode"}, {"communication_step": 0.01, "scheme": "implicit"}]
)
def test_ctrl_c_ends_the_wait(options: dict[str, Any]) -> None:
    system = pendulum()
    system.simulate(0.01, **options)
    pressed = threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT))
    began = time.perf_counter()
    pressed.start()
    result = system.simulate(60.0, real_time=1.0, output_interval=30.0, **options)
    assert time.perf_counter() - began < 20.0
    assert result.outcome.ending is Ending.INTERRUPTED and result.time[-1] <= 30.0


@pytest.mark.parametrize(
    ("options", "sentence"),
    [
        ({"real_time": 0.0}, "real_time = 0 is refused: give simulated seconds per second of the clock, such as 1.0, or None"),
        ({"real_time": 1e-300}, "real_time = 1e-300 is refused: give simulated seconds per second of the clock, such as 1.0, or None"),
        ({"real_time": math.inf}, "real_time = inf is refused: give simulated seconds per second of the clock, such as 1.0, or None"),
        ({"real_time": "fast"}, "real_time = 'fast' is refused: it must be a number"),
        ({"real_time": True}, "real_time = True is refused: it must be a number"),
        ({"on_late": "skip"}, "on_late = 'skip' is unknown; choose 'warn', 'stop' or 'catch-up'"),
    ],
)
def test_options_that_are_refused(options: dict[str, Any], sentence: str) -> None:
    assert refusal(lambda: pendulum().simulate(1.0, **options)) == sentence
