"""Constraints that repeat others are left out where nothing but the motion follows from the shares of their load."""

import numpy as np
import pytest

from coupling.fused.left_out import may_be_left_out
from coupling.fused.lowering import lower
from coupling.plan.build import build
from coupling.plan.kinds import Mode
from jourdain import System
from tests.support.systems.space import planar_loop

REPEATED = (3, 4, 7)


def worn() -> System:
    """A loop whose first hinge wears with its load."""
    system = planar_loop()
    system.add("wear", "signal.Integrator")
    system.connect("hinge1.multiplier[3]", "wear.u")
    return system


def test_a_state_that_follows_a_share_keeps_all_unknowns() -> None:
    plain, with_wear = (lower(build(make().definition, Mode.PROJECTED)) for make in (planar_loop, worn))
    assert may_be_left_out(plain, REPEATED) == {*REPEATED}
    assert not may_be_left_out(with_wear, REPEATED)


@pytest.mark.parametrize("way", ["tape", "compiled"])
def test_what_follows_a_share_is_the_same_by_equations(way: bool | str) -> None:
    ours, theirs = (worn().simulate(1.0, evaluation=evaluation, rtol=1e-9) for evaluation in (way, "fmus"))
    assert ours.statistics.handed_over > 0.9 * ours.statistics.evaluations
    np.testing.assert_allclose(ours["wear.y"], theirs["wear.y"], atol=1e-8)


@pytest.mark.parametrize("way", ["tape", "compiled"])
def test_rows_have_the_shares_of_least_length(way: bool | str) -> None:
    ours, theirs = (planar_loop().simulate(1.0, evaluation=evaluation, rtol=1e-9) for evaluation in (way, "fmus"))
    assert ours.statistics.handed_over < 10 and not ours.statistics.by_fmus
    for name in (each for each in ours.names if ".multiplier[" in each):
        np.testing.assert_allclose(ours[name], theirs[name], atol=1e-6)
