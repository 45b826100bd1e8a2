"""States moved onto constraints by the factors and corrections of the graph, against the same by the FMUs and the general equations."""

from __future__ import annotations

import numpy as np
import pytest

from coupling.kernel.equations import fused as kernel_fused
from coupling.kernel.system.status import Status
from coupling.live.fused import begin_fused
from coupling.live.program import compile_program
from coupling.live.running import Running
from coupling.live.start import start
from coupling.options import Run
from coupling.plan.build import build
from coupling.plan.kinds import Mode
from coupling.plan.projection import without_stabilisation
from tests.coupling.live.test_stabilisation import four_bars
from tests.support.systems import blocks, seven_bodies
from tests.support.systems.space import two_rods


@pytest.mark.parametrize(
    ("make", "evaluation"),
    [(seven_bodies.system, "tape"), (two_rods, "tape"), (lambda: blocks.four_bar(True), "tape"), (lambda: four_bars(2), "compiled")],
    ids=["seven bodies", "space", "blocks", "code"],
)
def test_what_is_off_is_moved_to_the_same_place(make, evaluation):
    """The points are off by 1e-3, 1e-6 and 1e-9; attitudes are turned. The violations had no numbers before."""
    with _begun(make(), "fmus") as theirs, _begun(make(), evaluation) as ours:
        begin_fused(ours)
        code = ours.program.fused
        first, count = code.violation, sum(len(loop.unknowns) for loop in ours.built.schedule.loops)
        assert np.isnan(kernel_fused.workspace(ours.kernel)[first : first + count]).all()
        for size in (1e-3, 1e-6, 1e-9):
            x = theirs.x + size * np.random.default_rng(3).standard_normal(len(theirs.x))
            moved, expected = x.copy(), x.copy()
            assert ours.kernel.project(0.0, moved) is theirs.kernel.project(0.0, expected) is Status.DONE
            assert moved == pytest.approx(expected, rel=0, abs=1e-12 * np.abs(x).max())
            assert np.abs(moved - x).max() > size / 10
        assert np.isfinite(kernel_fused.workspace(ours.kernel)[first : first + count]).all()


def test_by_baumgarte_there_are_no_corrections():
    """Constraints are not read then, and code for them would be useless."""
    with start(compile_program(four_bars(1).build(communication=False), []), Running(run=Run(stop_time=1.0, evaluation="tape"))) as session:
        begin_fused(session)
        assert not session.program.fused.corrections


def _begun(system, evaluation):
    built = build(system.definition, Mode.PROJECTED)
    run = Run(stop_time=1.0, evaluation=evaluation, stabilisation="projection")
    session = start(compile_program(built, []), Running(run=run, values=without_stabilisation(built.parts, range(len(built.parts)))))
    session.kernel.set_projection(session.rows, True)
    return session
