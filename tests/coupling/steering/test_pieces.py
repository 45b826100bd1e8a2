"""Pieces in real time: none ends before its time, and late ones are treated as asked."""

from __future__ import annotations

import os
import signal
import threading
import time
from typing import Any

import numpy as np
import pytest

from coupling import BuildError, Ending, Index3, RunEnded
from tests.support.systems.systems import pendulum, refusal


@pytest.mark.parametrize("options", [{"evaluation": "compiled"}, {"solver": Index3(step_size=1e-3)}])
def test_a_run_at_1_kHz_is_never_ahead_of_the_clock(options: dict[str, Any]) -> None:
    """Another clock than that of the run says when each piece has ended. All ends are those of the pieces without a clock."""
    with pendulum().start(outputs=["rod.theta"], **options) as run, pendulum().start(outputs=["rod.theta"], **options) as free:
        run.signals(outputs=["rod.theta"])
        began = time.perf_counter()
        for _ in range(500):
            (found,) = run.advance(1e-3, [], real_time=1.0)
            assert time.perf_counter() - began > run.time - 1e-5
            free.advance(1e-3)
            assert found == free["rod.theta"]
    late = run.result.statistics.late
    assert late and late.points == 500 and 0 < late.p999 <= late.worst and free.result.statistics.late is None
    assert bool(late.number) == any("in real time, " in each for each in run.result.outcome.warnings)


def test_factors_and_calls() -> None:
    """The factor of the start counts where a piece has none, and the clock begins anew where pieces were not in real time."""
    began = time.perf_counter()
    with pendulum().start(real_time=2.0) as run:
        run.advance_to(0.1)
        assert time.perf_counter() - began > 0.05 - 1e-5
        run.advance(0.01, real_time=0.2)
        assert time.perf_counter() - began > 0.1 - 1e-5
        saved = run.save()
        run.advance(0.1)
        run.restore(saved)
        run.advance_to(0.21, real_time=2.0)
        assert time.perf_counter() - began > 0.2 - 1e-5
        fork = run.fork()
        fork.advance(0.02)
        fork.close()
        assert fork.result.statistics.late and fork.result.statistics.late.points == 1
    assert run.result.statistics.late and run.result.statistics.late.points == 4


def test_a_late_piece_ends_the_run() -> None:
    with pendulum().start(real_time=1.0, on_late="stop") as run:
        run.advance(0.01)
        time.sleep(0.1)
        run.advance(0.01)
        assert run.outcome and run.outcome.ending is Ending.LATE
        assert run.outcome.sentence.startswith("stopped at t = 0.02 s, ") and "ms later than the wall clock" in run.outcome.sentence
        assert refusal(lambda: run.advance(0.01), RunEnded).endswith(run.outcome.sentence)
    assert np.isclose(run.result.time[-1], 0.02) and run.result.statistics.late and run.result.statistics.late.worst > 0.08


def test_another_thread_and_ctrl_c_end_the_wait() -> None:
    began = time.perf_counter()
    with pendulum().start() as run:
        threading.Timer(0.1, run.stop).start()
        run.advance(60.0, real_time=1.0)
        assert "the run has ended: completed" in refusal(lambda: run.advance(1.0), RunEnded)
    with pytest.raises(KeyboardInterrupt), pendulum().start() as run:
        threading.Timer(0.1, lambda: os.kill(os.getpid(), signal.SIGINT)).start()
        run.advance(60.0, real_time=1.0)
    assert run.outcome and run.outcome.ending is Ending.INTERRUPTED
    assert time.perf_counter() - began < 20.0


def test_what_is_refused() -> None:
    assert refusal(lambda: pendulum().start(real_time=-1.0)).startswith("real_time = -1 is refused")
    with pendulum().start() as run:
        assert refusal(lambda: run.advance(0.1, real_time=0.0), BuildError).startswith("real_time = 0 is refused")
        assert refusal(lambda: run.advance_to(0.1, real_time=float("nan")), BuildError).startswith("real_time = nan is refused")
        assert run.time == 0.0
