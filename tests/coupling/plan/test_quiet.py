"""Instances that no event concerns are left alone at events, and move on all the same."""

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


@pytest.mark.parametrize("solver", ["dopri5", "cvode"])
@pytest.mark.parametrize("stabilisation", ["projection", "baumgarte"])
def test_what_no_event_concerns_has_its_own_motion_in_all_rows(solver: str, stabilisation: str) -> None:
    """Rows at events are those of a run by the FMUs, which are all brought there; pendulums keep their lengths."""
    options = {"rtol": 1e-9, "solver": solver, "stabilisation": stabilisation, "output_interval": 0.1}
    ours, theirs = (spring(5, True).simulate(2.0, evaluation=way, **options) for way in ("tape", "fmus"))
    assert len(ours.changes) == len(theirs.changes) == 3 and len(ours.time) == len(theirs.time)
    for name in ours.names:
        np.testing.assert_allclose(ours[name], theirs[name], rtol=0, atol=1e-7 * (1 + np.abs(theirs[name]).max()), err_msg=name)
    for i in range(5):
        assert np.abs(np.hypot(ours[f"bob{i}.x"], ours[f"bob{i}.y"]) - 0.5).max() < 1e-8
