"""Mechanisms that pass poses in which constraints become redundant: N four-bars in a row, whenever their links align."""

import numpy as np
import pytest

from coupling import System
from oracles import ParallelFourBars, deviation

STABILISATION = {"baumgarte.alpha": 50.0, "baumgarte.beta": 50.0}
"""Faster than the passage: what is off when the pose is reached decides how well it is left."""


def four_bars(loops: int) -> tuple[ParallelFourBars, System]:
    """The mechanism of the benchmark: upright links at first, moving at 1 m/s under gravity, so that it turns over and over."""
    oracle, system = ParallelFourBars(loops=loops), System(f"{loops} four-bars")
    for name, (component, start) in oracle.parts.items():
        system.add(name, component, {**start, **(STABILISATION if component == "planar.Revolute" else {})})
    for a, b in oracle.connections:
        system.connect(a, b)
    return oracle, system


@pytest.mark.parametrize(
    ("loops", "solver", "tolerance", "allowed"),
    [
        (1, "dop853", 1e-8, 1e-5),
        (1, "dopri5", 1e-12, 1e-8),
        (2, "dop853", 1e-8, 2e-4),
        (10, "dopri5", 1e-6, 2e-3),
        (40, "dop853", 1e-6, 2e-3),
    ],
)
def test_four_bars_run_through_their_aligned_poses(loops, solver, tolerance, allowed):
    """Ten seconds, and more than ten alignments, on the branch of the parallel links; warned of by the names of the joints."""
    oracle, system = four_bars(loops)
    times = np.linspace(0, 10, 101)
    result = system.simulate(10.0, solver=solver, rtol=tolerance, atol=tolerance, output_times=times)
    assert result.outcome.completed, result.outcome
    assert deviation(oracle.motion(times), result.__getitem__) < allowed
    assert np.ptp(result.energy) < 10 * allowed * loops
    alignments = np.count_nonzero(np.diff(np.sign(np.sin(result["rod0.theta"]))))
    assert alignments > 5


def test_a_passage_is_warned_of():
    """The sentence names the joints, and the time; it comes with a completed run."""
    _, system = four_bars(1)
    result = system.simulate(1.0, solver="dopri5", rtol=1e-12, atol=1e-12)
    assert result.outcome.completed
    assert any("redundant at t = 0.7" in warning and "'bearing0'" in warning for warning in result.outcome.warnings)
