"""The theory of held forces, by itself: closed forms against roots of matrices, and matrices against integration."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.integrate import solve_ivp

from tests.support.interoperability.hold import FRESH, LATE, body, longest_step, radius, recipe, settles, step_matrix
from tests.support.interoperability.study import DEFAULTS, DOUBLE, MOBILITIES
from tests.support.oracles.planar import Rod

BOTH = pytest.mark.parametrize("late", [True, False], ids=["late", "fresh"])


@BOTH
def test_a_step_is_the_motion_under_a_constant_force(late):
    """The matrix gives what integration of f'' = -mu (k f + c f') gives, the right side held over a step of 0.1 s, after five steps."""
    mobility, k, c, h = 4.0, 3.0, 1.5, 0.1
    state, waiting = np.array([1.0, -0.5]), 0.0
    by_matrix = np.array([1.0, -0.5 * h, 0.0])
    for _ in range(5):
        fresh = -(k * state[0] + c * state[1])
        force, waiting = (waiting, fresh) if late else (fresh, fresh)
        state = solve_ivp(lambda _, s, force=force: [s[1], mobility * force], (0, h), state, rtol=1e-10, atol=1e-12).y[:, -1]
        by_matrix = step_matrix(k * h**2 * mobility, c * h * mobility, late) @ by_matrix
    assert by_matrix[:2] == pytest.approx([state[0], h * state[1]], abs=1e-8)


@BOTH
def test_the_closed_form_of_what_settles(late):
    """The inequality holds where all roots lie inside the unit circle, over the whole region of interest."""
    random = np.random.default_rng(1)
    for K, C in zip(random.uniform(0, 0.5 if late else 5, 2000), random.uniform(0, 1.5 if late else 3, 2000), strict=True):
        r = radius(K, C, late)
        assert abs(r - 1) < 1e-9 or settles(K, C, late) == (r < 1)


@BOTH
def test_the_longest_step(late):
    """Everything settles one per mille below it, and does not above it; for the defaults and the rod of the README 2.13 ms and 5 ms."""
    k, c, mobility = DEFAULTS["compliant.k"], DEFAULTS["compliant.c"], 4.0
    longest = longest_step(k, c, mobility, late)
    assert longest == pytest.approx(2.131e-3 if late else 5e-3, rel=1e-3)
    for h, expected in ((0.999 * longest, True), (1.001 * longest, False)):
        assert (radius(k * h**2 * mobility, c * h * mobility, late) < 1) is expected


@BOTH
def test_the_roots_of_the_recipe(late):
    """Three roots of 2/3, or two of 1/3; no other choice settles faster than the first."""
    chosen = recipe(late)
    roots = np.linalg.eigvals(step_matrix(chosen.K, chosen.C, late))
    assert np.sort(np.abs(roots)) == pytest.approx([2 / 3] * 3 if late else [0, 1 / 3, 1 / 3], abs=1e-4)
    if late:
        around = [radius(LATE.K * a, LATE.C * b, True) for a in (0.7, 0.9, 1, 1.1, 1.3) for b in (0.8, 0.95, 1, 1.05, 1.2)]
        assert min(around) == radius(LATE.K, LATE.C, True)


@pytest.mark.parametrize(("chosen", "late"), [(LATE, True), (LATE, False), (FRESH, False)], ids=["late", "late in a fresh one", "fresh"])
def test_the_recipe_settles_whatever_is_heavier(chosen, late):
    """A mobility that is estimated too large is safe: so one stiffness serves all joints."""
    assert all(radius(chosen.K * s, chosen.C * s, late) < 1 for s in np.geomspace(1e-3, 1, 50))


@pytest.mark.parametrize("angle", [0.0, 0.7, np.pi / 2, 2.5])
def test_the_mobility_by_hand_is_a_bound(angle):
    """The greatest eigenvalue of G M^-1 G^T of the double pendulum, in any pose, lies below the sum over both bodies, but not by much."""
    first, second = DOUBLE.rods

    def arm(distance: float, theta: float) -> np.ndarray:
        return np.array([[1.0, 0.0, -distance * np.sin(theta)], [0.0, 1.0, distance * np.cos(theta)]])

    G = np.zeros((4, 6))
    G[:2, :3] = arm(-first.c, 0.0)
    G[2:, :3] = -arm(first.length - first.c, 0.0)
    G[2:, 3:] = arm(-second.c, angle)
    M = np.diag([first.m, first.m, first.J, second.m, second.m, second.J])
    exact = np.linalg.eigvalsh(G @ np.linalg.inv(M) @ G.T).max()
    assert 0.6 * MOBILITIES[DOUBLE] < exact <= MOBILITIES[DOUBLE]


def test_the_mobility_of_a_rod():
    """A slender rod held at its end: a quarter of its mass resists a push across it."""
    rod = Rod(0.7, 5.0)
    assert 1 / body(rod.m, rod.J, [rod.c]) == pytest.approx(5.0 / 4)
