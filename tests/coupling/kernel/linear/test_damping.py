"""Constraints in cycles that become weak: solved with damping, and nothing else with them."""

from __future__ import annotations

import ctypes

import numpy as np
import pytest

from coupling.kernel import library
from coupling.kernel.linear.linear import elimination_order
from tests.support.kernel.linear import Linear

RTOL = 1e-6
FALLEN = 1e-3  # of its peak, a pivot counts as weak
NUMBERS, SLOTS = (np.ctypeslib.ndpointer(kind, flags="C") for kind in (np.double, np.intc))
FIRST_AND_LAST = np.arange(2, dtype=np.intc), np.arange(2, 4, dtype=np.intc)
"""Slots of diagonals and pivots of two rows."""
library.linear_trusts.argtypes = [ctypes.c_void_p, NUMBERS, SLOTS, SLOTS, ctypes.c_int]
library.linear_trusts.restype = ctypes.c_bool


def equations(count: int, joint: list[int], cycle: list[int], rtol: float = RTOL) -> Linear:
    """Returns equations of a full pattern, eliminated in the order of the rows."""
    start, column = np.arange(count + 1) * count, np.tile(np.arange(count), count)
    linear = Linear(start, column, np.arange(count))
    linear.set_constraints(joint, cycle, rtol)
    return linear


def nearly(small: float) -> np.ndarray:
    """S of three rows, the last of which differs from the sum of the others by the root of a pivot; the first has another unit."""
    gradient = np.array([[10.0, 0, 0], [0, 1, 0], [1, 1, np.sqrt(small)]])
    return gradient @ gradient.T


def passed(s: np.ndarray, b: np.ndarray, damping: np.ndarray) -> np.ndarray:
    """Three passes, densely."""
    z = np.zeros(len(b))
    for _ in range(3):
        z += np.linalg.solve(s + damping, b - s @ z)
    return z


@pytest.mark.parametrize("small", [1e-5, 1e-7, 1e-9, 1e-12])
def test_a_direction_that_has_fallen_is_solved_in_three_damped_passes(small):
    """Its damping grows smoothly, with the square of what it has fallen below the limit, to sigma^2."""
    linear, b = equations(3, [0, 1, 2], [0, 0, 0]), np.array([1.0, 2.0, 3.0])
    assert linear.factorise(nearly(1.0).ravel()) == 0
    linear.accept()
    s = nearly(small)
    pivot, peak = small / (2 + small), 1 / 3
    limit = min(100 * RTOL, FALLEN * peak)
    assert linear.factorise(s.ravel()) == (1 if pivot < limit else 0)
    sigma2 = RTOL * (1 - pivot / limit) ** 2 if pivot < limit else 0.0
    assert linear.solve(b) == pytest.approx(passed(s, b, sigma2 * np.diag(np.diag(s))), rel=1e-6)
    assert linear.passing == int(pivot < limit)


def test_what_was_always_small_is_not_damped():
    """A light body between heavy ones: its pivot counts for what it is, once it has been decided that nothing repeats."""
    s, b = nearly(1e-9), np.array([1.0, 2.0, 3.0])
    linear = equations(3, [0, 1, 2], [0, 0, 0])
    linear.decide([False] * 3)
    for _ in range(2):
        assert linear.factorise(s.ravel()) == 0
        assert linear.solve(b) == pytest.approx(np.linalg.solve(s, b), rel=1e-5)
        linear.accept()


def test_a_thin_body_is_not_weak():
    """The rows of one joint are seen together, so that its pivot is 1 in every pose, however thin the body."""
    linear = equations(2, [0, 0], [0, 0])
    for angle in (0.0, 0.5, 1.0):
        tangent = np.array([-np.sin(angle), np.cos(angle)])
        s = np.eye(2) + 1e9 * np.outer(tangent, tangent)
        assert linear.factorise(s.ravel()) == 0
        b = np.array([np.cos(angle), np.sin(angle)])
        assert linear.solve(b) == pytest.approx(b, abs=1e-5)
        linear.accept()


def test_other_cycles_are_solved_as_if_nothing_were_damped():
    """A row of no cycle and one of another cycle, both connected with a weak one."""
    gradient = np.zeros((5, 5))
    gradient[:3, :3] = [[1, 0, 0], [0, 1, 0], [1, 1, 1]]
    gradient[3:, 2:] = [[0.3, 1, 0], [0, 0.2, 1]]
    linear = equations(5, [0, 1, 2, 3, 4], [0, 0, 0, -1, 1])
    linear.factorise((gradient @ gradient.T).ravel())
    linear.accept()
    gradient[2, 2] = 1e-6
    s, b = gradient @ gradient.T, np.arange(1.0, 6.0)
    assert linear.factorise(s.ravel()) == 1
    z = linear.solve(b)
    assert s[3:] @ z == pytest.approx(b[3:], rel=1e-14)


def test_what_redundant_constraints_leave_open_has_least_length():
    """The length is in the units of the unknowns, as without damping; a misfit of the size of the drift does no harm."""
    s, b = nearly(0.0), np.array([10.0, 2.0, 3.0])
    linear = equations(3, [0, 1, 2], [0, 0, 0])
    linear.decide([False, False, True])
    assert linear.factorise(s.ravel()) == 1
    assert linear.passing == 0
    assert linear.solve(b) == pytest.approx(np.linalg.pinv(s) @ b, rel=1e-9)
    unknowns, _ = linear.undetermined()
    assert unknowns == pytest.approx(np.abs([0.1, 1, -1]) / np.sqrt(2.01), rel=1e-6)
    s = nearly(1e-10)
    linear.factorise(s.ravel())
    assert linear.solve(b + np.array([0, 0, 1e-6])) == pytest.approx(np.linalg.pinv(nearly(0.0)) @ b, rel=1e-4, abs=1e-6)


def test_multipliers_have_least_length_though_the_block_of_a_joint_hides_a_redundant_row():
    """The block of the first joint times the relation of the rows is 0 at the row that repeats the others."""
    gradient = np.array([[1, 0, 0], [0.5, np.sqrt(0.75), 0], [0, 1, 0], [0, 0.6, 0.8]])
    s, b = gradient @ gradient.T, gradient @ np.array([1.0, -2.0, 3.0])
    relation = np.linalg.svd(s)[2][-1]
    assert abs(s[0, :2] @ relation[:2]) < 1e-12 and abs(relation[0]) > 0.3
    linear = equations(4, [0, 0, 1, 1], [0] * 4)
    linear.decide([True, False, False, False])
    assert linear.factorise(s.ravel()) == 1
    assert linear.solve(b) == pytest.approx(np.linalg.pinv(s) @ b, rel=1e-9)


def test_the_order_of_elimination_is_kept_for_blocks():
    """Joints whose rows are eliminated with others between them."""
    random = np.random.default_rng(3)
    gradient = random.normal(size=(4, 4))
    linear = Linear(np.arange(5) * 4, np.tile(np.arange(4), 4), elimination_order(np.arange(5) * 4, np.tile(np.arange(4), 4)))
    linear.set_constraints([0, 1, 0, 1], [0] * 4, RTOL)
    linear.factorise((gradient @ gradient.T).ravel())
    linear.accept()
    gradient[3] = gradient[0] + gradient[1] + gradient[2] + 1e-7 * gradient[3]
    s, b = gradient @ gradient.T, random.normal(size=4)
    assert linear.factorise(s.ravel()) == 1
    joined = np.equal.outer([0, 1, 0, 1], [0, 1, 0, 1])
    assert linear.solve(b) == pytest.approx(passed(s, b, RTOL * joined * s), rel=1e-6)


def test_pivots_found_elsewhere_are_trusted_by_what_they_leave_of_each_joint():
    """Row by row, and of the rows of a joint together; a margin of 10 everywhere, whichever way it is found out."""
    linear = equations(4, [0, 0, 1, 1], [0] * 4)
    linear.factorise(np.eye(4).ravel())
    linear.accept()
    first, last = np.arange(4, dtype=np.intc), np.arange(4, 8, dtype=np.intc)
    random, seen = np.random.default_rng(3), set[bool]()
    for _ in range(500):
        diagonal, shares = 10 ** random.uniform(-6, 6, 4), 10 ** random.uniform(-3, 0, 4)
        shares[random.integers(4)] *= random.choice([1.0, 1e-3, -1.0, np.nan], p=[0.85, 0.05, 0.05, 0.05])
        limit = 10 * min(100 * RTOL, FALLEN)
        trusted = bool((shares > 10 * 1e-7).all() and (shares.reshape(2, 2).prod(axis=1) >= limit).all())
        assert library.linear_trusts(linear._linear, np.r_[diagonal, shares * diagonal], first, last, 0) == trusted
        seen.add(trusted)
    assert seen == {True, False}


@pytest.mark.parametrize(
    ("joint", "cycle", "least"),
    [([0, 1], [-1, -1], 1e-14), ([-1, 0], [-1, -1], 1e-6), ([0, 1], [0, 0], 1e-6)],
    ids=["of a joint outside cycles", "of no joint", "in a cycle"],
)
def test_a_small_pivot_found_elsewhere_counts_where_nothing_can_repeat_it(joint, cycle, least):
    """The margin is 10 above rounding there, and above weak pivots elsewhere as long as repeated rows have not been decided."""
    linear = equations(2, joint, cycle)
    linear.factorise(np.eye(2).ravel())
    for share in (0.5 * least, 2 * least):
        assert library.linear_trusts(linear._linear, np.array([1.0, 1.0, share, 1.0]), *FIRST_AND_LAST, 0) == (share > least)


@pytest.mark.parametrize("rows", [1, 2, 3])
def test_peaks_of_pivots_found_elsewhere_are_the_greatest_shares_of_joints(rows):
    """The shares are those of the determinant of a joint's own block, in any order of greater and smaller ones; nearly singular blocks too."""
    joint = np.repeat([0, 1], rows)
    count = joint.size
    linear = equations(count, joint.tolist(), [0] * count)
    linear.factorise(np.eye(count).ravel())
    library.linear_accept_elsewhere.argtypes = [ctypes.c_void_p, NUMBERS, SLOTS, SLOTS]
    library.linear_accept_elsewhere.restype = None
    library.linear_peaks.argtypes, library.linear_peaks.restype = [ctypes.c_void_p], ctypes.POINTER(ctypes.c_double)
    slots = np.arange(count * count + count, dtype=np.intc)
    random, peak = np.random.default_rng(4), np.zeros(2)
    for _ in range(300):
        root = random.normal(size=(count, count)) * 10 ** random.uniform(-3, 3)
        root[0] += random.choice([0.0, 1e4]) * root[rows - 1]
        entries, share = root @ root.T, random.uniform(0, 0.9, 2)
        blocks = [np.linalg.det(entries[np.ix_(joint == j, joint == j)]) for j in (0, 1)]
        pivots = np.ones(count)
        pivots[[0, rows]] = share * blocks
        library.linear_accept_elsewhere(linear._linear, np.r_[entries.ravel(), pivots], slots, slots[count * count :])
        peak = np.maximum(peak, share)
        found = np.ctypeslib.as_array(library.linear_peaks(linear._linear), (count,))
        np.testing.assert_allclose(found, np.repeat(peak, rows), rtol=1e-5)


def test_all_rows_of_a_joint_have_what_is_left_of_it():
    """The share is a ratio of volumes: det S of all rows so far, over that of the rows before and that of the joint's own."""
    gradient = np.random.default_rng(3).normal(size=(6, 7))
    s, joint = gradient @ gradient.T, [0, 0, 1, 1, 1, 2]
    linear = equations(6, joint, [0] * 6)
    assert linear.factorise(s.ravel()) == 0

    def volume(rows: range) -> float:
        return float(np.linalg.det(s[np.ix_(rows, rows)]))

    firsts = {0: (0, 2), 1: (2, 5), 2: (5, 6)}
    expected = [volume(range(b)) / (volume(range(a)) * volume(range(a, b))) for a, b in (firsts[each] for each in joint)]
    assert linear.shares() == pytest.approx(expected, rel=1e-9)
    assert max(expected[2:]) < 0.9  # otherwise nothing is shared
