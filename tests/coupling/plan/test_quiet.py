"""Instances that no event concerns are left alone at events, and move on all the same."""

import shutil
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from coupling.plan.quiet import quiet_parts
from jourdain import System
from tests.support.switched.beside import spring


def quiet(system: System) -> set[str]:
    built = system.build(communication=False)
    return {part.name for part, left_alone in zip(built.parts, quiet_parts(built), strict=True) if left_alone}


def test_whatever_is_connected_with_events_is_concerned() -> None:
    system = spring(2, True)
    assert quiet(system) == {"pivot0", "bob0", "hinge0", "pivot1", "bob1", "hinge1"}
    assert quiet(spring(1, False)) == {"ground", "mass", "spring", "pivot0", "bob0", "hinge0"}
    tied = spring(2, True)
    tied.add("gain", "signal.Gain")
    tied.connect("bob1.omega", "gain.u")
    tied.add("force", "mechanical1d.Force")
    tied.connect("force.flange", "mass.flange")
    tied.connect("gain.y", "force.force")
    assert quiet(tied) == {"pivot0", "bob0", "hinge0"}


@pytest.mark.parametrize("solver", ["dopri5", "dop853", "cvode"])
@pytest.mark.parametrize("stabilisation", ["projection", "baumgarte"])
def test_what_no_event_concerns_has_its_own_motion_in_all_rows(solver: str, stabilisation: str) -> None:
    """Rows at events are those of a run by the FMUs, which are all brought there; hits follow a half period apart; pendulums keep their lengths."""
    options = {"rtol": 1e-9, "solver": solver, "stabilisation": stabilisation, "output_interval": 0.1}
    ours, theirs = (spring(5, True).simulate(2.0, evaluation=way, **options) for way in ("tape", "fmus"))
    assert len(ours.changes) == len(theirs.changes) == 3 and len(ours.time) == len(theirs.time)
    np.testing.assert_allclose([each.time for each in ours.changes], np.pi / 10 * np.array([1, 3, 5]), rtol=1e-7)
    for name in ours.names:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=0, atol=1e-7 * (1 + np.abs(theirs[name]).max()), err_msg=name)
    for i in range(5):
        assert np.abs(np.hypot(ours[f"bob{i}.x"], ours[f"bob{i}.y"]) - 0.5).max() < 1e-8


@pytest.mark.slow
def test_an_impact_costs_little_more_beside_twenty_pendulums() -> None:
    """Valgrind counts instructions; those of the steps are taken off."""
    if not shutil.which("valgrind"):
        # The benchmark counts by valgrind, which pip cannot install.
        pytest.skip("valgrind is not installed: apt-get install valgrind")
    command = [sys.executable, "benchmarks/instructions.py", "--only", "beside"]
    printed = subprocess.run(command, cwd=Path(__file__).parents[3], capture_output=True, text=True, check=True).stdout
    assert float(printed.splitlines()[-1].split()[-2]) <= 1.5, printed
