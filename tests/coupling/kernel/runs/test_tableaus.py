"""Tableaus of Runge-Kutta methods: order conditions, and the digits of SciPy."""

from __future__ import annotations

from functools import cache

import numpy as np
import pytest
from scipy.integrate import RK45
from scipy.integrate._ivp import dop853_coefficients

from coupling.solvers import dop853, dopri5

# The method; the orders of its result, of its error estimates, and of its dense output; its name in SciPy.
from tests.support.kernel.methods import BOTH, METHODS, growth
from tests.support.kernel.runge_kutta import RungeKutta

# --- the tableaux ---


@cache
def trees(order, largest=None):
    """Rooted trees as tuples of their root's branches, in descending order."""
    if order == 1:
        return [()]
    found = []
    for size in range(order - 1, 0, -1):
        for branch in trees(size):
            if largest is None or (size, branch) <= largest:
                rest = trees(order - size, (size, branch))
                found += [(branch, *others) for others in rest]
    return found


def nodes(tree):
    return 1 + sum(map(nodes, tree))


def density(tree):
    return nodes(tree) * np.prod([density(branch) for branch in tree])


def weights(a, tree):
    """Returns the stages' weights of a tree's elementary differential."""
    return np.prod([a @ weights(a, branch) for branch in tree] + [np.ones(len(a))], axis=0)


def square(method):
    a = np.zeros((len(method.c), len(method.c)))
    a[:, : method.a.shape[1]] = method.a
    return a


def all_trees(order):
    return [tree for size in range(1, order + 1) for tree in trees(size)]


def test_there_are_as_many_trees_as_butcher_counts():
    assert [len(trees(order)) for order in range(1, 9)] == [1, 1, 2, 4, 9, 20, 48, 115]


@pytest.mark.parametrize(("method", "order", "estimates", "dense"), [m[:4] for m in METHODS.values()], ids=list(METHODS))
def test_order_conditions_hold(method, order, estimates, dense):
    """They hold for the result, for the formulas that estimate its error, and for dense output at any fraction of the step."""
    a, end = square(method), len(method.e)
    np.testing.assert_allclose(a.sum(axis=1), method.c, atol=1e-14)
    for tree in all_trees(order):
        assert method.a[method.stages] @ weights(a, tree)[: method.a.shape[1]] == pytest.approx(1 / density(tree), abs=2e-14)
    for weight, estimated in zip([method.e, method.e3], estimates, strict=False):
        residuals = [weight @ weights(a, tree)[:end] for tree in all_trees(estimated)]
        np.testing.assert_allclose(residuals, 0, atol=2e-14)
        assert np.abs([weight @ weights(a, tree)[:end] for tree in trees(estimated + 1)]).max() > 1e-5
    first, last = np.eye(len(a))[0], np.eye(len(a))[method.stages]
    f0 = a[method.stages]
    coefficients = [f0, first - f0, 2 * f0 - first - last, *method.d]
    for s in (0.2, 0.7):
        at = np.zeros(len(a))
        for j, coefficient in reversed(list(enumerate(coefficients))):
            at = (at + coefficient) * ((1 - s) if j % 2 else s)
        for tree in all_trees(dense):
            assert at @ weights(a, tree) == pytest.approx(s ** nodes(tree) / density(tree), abs=1e-13)


def test_coefficients_are_those_of_scipy():
    d = dop853_coefficients
    method = dop853.METHOD
    np.testing.assert_array_equal(method.c, d.C)
    np.testing.assert_array_equal(method.a, d.A[:, :-1])
    np.testing.assert_array_equal(method.e, d.E5)
    np.testing.assert_array_equal(method.e3, d.E3)
    np.testing.assert_array_equal(method.d, d.D)
    method = dopri5.METHOD
    np.testing.assert_array_equal(method.c[:6], RK45.C)
    np.testing.assert_array_equal(method.a[:6, :5], RK45.A)
    np.testing.assert_array_equal(method.a[6], RK45.B)
    np.testing.assert_allclose(method.e, -RK45.E, rtol=1e-15)


@pytest.mark.parametrize("method", BOTH)
@pytest.mark.parametrize("count", [7, 8, 9, 19])
def test_stages_are_summed_alike_however_many_states_there_are(method, count):
    """States that differ by powers of two do so to the bit after a step, and inside of it, from the one that is alone."""

    def stepped(x):
        rk = RungeKutta(method, growth, 1e9, 1e9, len(x))
        rk.start(0.3, x)
        rk.state.h = 0.4
        rk.step()
        return np.array([rk.x, rk.interpolate(0.45)])

    scales = 2.0 ** np.arange(count)
    np.testing.assert_array_equal(stepped(1.7 * scales), stepped(np.array([1.7])) * scales)
