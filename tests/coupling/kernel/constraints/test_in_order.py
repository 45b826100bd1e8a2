"""Constraints in an order: how far their equations are from symmetric, and which of them repeat those before, against figures by hand."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest

from coupling import System
from coupling.kernel.rank.successive import asymmetry, decide, repeated, take_in_order
from coupling.kernel.system.status import Status
from tests.coupling.live.test_successive import plank, with_friction
from tests.coupling.solvers.test_projected import begun


@pytest.mark.parametrize(("system", "share"), [(with_friction, 3**-0.5), (plank, 0.0)])
def test_asymmetry_is_relative_to_the_diagonal(system: Callable[[], System], share: float) -> None:
    """S of the disc with friction is [1/m, 0; 1/m, 3/m]; that of a plank on two welds is symmetric to rounding."""
    with begun(system()) as session:
        assert session.kernel.linearise(0) is Status.DONE
        found, *unknowns = asymmetry(session.kernel, 0)
    assert found == pytest.approx(share, abs=1e-12)
    assert not share or {*unknowns} == {0, 1}


@pytest.mark.parametrize("order", [["left", "right"], ["right", "left"]])
def test_the_second_weld_of_a_plank_repeats_the_first(order: list[str]) -> None:
    """Its velocities are those of the other end, and across the plank by 2 m more times the rate of turn."""
    with begun(plank()) as session:
        session.kernel.set_projection(session.rows, False)
        (loop,), built = session.schedule.loops, session.built
        place = {(built.parts[a.part].name, k % 3): k for k, a in enumerate(loop.unknowns)}
        sequence = [place[weld, k] for weld in order for k in range(3)]
        take_in_order(session.kernel, session.rows, 0, sequence, tells=True, first=True)
        assert decide(session.kernel, 0.0, session.x) is Status.DONE
        which, factors, since = repeated(session.kernel, 0, 6)
    first, second = ([place[weld, k] for k in range(3)] for weld in order)
    across = 2.0 if order[0] == "left" else -2.0
    assert sorted(which) == sorted(second) and since == 0.0
    rows = np.array([factors[which.index(k)] for k in second])
    assert rows[:, first] == pytest.approx(np.array([[1, 0, 0], [0, 1, across], [0, 0, 1]]), abs=1e-9)
    assert not rows[:, second].any()
