"""Fast evaluation where terms cancel: rounding is no difference, and a real difference is reported."""

from __future__ import annotations

import re

import pytest

from coupling import Pose, System
from coupling.kernel.equations import fused as kernel_fused
from coupling.kernel.system.kernel import Kernel
from coupling.live import fused
from tests.support.systems.machines import example


def resting(name: str) -> tuple[System, Pose]:
    """A machine of the examples, and a pose in which it stands still."""
    module = example(name)
    system = next(getattr(module, each) for each in ("system", "crane", "build") if hasattr(module, each))()
    return system, system.equilibrium()


@pytest.mark.parametrize("name", ["06_hydraulic_crane", "10_suspension", pytest.param("03_seven_body_mechanism", marks=pytest.mark.slow)])
def test_a_run_from_an_equilibrium_keeps_its_tape(name):
    """Accelerations are rounding there, of terms up to 1e6 times as great; the run is that of the FMUs."""
    system, pose = resting(name)
    ours, theirs = (system.simulate(0.05, start_values=pose, evaluation=way) for way in ("auto", "fmus"))
    assert ours.statistics.evaluated == fused.BY_TAPE and not ours.outcome.warnings
    for each in pose:
        assert ours[each][-1] == pytest.approx(theirs[each][-1], rel=1e-9, abs=1e-9)


@pytest.mark.parametrize("share", [1e-6, 1e-8])
def test_a_real_difference_at_an_equilibrium_is_a_warning(share, monkeypatch):
    """Parameters that are others to the tape shift the balance by far more than rounding of its terms."""
    system, pose = resting("10_suspension")
    advance = Kernel.advance

    def tamper(kernel, steps):
        if not kernel.steps:
            status = advance(kernel, 2)
            kernel_fused.workspace(kernel)[:] *= 1 + share
            return status
        return advance(kernel, steps)

    monkeypatch.setattr(Kernel, "advance", tamper)
    result = system.simulate(0.5, start_values=pose, max_step=0.01, evaluation="tape")
    (warning,) = (each for each in result.outcome.warnings if "fast evaluation" in each)
    way = re.escape(fused.BY_TAPE)
    assert re.fullmatch(
        rf"fast evaluation \({way}\) was switched off at t = [0-9.]+ s: it differed from the FMUs by \S+ in '[^']+', where terms are \S+; "
        "the rest of the run called the FMUs, which takes longer",
        warning,
    )
