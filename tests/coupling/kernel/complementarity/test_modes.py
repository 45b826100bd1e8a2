"""Modes found by pivoting satisfy all constraints, as the search of all modes says; impacts have the closed forms."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

from tests.support.kernel.modes import Modes, ModesStatus, Switched, SwitchKind, find, friction, strike, unilateral

SEQUENCE = np.random.default_rng


def tree(rng: np.random.Generator, count: int) -> tuple[np.ndarray, np.ndarray, list[Switched]]:
    """Blocks that rub on each other or hit each other, each on one before it or on the ground."""
    mass, S, b = 10 ** rng.uniform(-1, 1, count), np.zeros((count, count)), np.zeros(count)
    force = rng.normal(size=count) * 3
    rows = np.zeros((count, count))
    for i in range(count):
        rows[i, i] = 1
        if (below := rng.integers(-1, i)) >= 0 if i else False:
            rows[i, below] = -1
    S, b = rows / mass @ rows.T, rows @ (force / mass)
    items = [
        friction(abs(rng.normal()) * 2, int(rng.integers(-1, 2)), back=abs(rng.normal()) * 2)
        if rng.random() < 0.6
        else unilateral(int(rng.integers(0, 2)))
        for _ in range(count)
    ]
    return S, b, items


def violated(found: Modes, items: list[Switched]) -> float:
    """Returns the largest violation of the conditions by a solution."""
    worst = 0.0
    for item, x, a in zip(items, found.multiplier, found.acceleration, strict=True):
        if item.kind == SwitchKind.UNILATERAL:
            worst = max(worst, -x, -a, min(x, a))
        else:
            worst = max(worst, -item.limit[0] - x, x - item.limit[1], min(item.limit[0] + x, max(a, 0)), min(item.limit[1] - x, max(-a, 0)))
    return worst


def every_solution(S: np.ndarray, b: np.ndarray, items: list[Switched]) -> list[np.ndarray]:
    """The multipliers of all modes that violate nothing."""
    found: list[np.ndarray] = []
    for modes in itertools.product(*((0, 1) if item.kind == SwitchKind.UNILATERAL else (-1, 0, 1) for item in items)):
        held = [m == 1 if item.kind == SwitchKind.UNILATERAL else m == 0 for item, m in zip(items, modes, strict=True)]
        x = np.array(
            [
                0.0 if h or item.kind == SwitchKind.UNILATERAL else -m * item.limit[m < 0]
                for item, m, h in zip(items, modes, held, strict=True)
            ]
        )
        if any(held):
            x[held] = np.linalg.solve(S[np.ix_(held, held)], -(b + S @ x)[held])
        candidate = Modes(ModesStatus.FOUND, [], x, S @ x + b, 0)
        if violated(candidate, items) < 1e-9 and not any(np.allclose(x, each, atol=1e-7) for each in found):
            found.append(x)
    return found


@pytest.mark.parametrize("count", [30, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_modes_of_random_trees_are_those_that_a_search_of_all_modes_finds(count: int) -> None:
    rng = SEQUENCE(1)
    for _ in range(count):
        S, b, items = tree(rng, int(rng.integers(2, 6 if count < 100 else 8)))
        found = find(S, b, items)
        (only,) = every_solution(S, b, items)
        assert found.status == ModesStatus.FOUND
        np.testing.assert_allclose(found.multiplier, only, atol=1e-9 * (1 + abs(only).max()))


@pytest.mark.parametrize("count", [100, pytest.param(10_000, marks=pytest.mark.slow)])
def test_pivoting_ends_and_violates_nothing(count: int) -> None:
    rng, most = SEQUENCE(2), 0
    for _ in range(count):
        n = int(rng.integers(2, 51))
        if rng.random() < 0.5:
            S, b, items = tree(rng, n)
        else:
            G = rng.normal(size=(n, n + 3))
            S = G @ np.diag(10 ** rng.uniform(-2, 2, n + 3)) @ G.T
            b, items = rng.normal(size=n) * np.sqrt(np.diag(S)), [unilateral() for _ in range(n)]
        found = find(S, b, items)
        most = max(most, found.rounds)
        assert found.status == ModesStatus.FOUND
        assert violated(found, items) < 1e-8 * (1 + abs(found.multiplier).max() + abs(found.acceleration).max())
    assert most <= 100


def test_the_modes_do_not_depend_on_the_order_of_constraints() -> None:
    rng = SEQUENCE(3)
    for _ in range(20):
        S, b, items = tree(rng, 12)
        order = rng.permutation(12)
        one, other = find(S, b, items), find(S[np.ix_(order, order)], b[order], [items[i] for i in order])
        assert [one.mode[i] for i in order] == other.mode
        np.testing.assert_allclose(one.multiplier[order], other.multiplier, atol=1e-9)


def test_a_block_is_not_driven_backwards_by_its_own_friction() -> None:
    """Block 2 of 1 kg (3 N to block 1) on block 1 of 1 kg (5 N to the floor), 10 N on block 2."""
    found = find(np.array([[1.0, -1.0], [-1.0, 2.0]]), np.array([0.0, 10.0]), [friction(5.0), friction(3.0)])
    assert found.mode == [0, 1]
    np.testing.assert_allclose(found.multiplier, [-3, -3])
    np.testing.assert_allclose(found.acceleration, [0, 7])


def test_three_blocks_settle_that_would_not_each_alone() -> None:
    """The masses are 0.5, 10, 2 kg; 1 and 2 lie on 0; forces -2, 4, 9 N; limits 1, 3, 2 N (0 to the floor)."""
    m, force, rows = np.array([0.5, 10, 2]), np.array([-2.0, 4, 9]), np.array([[1.0, 0, 0], [-1, 1, 0], [-1, 0, 1]])
    for start in itertools.product((-1, 0, 1), repeat=3):
        items = [friction(limit, mode) for limit, mode in zip((1.0, 3.0, 2.0), start, strict=True)]
        found = find(rows / m @ rows.T, rows @ (force / m), items)
        assert found.mode == [1, 0, 1]
        np.testing.assert_allclose(found.multiplier, [-1, -8 / 7, -2], rtol=1e-14)
        np.testing.assert_allclose(np.linalg.solve(rows, found.acceleration), [2 / 7, 2 / 7, 7 / 2], rtol=1e-13)


@pytest.mark.parametrize("count", [60, pytest.param(2000, marks=pytest.mark.slow)])
def test_limits_that_follow_multipliers_leave_the_modes_that_a_search_finds(count: int) -> None:
    """Frictions whose limits grow with some of the multipliers, weakly and strongly: also where no modes are right, or several."""
    rng, none, several = SEQUENCE(5), 0, 0
    for _ in range(count):
        n = int(rng.integers(1, 5))
        G = rng.normal(size=(n, n + 1))
        S, b = G @ G.T, rng.normal(size=n) * 3
        rates = rng.normal(size=(n, 2, n)) * rng.choice([0.1, 1.0])
        items = [friction(abs(rng.normal()), int(rng.integers(-1, 2)), back=abs(rng.normal()), follows=tuple(each)) for each in rates]
        found, right = find(S, b, items), []
        for modes in itertools.product((-1, 0, 1), repeat=n):
            A, c = np.zeros((n, n)), np.zeros(n)
            for i, mode in enumerate(modes):
                way = int(mode < 0)
                A[i], c[i] = (S[i], -b[i]) if mode == 0 else (np.eye(n)[i] + mode * rates[i, way], -mode * items[i].limit[way])
            x = np.linalg.solve(A, c)
            a, limits = (
                S @ x + b,
                np.array([[item.limit[way] + rate[way] @ x for way in (0, 1)] for item, rate in zip(items, rates, strict=True)]),
            )
            if all(mode * a[i] >= -1e-9 if mode else -limits[i, 0] - 1e-9 <= x[i] <= limits[i, 1] + 1e-9 for i, mode in enumerate(modes)):
                right.append(x)
        none, several = none + (not right), several + (len(right) > 1)
        assert found.status == (ModesStatus.FOUND if right else ModesStatus.NONE)
        assert not right or any(np.allclose(found.multiplier, x, rtol=1e-8, atol=1e-8) for x in right)
    assert none and several


def test_what_is_due_changes_where_both_modes_pass() -> None:
    S, b = np.eye(1), np.array([-5.0])
    assert find(S, b, [friction(5.0)]).mode == [0]
    assert find(S, b, [friction(5.0, due=-1)]).mode == [-1]
    assert find(S, b, [friction(5.1, due=-1)]).mode == [0]  # surely wrong
    assert find(S, np.zeros(1), [unilateral(1)]).mode == [1]
    assert find(S, np.zeros(1), [unilateral(1, due=True)]).mode == [0]
    assert find(S, np.array([-1e-8]), [unilateral(1, due=True)]).mode == [1]


def test_what_is_redundant_is_shared_by_least_length() -> None:
    """Two frictions of 5 N on one body of 1 kg."""
    found = find(np.ones((2, 2)), np.array([6.0, 6.0]), [friction(5.0), friction(5.0)])
    assert found.mode == [0, 0]
    np.testing.assert_allclose(found.multiplier, [-3, -3])


# Contacts with friction: normal and tangential direction


def block(slope: float, mu: float) -> tuple[np.ndarray, np.ndarray, list[Switched]]:
    """1 m wide, 2 m high, 1 kg on an incline: its lower and upper foot."""
    inertia, g, angle = (1 + 4) / 12, 9.81, math.atan(slope)
    rows = np.array([[0, 1, 0.5], [1, 0, 1], [0, 1, -0.5], [1, 0, 1]])  # x downhill, y off the ground
    W = np.diag([1, 1, 1 / inertia])
    b = rows @ np.array([g * math.sin(angle), -g * math.cos(angle), 0])
    return rows @ W @ rows.T, b, [unilateral(), friction(normal=0, mu=mu), unilateral(), friction(normal=2, mu=mu)]


@pytest.mark.parametrize(
    ("slope", "mu", "closed", "slides", "acceleration"),
    [
        (0.3, 0.5, [1, 1], False, 0.0),
        (0.4, 0.2, [1, 1], True, 1.821671268),
        (0.7, 0.45, [1, 1], True, 2.009166285),
        (0.7, 1.0, [1, 0], False, 0.964399817),
        (0.9, 0.6, [1, 0], False, 1.750011738),
    ],
)
def test_a_block_on_an_incline_rests_slides_or_tips(slope: float, mu: float, closed: list[int], slides: bool, acceleration: float) -> None:
    S, b, items = block(slope, mu)
    found = find(S, b, items)
    assert found.status == ModesStatus.FOUND
    # the lower foot is the one that stays: turning about it lifts the upper
    lower, upper = (0, 2) if found.mode[0] else (2, 0)
    assert [found.mode[lower], found.mode[upper]] == closed
    tips = closed == [1, 0]
    assert (found.mode[lower + 1] != 0) is slides
    measured = found.acceleration[upper] if tips else found.acceleration[lower + 1]
    assert measured == pytest.approx(acceleration, abs=2e-9)


def rod(mu: float, angle: float, v: tuple[float, float], omega: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """A slender rod of 1 kg and half length 1 touches the ground with its lower end: S, velocities, and the rows of the contact."""
    x, y = -math.cos(angle), -math.sin(angle)
    rows = np.array([[0, 1, x], [1, 0, -y]])
    return rows @ np.diag([1, 1, 3.0]) @ rows.T, rows @ np.array([*v, omega]), rows


def painleve(omega: float, v: float) -> tuple[np.ndarray, np.ndarray]:
    """The same sliding at tan(angle) = 2: S, and accelerations without forces."""
    angle = math.atan(2)
    S, _, _ = rod(2.0, angle, (0, 0), 0)
    return S, np.array([-9.81 + math.sin(angle) * omega**2, math.cos(angle) * omega**2])


def test_painleve_has_no_solution_or_two_while_sliding_and_one_at_rest() -> None:
    S, b = painleve(0.0, -1.0)
    A = S[0, 0] - 2 * S[0, 1] * math.copysign(1, S[0, 1])
    assert pytest.approx(-0.8) == A
    assert find(np.array([[A]]), b[:1], [unilateral()]).status != ModesStatus.FOUND
    both = painleve(4.0, -1.0)[1]
    assert both[0] == pytest.approx(4.500835056)
    assert [find(np.array([[A]]), both[:1], [unilateral(mode)]).mode for mode in (0, 1)] == [[0], [1]]
    assert find(np.array([[A]]), both[:1], [unilateral(1)]).multiplier[0] == pytest.approx(both[0] / 0.8, rel=1e-12)
    at_rest = find(S, painleve(0.0, 0.0)[1], [unilateral(), friction(normal=0, mu=2.0)])
    np.testing.assert_allclose(abs(at_rest.multiplier), [8.3385, 2.943], atol=1e-9)


# Impacts


def row_of_balls(count: int) -> np.ndarray:
    rows = np.diff(np.eye(count), axis=0)
    return np.asarray(rows)


def cradle(before: list[float], e: float, *, sequential: bool = True) -> np.ndarray:
    rows, v = row_of_balls(len(before)), np.array(before)
    struck = strike(rows @ rows.T, rows @ v, [unilateral(restitution=e) for _ in rows], sequential=sequential)
    assert struck.status == ModesStatus.FOUND
    return np.asarray(v + rows.T @ struck.impulse)


@pytest.mark.parametrize(
    ("before", "e", "sequential", "after"),
    [
        ([1, 0, 0], 1, True, [0, 0, 1]),
        ([1, 0, 0, 0, 0], 1, True, [0, 0, 0, 0, 1]),
        ([1, 1, 0, 0, 0], 1, True, [0, 0, 0, 1, 1]),
        ([1, 0, 0], 1, False, [-1 / 3, 2 / 3, 2 / 3]),
        ([1, 0, 0, 0, 0], 1, False, [-0.6, 0.4, 0.4, 0.4, 0.4]),
        ([1, 0, 0], 0.9, True, [0.047625, 0.049875, 0.9025]),
        ([1, 0, -1], 0.9, True, [-0.9, 0, 0.9]),
        ([1, 0, 0], 0, True, [1 / 3] * 3),
        ([1, 0, 0, 0, 0], 0, True, [0.2] * 5),
    ],
)
def test_newtons_cradle(before: list[float], e: float, sequential: bool, after: list[float]) -> None:
    np.testing.assert_allclose(cradle(before, e, sequential=sequential), after, atol=1e-15)


@pytest.mark.parametrize(("newton", "gained"), [(True, 0.1201818325), (False, -0.0576143759)])
def test_with_friction_newtons_law_creates_energy_and_poissons_does_not(newton: bool, gained: float) -> None:
    S, before, _ = rod(0.5, 1.0, (0.6, -1.0), 0.0)
    struck = strike(S, before, [unilateral(restitution=1), friction(normal=0, mu=0.5)], newton=newton)
    assert struck.impulse @ (before + struck.velocity) / 2 == pytest.approx(gained, abs=1e-10)


@pytest.mark.parametrize("count", [100, pytest.param(20_000, marks=pytest.mark.slow)])
def test_no_impact_with_friction_gains_energy(count: int) -> None:
    rng = SEQUENCE(4)
    for _ in range(count):
        mu, n = rng.uniform(0, 2), int(rng.integers(1, 3))
        rows = np.vstack([[[0, 1, rx], [1, 0, ry]] for rx, ry in rng.normal(size=(n, 2))])
        S = rows @ np.diag([1, 1, 3.0]) @ rows.T
        before = rows @ rng.normal(size=3)
        items = [s for i in range(n) for s in (unilateral(restitution=rng.uniform(0, 1)), friction(normal=2 * i, mu=mu))]
        struck = strike(S, before, items)
        gain = struck.impulse @ (before + struck.velocity) / 2
        assert struck.status == ModesStatus.FOUND and gain <= 1e-9 * (1 + before @ before)
        assert (struck.velocity[::2] > -1e-9).all()


@pytest.mark.parametrize(("mu", "v", "omega", "after"), [(0.5, (2.0, -4.0), 3.0, (5 / 6, -5 / 3)), (0.2, (8.0, -1.0), 3.0, (7.64, 1.56))])
def test_a_disc_grips_or_slips(mu: float, v: tuple[float, float], omega: float, after: tuple[float, float]) -> None:
    """The disc has r = 0.5 m, J = m r^2/2, e = 0.8."""
    rows, W = np.array([[0, 1, 0], [1, 0, 0.5]]), np.diag([1, 1, 8.0])
    before = np.array([*v, omega])
    struck = strike(rows @ W @ rows.T, rows @ before, [unilateral(restitution=0.8), friction(normal=0, mu=mu)])
    found = before + W @ rows.T @ struck.impulse
    np.testing.assert_allclose(found, [after[0], -0.8 * v[1], after[1]], atol=1e-14)
