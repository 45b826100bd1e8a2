"""FMUs whose equations are not known, called by the tape of all others from another process or in one: the same bits as where all is in one process."""

from __future__ import annotations

from pathlib import Path

import pytest

from coupling import Checkpoint, Index3, Isolation, Result, System
from coupling.kernel.hosts.sandbox import lacks
from coupling.live import fused
from tests.coupling.live.test_fused_islands import arm
from tests.support.systems import kept

STOP = 0.4


def run(system: System, **options: object) -> Result:
    """Runs a system with a tape to its end, and checks that the tape gave all derivatives."""
    result = system.simulate(STOP, **{"evaluation": "tape", **options})  # type: ignore[arg-type]  # of any type
    said = fused.BY_CODE if options.get("evaluation") == "compiled" else fused.BY_TAPE
    assert result.outcome.completed and not result.outcome.warnings, result.outcome
    assert (result.statistics.evaluated, result.statistics.by_fmus) == (said, 0)
    return result


SOLVERS: list[dict[str, object]] = [{"solver": "dopri5"}, {"solver": "cvode"}, {"solver": Index3(step_size=0.01)}]
APART: list[dict[str, object]] = [{"isolate": "all"}, {"isolate": "foreign"}, {"isolate": Isolation(which="all", sandbox=True)}]
CASES = [(options, apart, "tape") for options in SOLVERS for apart in APART] + [(options, APART[0], "compiled") for options in SOLVERS]


@pytest.mark.parametrize(
    ("options", "apart", "evaluation"), [pytest.param(*each, marks=[pytest.mark.slow] * (i > 0)) for i, each in enumerate(CASES)]
)
def test_a_run_in_a_process_of_its_own_has_the_same_bits(options, apart, evaluation):
    """The process loads compiled code and knows the tape; whoever calls the FMU of another tool is there, too."""
    if apart.get("sandbox") and lacks():
        # Kernels before Linux 6.2 have no sandbox, and runs that ask for one are refused there.
        pytest.skip(lacks())
    here, there = (run(arm(), evaluation=evaluation, **options, **where) for where in ({}, apart))
    assert kept.bits(here) == kept.bits(there)


@pytest.mark.parametrize("version", [2, 3])
def test_what_is_called_may_be_in_a_process_of_its_own(version):
    assert kept.bits(run(arm(version))) == kept.bits(run(arm(version, process="own")))


@pytest.mark.parametrize(
    "options",
    [
        {},
        *(
            pytest.param(each, marks=pytest.mark.slow)
            for each in ({"isolate": "all"}, {"evaluation": "compiled"}, {"solver": Index3(step_size=0.01)})
        ),
    ],
)
def test_a_run_goes_on_with_the_same_bits(options: dict, tmp_path: Path):
    undisturbed = run(arm(), **options)
    with kept.checkpoints(tmp_path, 1, 2) as paths:
        saved = run(arm(), **options, checkpoint=Checkpoint(path=tmp_path / "last.ckpt", interval=0.0))
    assert kept.bits(saved) == kept.bits(undisturbed) and len(paths) == 2
    for path in paths:
        result = System.resume(path)
        assert kept.bits(result) == kept.bits(undisturbed) and result.statistics.evaluated == undisturbed.statistics.evaluated
        assert result.statistics.evaluations == undisturbed.statistics.evaluations
