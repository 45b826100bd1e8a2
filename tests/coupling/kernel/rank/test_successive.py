"""Constraints taken one after the other, on random systems: against direct solutions of the whole."""

from __future__ import annotations

from itertools import permutations

import numpy as np
import pytest

from coupling.kernel.rank.successive import Succession, take
from tests.support.oracles.constrained import Constrained, random_system


def taken(system: Constrained, order: list[int] | None = None, alone: bool = False) -> Succession:
    """``alone``: by S without G and V."""
    rows = None if alone else (system.G, system.V.T, np.zeros(len(system.A), dtype=int))
    return take(system.S, system.r, rows, list(range(len(system.G))) if order is None else order)


@pytest.mark.parametrize("seed", range(20))
def test_what_is_left_of_mobilities_are_the_squares_of_the_cholesky_factor(seed):
    """Gauss's constraint grows by mu^2 delta/2 with each; together they are that of the solution."""
    system = random_system(seed)
    found = taken(system)
    assert found.delta == pytest.approx(np.diag(np.linalg.cholesky(system.S)) ** 2, rel=1e-10)
    assert found.sine == pytest.approx(np.sqrt(found.delta / np.diag(system.S)), rel=1e-10)
    a, multipliers = system.solution()
    assert found.stage[-1] == pytest.approx(multipliers, rel=1e-10, abs=1e-10)
    off = a - system.free
    assert (found.own**2 * found.delta).sum() == pytest.approx(off @ system.A @ off, rel=1e-10)


@pytest.mark.parametrize("seed", range(5))
def test_each_stage_is_the_system_with_the_first_constraints_alone(seed):
    system = random_system(seed)
    found = taken(system)
    for k in range(len(system.G)):
        _, multipliers = system.with_rows(range(k + 1)).solution()
        assert found.stage[k, : k + 1] == pytest.approx(multipliers, rel=1e-10, abs=1e-10)
        assert not found.stage[k, k + 1 :].any()


def test_the_order_of_independent_constraints_changes_no_multiplier():
    system = random_system(3).with_rows(range(4))
    exact = system.solution()[1]
    for order in permutations(range(4)):
        found = taken(system, list(order))
        assert found.stage[-1] == pytest.approx(exact, rel=1e-10)
        assert found.place.tolist() == np.argsort(order).tolist()


@pytest.mark.parametrize("alone", [False, True])
def test_a_constraint_that_repeats_others_is_named_with_its_factors_and_its_misfit(alone):
    system = random_system(1).with_rows(range(3))
    factors = np.array([2.0, 0.0, -0.5])
    system = Constrained(system.A, system.h, np.vstack([system.G, factors @ system.G]), np.append(system.g0, factors @ system.g0 + 0.7))
    found = taken(system, alone=alone)
    assert found.redundant.tolist() == [False, False, False, True]
    assert found.repeats[3, :3] == pytest.approx(factors, abs=1e-9)
    assert found.misfit[3] == pytest.approx(0.7, rel=1e-9)
    assert found.stage[-1, 3] == 0.0


def test_a_sine_of_1e_12_from_others_is_told_from_0():
    """V and G show the difference; S alone cannot resolve less than 1e-7."""
    rng = np.random.default_rng(5)
    n = 12
    A, G = np.diag(rng.uniform(1, 2, n)), rng.normal(size=(4, n))
    for near, redundant in ((1e-12, False), (0.0, True)):
        last = G[0] - 2 * G[2]
        rows = np.vstack([G, last + near * np.linalg.norm(last) * np.eye(n)[0]])
        system = Constrained(A, rng.normal(size=n), rows, np.zeros(5))
        found = take(system.S, system.r, (rows, system.V.T, np.zeros(n, dtype=int)), range(5))
        # rows that differ by 1e-12 repeat each other as far as eta goes; what is left of them tells by how much they do not
        assert found.redundant[4]
        assert found.sine[4] < 1e-14 if redundant else 1e-13 < found.sine[4] < 2e-12
        assert taken(system, alone=True).redundant[4]


def test_masses_of_1_to_1e6_leave_twelve_digits():
    """A chain of points on a line, each tied to the next, light and heavy by turns: the forces are sums of weights."""
    n = 12
    masses = np.where(np.arange(n) % 2, 1e6, 1.0)
    G = np.eye(n) - np.eye(n, k=-1)
    system = Constrained(np.diag(masses), -9.81 * masses, G, np.zeros(n))
    found = taken(system)
    assert found.stage[-1] == pytest.approx(9.81 * np.cumsum(masses[::-1])[::-1], rel=1e-12)


def test_the_most_independent_comes_next():
    rows = np.array([[1.0, 0, 0], [1.0, 1e-3, 0], [0, 0, 1.0]])
    system = Constrained(np.eye(3), np.ones(3), rows, np.zeros(3))
    found = take(system.S, system.r, (rows, system.V.T, np.zeros(3, dtype=int)), None)
    assert found.place.argmax() in (0, 1)
    assert found.sine.min() == pytest.approx(1e-3, rel=1e-5)
