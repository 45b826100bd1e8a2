"""Seconds in FMUs and in the master: samples of either kind of evaluation, each scaled by how many of it the integration has made."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path

import pytest

from coupling import Checkpoint, System
from coupling.record import Statistics
from tests.coupling.live.test_fused_islands import arm
from tests.support.systems import kept
from tests.support.systems.systems import pendulum


def least(system: System, stop_time: float, **options: object) -> Statistics:
    """Returns the one of three runs with the least share in FMUs. A run says nothing if other processes take the processor during a timed
    call."""
    runs = [system.simulate(stop_time, **options).statistics for _ in range(3)]  # type: ignore[arg-type]
    return min(runs, key=lambda each: each.seconds_in_fmus / each.seconds_running)


@pytest.mark.parametrize("evaluation", ["tape", "compiled"])
def test_a_short_run_by_equations_is_not_said_to_be_spent_in_fmus(evaluation: object) -> None:
    """The FMUs make its first evaluations, and are asked at checks: a hundredth of the time, and more than nothing."""
    costs = least(pendulum(), 0.2, evaluation=evaluation)
    assert 0 < costs.seconds_in_fmus < 0.3 * costs.seconds_running
    assert costs.seconds_in_fmus + costs.seconds_in_master == pytest.approx(costs.seconds_running, rel=1e-12)


@pytest.mark.parametrize(("make", "evaluation", "way"), [(pendulum, "fmus", "by the FMUs"), (arm, "tape", "by a tape of their equations")])
def test_what_fmus_take_in_each_evaluation_grows_with_the_run(make: Callable[[], System], evaluation: object, way: str) -> None:
    """Runs use the FMUs, or equations for all FMUs but one, which is called in each evaluation. Ten times as many evaluations take several
    times as much."""
    system = make()
    short, long = (least(system, stop_time, evaluation=evaluation, output_times=[stop_time]) for stop_time in (1.0, 20.0))
    assert short.evaluated == long.evaluated == way and 10 * short.evaluations < long.evaluations
    assert 3 * short.seconds_in_fmus < long.seconds_in_fmus


def test_evaluations_before_a_checkpoint_take_no_time_after_it(tmp_path: Path) -> None:
    """A run by the FMUs that goes on near its end has made thousands of evaluations, of which the most were made before."""
    with kept.checkpoints(tmp_path, 1, 40) as paths:
        whole = (
            pendulum()
            .simulate(20.0, evaluation="fmus", output_times=[20.0], checkpoint=Checkpoint(path=tmp_path / "last.ckpt", interval=0.0))
            .statistics
        )
    costs = min((System.resume(paths[-1]).statistics for _ in range(3)), key=lambda each: each.seconds_in_fmus)
    assert costs.evaluations == whole.evaluations > 1000
    assert 0 <= costs.seconds_in_fmus < 0.3 * whole.seconds_in_fmus
