"""The order of elimination, decided at random points: which equations are definite."""

from __future__ import annotations

import numpy as np
import pytest

from coupling import System
from coupling.fused.elimination import Order, _elimination, eliminations
from coupling.fused.lowered import LoweredLoop
from coupling.fused.lowering import lower

POINTS, COUNT = 6, 8


def loop(matrices: np.ndarray) -> tuple[LoweredLoop, list[dict[int, np.ndarray]]]:
    """Dense equations, with an entry's values at all points."""
    starts = tuple(range(0, COUNT * COUNT + 1, COUNT))
    columns = tuple(range(COUNT)) * COUNT
    entries = LoweredLoop(0, (), starts, columns, (), ())
    return entries, [{j: matrices[:, i, j] for j in range(COUNT)} for i in range(COUNT)]


def nearly_singular(random: np.random.Generator) -> np.ndarray:
    """J J^T at each point, where the last row of J follows from the others."""
    rows = random.normal(size=(POINTS, COUNT, COUNT))
    rows[:, -1] = np.einsum("pi,pij->pj", random.normal(size=(POINTS, COUNT - 1)), rows[:, :-1])
    return rows @ rows.transpose(0, 2, 1)


@pytest.mark.parametrize("seed", range(5))
def test_rounding_makes_no_equations_indefinite(seed):
    """Long rows of four-bars have such equations: their last pivot is as often below 0 as above."""
    matrices = nearly_singular(np.random.default_rng(seed))
    matrices = (matrices + matrices.transpose(0, 2, 1)) / 2
    found = _elimination(*loop(matrices))
    assert found.symmetric and found.order is Order.DEFINITE


def test_indefinite_equations_are_told():
    """They have one direction of negative curvature, at every point."""
    random = np.random.default_rng(1)
    matrices = nearly_singular(random) + np.eye(COUNT)
    matrices[:, 3, 3] = -1.0
    found = _elimination(*loop((matrices + matrices.transpose(0, 2, 1)) / 2))
    assert found.symmetric and found.order is Order.DIAGONAL


def test_bodies_in_space_have_definite_equations():
    """Their products of inertia are such as bodies have, also at random points."""
    system = System("pendulum")
    system.add("ground", "spatial.Fixed")
    system.add("pin", "spatial.Revolute")
    system.add("rod", "spatial.Body1")
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    [found] = eliminations(lower(system.build(communication=False)))
    assert found.symmetric and found.order is Order.DEFINITE
