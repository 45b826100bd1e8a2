"""Absolute tolerances by name."""

from __future__ import annotations

from types import SimpleNamespace

import numpy as np
import pytest

from coupling import System
from coupling.kernel.fmi.instance import ERROR, WARNING
from coupling.live.tolerances import given_tolerances, matches, nominals

NAMES = ["rod.x", "rod.theta", "pin.lambda[1]", "pin.lambda[2]"]


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("rod.x", ["rod.x"]),
        ("*", NAMES),
        ("rod.*", ["rod.x", "rod.theta"]),
        ("*.lambda*", ["pin.lambda[1]", "pin.lambda[2]"]),
        ("*.lambda[1]", ["pin.lambda[1]"]),
        ("*[2]", ["pin.lambda[2]"]),
        ("rod", []),
        ("rod?x", []),
        ("RoD.x", []),
    ],
)
def test_a_star_stands_for_anything_and_all_else_for_itself(pattern: str, found: list[str]) -> None:
    """Brackets, which stand in many names, mean nothing else."""
    assert [name for name in NAMES if matches(name, pattern)] == found


def test_of_several_keys_that_match_the_last_counts() -> None:
    """A general key comes first, exceptions behind it; what no key matches keeps its default."""
    given = {"*.lambda*": 1.0, "pin.lambda[2]": 2.0, "rod.x": 3.0}
    tolerances = given_tolerances(SimpleNamespace(atol=given), NAMES, np.full(4, 9.0))
    assert tolerances.tolist() == [3.0, 9.0, 1.0, 2.0]


def test_a_number_or_nothing_leaves_the_default() -> None:
    """They are no mapping; what a number means is decided elsewhere."""
    for given in (None, 1e-3):
        assert given_tolerances(SimpleNamespace(atol=given), NAMES, np.full(4, 9.0)).tolist() == [9.0] * 4


@pytest.mark.parametrize("solver", ["dopri5", "cvode", "ida", "RK45"])
def test_every_solver_takes_patterns(solver: str) -> None:
    """A looser tolerance by pattern saves steps, and a name that nothing has is refused."""
    system = System()
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add("rod", "planar.Body1", {"m": 1.0, "I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    steps = [
        system.simulate(1.0, solver=solver, rtol=1e-9, atol={"*": 1e-9, **loose}).statistics.steps
        for loose in ({}, {"rod.*": 1e-3, "*.lambda*": 1e-3})
    ]
    assert steps[1] < 0.6 * steps[0]
    with pytest.raises(ValueError, match=r"^atol: '\*\.lamda\*' is neither a state nor an algebraic variable of the system"):
        system.simulate(1.0, solver=solver, atol={"*.lamda*": 1e-3})


@pytest.mark.parametrize(("status", "found"), [(WARNING, [2.0, 1.0, 1.0]), (ERROR, [3.0, 1.0, 4.0])])
def test_a_nominal_value_that_is_not_positive_is_1(status: int, found: list[float]) -> None:
    """Values count as the instance gives them; where it gives none, those of its description do."""
    described = {reference: SimpleNamespace(nominal=value) for reference, value in ((7, 3.0), (8, 0.0), (9, 4.0))}
    part = SimpleNamespace(states=(7, 8, 9), first_state=0, fmu=SimpleNamespace(by_reference=described))
    instance = SimpleNamespace(nominals=lambda count: (status, np.array([2.0, 0.0, -1.0])))
    session = SimpleNamespace(built=SimpleNamespace(states=3, parts=[part]), instances=[instance], together=None)
    assert nominals(session).tolist() == found
