"""The kernel's sparse linear equations against NumPy's dense solution and pseudo-inverse."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array, diags_array, vstack
from scipy.sparse.linalg import spsolve

from coupling.kernel.linear.linear import elimination_order
from tests.support.kernel.linear import Linear

seeds = st.integers(0, 2**32 - 1)
many = settings(max_examples=150, deadline=None)


class Equations:
    """A pattern, and dense matrices of that pattern."""

    def __init__(self, pattern):
        pattern = csr_array(np.asarray(pattern, float))
        self.rows = np.repeat(np.arange(pattern.shape[0]), np.diff(pattern.indptr))
        self.columns = pattern.indices
        self.linear = Linear(pattern.indptr, pattern.indices, elimination_order(pattern.indptr, pattern.indices))

    def factorise(self, matrix):
        return self.linear.factorise(np.asarray(matrix, float)[self.rows, self.columns])


def solved(matrix, b):
    equations = Equations(np.asarray(matrix) != 0)
    assert equations.factorise(matrix) == 0
    return equations.linear.solve(b)


def sparse(random, shape, density):
    return random.normal(size=shape) * (random.random(shape) < density)


def of_sparse(matrix):
    """Linear and values of a SciPy array."""
    matrix = csr_array(matrix)
    matrix.sort_indices()
    return Linear(matrix.indptr, matrix.indices, elimination_order(matrix.indptr, matrix.indices)), matrix.data


def jacobian(random, joints, masses=None):
    """G of planar revolute joints, each between two bodies (-1 is the ground), and inv(M)."""
    bodies = 1 + max(max(joint) for joint in joints)
    rows, columns, values = [], [], []
    for k, joint in enumerate(joints):
        for body, sign in zip(joint, (1, -1), strict=True):
            if body >= 0:
                x, y = random.normal(size=2)
                rows += [2 * k, 2 * k, 2 * k + 1, 2 * k + 1]
                columns += [3 * body, 3 * body + 2, 3 * body + 1, 3 * body + 2]
                values += [sign, -sign * y, sign, sign * x]
    inverse = np.repeat(1 / (np.ones(bodies) if masses is None else masses), 3)
    return csr_array((values, (rows, columns)), shape=(2 * len(joints), 3 * bodies)), diags_array(inverse)


def chain(random, count, masses=None):
    return jacobian(random, [(i - 1, i) for i in range(count)], masses)


@many
@given(seeds, st.integers(1, 40), st.floats(0.03, 0.6))
def test_regular_matrices(seed, count, density):
    """Unsymmetric ones of any pattern are solved as well as by NumPy."""
    random = np.random.default_rng(seed)
    matrix = sparse(random, (count, count), density)
    matrix[np.arange(count), random.permutation(count)] += 3 * random.choice([-1, 1], count)
    condition = np.linalg.cond(matrix)
    if condition < 1e8:
        b = random.normal(size=count)
        expected = np.linalg.solve(matrix, b)
        assert np.abs(solved(matrix, b) - expected).max() <= 1e-13 * condition * np.abs(expected).max()


def test_diagonals_of_zeros():
    """A permutation, and the saddle point of a constrained body."""
    random = np.random.default_rng(0)
    permutation = np.eye(9)[random.permutation(9)]
    b = random.normal(size=9)
    assert solved(permutation, b) == pytest.approx(permutation.T @ b, abs=0)
    g = random.normal(size=(4, 9))
    saddle = np.block([[np.diag(random.uniform(1, 2, 9)), g.T], [g, np.zeros((4, 4))]])
    b = random.normal(size=13)
    assert solved(saddle, b) == pytest.approx(np.linalg.solve(saddle, b), rel=1e-12)


@many
@given(seeds, st.integers(2, 25))
def test_other_values_in_the_same_pattern(seed, count):
    """The pivots of the first matrix may be zero in the second; the solution does not tell."""
    random = np.random.default_rng(seed)
    pattern = (random.random((count, count)) < 0.4) | np.eye(count, dtype=bool) | np.roll(np.eye(count, dtype=bool), 1, 0)
    equations = Equations(pattern)
    for shift in (0, 1, 0, 0, 1):
        matrix = np.where(pattern, random.normal(size=pattern.shape), 0) * 0.1
        matrix += np.roll(np.eye(count), shift, 0) * 10 ** random.uniform(-3, 3, count)
        matrix[np.arange(count), np.arange(count)] *= shift == 0
        assert equations.factorise(matrix) == 0
        b = random.normal(size=count)
        expected = np.linalg.solve(matrix, b)
        assert equations.linear.solve(b) == pytest.approx(expected, rel=1e-9, abs=1e-9 * np.abs(expected).max())


def test_pivots_that_rise_from_zero():
    """Weak pivots are raised by 1: the one of row 1 is -1 by the sequence that fits the zeros, with which 0 is left of it."""
    pattern = np.ones((3, 3))
    of_pattern = Linear([0, 3, 6, 9], [0, 1, 2] * 3, [2, 1, 0])
    assert of_pattern.factorise(np.diag([-1.0, 0.0, 0.0])[pattern > 0]) == 2
    assert of_pattern.factorise(np.diag([-1.0, 1.0, 1.0])[pattern > 0]) == 0
    np.testing.assert_allclose(of_pattern.solve([1.0, 2.0, 3.0]), [-1.0, 2.0, 3.0])


def test_a_pivot_that_sinks_to_zero():
    """... and through it, in a matrix that stays regular."""
    equations = Equations(np.ones((2, 2)))
    for pivot in (1, 1e-3, 1e-6, 1e-9, 1e-12, 1e-16, 0, -1e-12, -1e-3, -2):
        assert equations.factorise([[pivot, 1], [1, 1]]) == (pivot == 1)
        if pivot != 1:
            assert equations.linear.solve([1, 2]) == pytest.approx([1 / (1 - pivot), 2 - 1 / (1 - pivot)], rel=1e-13)


def check_deficient(matrix, random):
    values = np.linalg.svd(matrix, compute_uv=False)
    rank = np.sum(values > 1e-5 * values[0])
    if np.any(values[rank:] > 1e-14 * values[0]):
        return  # neither deficient nor not
    equations = Equations(matrix != 0)
    assert equations.factorise(matrix) == len(matrix) - rank
    inverse = np.linalg.pinv(matrix, rcond=1e-8)
    contradictory = random.normal(size=len(matrix))
    for b in (matrix @ contradictory, contradictory):
        expected = inverse @ b
        assert np.abs(equations.linear.solve(b) - expected).max() <= 1e-7 * np.abs(expected).max()
    unknowns, redundant = equations.linear.undetermined()
    assert unknowns**2 == pytest.approx(1 - np.diag(inverse @ matrix), abs=1e-7)
    assert redundant**2 == pytest.approx(1 - np.diag(matrix @ inverse), abs=1e-7)


@many
@given(seeds, st.integers(2, 25), st.data())
def test_semidefinite_matrices_without_full_rank(seed, count, data):
    """The solution has least length, and of contradictory equations least residual: it is that of the pseudo-inverse. The null
    space shows in the unknowns that take part in it."""
    random = np.random.default_rng(seed)
    g = sparse(random, (count, data.draw(st.integers(1, count))), 0.5)
    check_deficient(g @ g.T, random)


@many
@given(seeds, st.integers(2, 25), st.data())
def test_unsymmetric_matrices_without_full_rank(seed, count, data):
    random = np.random.default_rng(seed)
    rank = data.draw(st.integers(1, count))
    check_deficient(sparse(random, (count, rank), 0.5) @ sparse(random, (rank, count), 0.5), random)


def test_empty_rows_and_columns():
    """A pattern that cannot have full rank, the matrix of zeros, and no equations at all."""
    equations = Equations([[1, 1, 0], [0, 0, 0], [1, 1, 0]])
    assert equations.factorise([[1, 2, 0], [0, 0, 0], [2, 1, 0]]) == 1
    assert equations.linear.solve([3, 7, 3]) == pytest.approx([1, 1, 0], rel=1e-14)
    unknowns, redundant = equations.linear.undetermined()
    assert unknowns == pytest.approx([0, 0, 1], abs=1e-15)
    assert redundant == pytest.approx([0, 1, 0], abs=1e-15)
    for pattern in (np.ones((3, 3)), np.zeros((3, 3))):
        equations = Equations(pattern)
        assert equations.factorise(np.zeros((3, 3))) == 3
        assert not equations.linear.solve([1, 2, 3]).any()
        assert np.all(np.concatenate(equations.linear.undetermined()) == 1)
    nothing = Linear([0], [], elimination_order([0], []))
    assert nothing.factorise([]) == 0
    assert nothing.solve([]).size == 0


def test_what_is_undetermined_is_named():
    """Two joints do the same work; the others are determined."""
    g, inverse = chain(np.random.default_rng(1), 8)
    g = vstack([g, g[[4]]]).tocsr()
    linear, values = of_sparse(g @ inverse @ g.T)
    assert linear.factorise(values) == 1
    unknowns, redundant = linear.undetermined()
    expected = np.zeros(17)
    expected[[4, 16]] = np.sqrt(0.5)
    assert unknowns == pytest.approx(expected, abs=1e-12)
    assert redundant == pytest.approx(expected, abs=1e-12)


def test_badly_scaled_matrices_are_regular():
    """Rows and columns may differ by any factor: units, or masses from 1e-6 to 1e6 kg."""
    assert solved(np.diag([1, 1e-20]), [1, 1e-20]) == pytest.approx([1, 1], rel=1e-15)
    assert solved(np.diag([1, 1e-200, 1e200]), [1, 1e-200, 1e200]) == pytest.approx([1, 1, 1], rel=1e-14)
    random = np.random.default_rng(2)
    for count in (5, 20):
        rows, columns = 10 ** random.uniform(-9, 9, (2, count))
        core = sparse(random, (count, count), 0.3) + 3 * np.eye(count)[random.permutation(count)]
        b = random.normal(size=count)
        expected = np.linalg.solve(core, b) / columns
        assert solved(rows[:, None] * core * columns, rows * b) == pytest.approx(expected, rel=1e-10)
    for _ in range(10):
        g, inverse = chain(random, 20, masses=10 ** random.uniform(-6, 6, 20))
        matrix = (g @ inverse @ g.T).toarray()
        diagonal = np.sqrt(np.diag(matrix))
        condition = np.linalg.cond(matrix / diagonal / diagonal[:, None])
        x = random.normal(size=40)
        if condition < 1e11:
            assert solved(matrix, matrix @ x) == pytest.approx(x, abs=1e-14 * condition)


def test_a_light_body_between_heavy_ones():
    """The common part of their joints is nearly undetermined, yet is found."""
    for light in (1e-3, 1e-6, 1e-9):
        matrix = np.array([[1 + 1 / light, -1 / light], [-1 / light, 1 + 1 / light]])
        assert solved(matrix, [1, 1]) == pytest.approx([1, 1], rel=1e-15 / light + 1e-9)


@pytest.mark.parametrize("ratio", [1e-4, 1e-9])
def test_a_chain_of_light_and_heavy_bodies(ratio):
    """Many of them are as good as one."""
    g, inverse = chain(np.random.default_rng(10), 1000, masses=np.where(np.arange(1000) % 2, 1, ratio))
    linear, values = of_sparse(g @ inverse @ g.T)
    assert linear.factorise(values) == 0
    assert linear.solve(g @ (inverse @ (g.T @ np.ones(2000)))) == pytest.approx(1, abs=1e-14 / ratio)


def near_singular(smallest, random):
    """A semidefinite matrix one of whose eigenvalues is given, and the direction."""
    q = np.linalg.qr(random.normal(size=(9, 9)))[0]
    return q @ np.diag([smallest, *np.linspace(1, 3, 8)]) @ q.T, q[:, 0]


@pytest.mark.parametrize("along", [0.0, 1.0], ids=["without a part along it", "with a part along it"])
def test_passing_a_singular_pose(along):
    """The smallest eigenvalue sinks to 1e-18 and rises again. The part of the solution along its direction goes and comes back in
    small steps, and the other part does not notice."""
    equations = Equations(np.ones((9, 9)))
    parts, shortfalls = [], []
    for exponent in [*np.arange(-6, -18, -0.01), *np.arange(-18, -6, 0.01)]:
        matrix, direction = near_singular(10**exponent, np.random.default_rng(3))
        x = np.ones(9) + (along - direction.sum()) * direction
        matrix = (matrix + matrix.T) / 2
        shortfalls.append(equations.factorise(matrix))
        solution = equations.linear.solve(matrix @ x)
        parts.append(direction @ solution)
        assert solution - parts[-1] * direction == pytest.approx(x - along * direction, abs=1e-9)
    parts = np.array(parts)
    assert np.abs(np.diff(parts)).max() < 0.1 * along + 1e-3
    half = len(parts) // 2
    assert parts[:250] == pytest.approx(along, abs=1e-5)
    assert parts[half - 400 : half + 400] == pytest.approx(0, abs=1e-8)
    assert [length for length, _ in itertools.groupby(shortfalls)] == [0, 1, 0]


def test_contradictions_near_a_singular_pose_stay_bounded():
    """The solution for an unreachable b grows with the inverse of the eigenvalue, but not beyond 1e11."""
    equations = Equations(np.ones((9, 9)))
    for exponent in np.arange(-6, -18, -0.1):
        matrix, direction = near_singular(10**exponent, np.random.default_rng(4))
        equations.factorise((matrix + matrix.T) / 2)
        solution = equations.linear.solve(direction)
        assert np.linalg.norm(solution) < min(2 * 10**-exponent, 3e11)
        if exponent < -13:
            assert np.linalg.norm(solution) < 1e-3


def test_two_directions_fade_on_their_own():
    """One redundancy is permanent while another comes and goes."""
    random = np.random.default_rng(5)
    g = random.normal(size=(6, 10))
    g[5] = g[4]
    for distance in (1e-1, 1e-2, 1e-3, 1e-4, 1e-7, 1e-9, 0):
        g[3] = g[:3].sum(axis=0) + distance * g[2, ::-1]
        matrix = g @ g.T
        b = matrix @ np.arange(6.0)
        equations = Equations(np.ones((6, 6)))
        assert equations.factorise(matrix) == (1 if distance > 1e-5 else 2)
        if distance < 1e-5:
            g[3] = g[:3].sum(axis=0)
        expected = np.linalg.pinv(g.T, rcond=1e-12) @ (g.T @ np.arange(6.0))
        assert equations.linear.solve(b) == pytest.approx(expected, abs=1e-8 + 1e-13 / max(distance, 1e-4) ** 2)


def test_values_that_are_not_finite():
    """... are refused; what comes next is not harmed."""
    equations = Equations(np.ones((2, 2)))
    matrix = np.array([[2.0, 1], [1, 2]])
    for wrong in (np.nan, np.inf, -np.inf):
        for place in itertools.product(range(2), repeat=2):
            for first in (True, False):
                if first:
                    equations = Equations(np.ones((2, 2)))
                spoilt = matrix.copy()
                spoilt[place] = wrong
                assert equations.factorise(spoilt) == -1
                assert np.isnan(equations.linear.solve([1, 1])).all()
                assert equations.factorise(matrix) == 0
                assert equations.linear.solve([3, 3]) == pytest.approx([1, 1])


def test_the_past_leaves_no_trace():
    """A factorisation gives the same as a new one: from full rank to less and back, and after the values have changed by orders of
    magnitude."""
    random = np.random.default_rng(6)
    g = sparse(random, (12, 15), 0.5)
    matrices = [g @ g.T, g[:, :7] @ g[:, :7].T, 1e12 * g @ g.T, 1e-12 * g @ g.T, 1e9 * g[:, :5] @ g[:, :5].T, g[:, :12], g[:, 3:], g @ g.T]
    past = Equations(np.ones((12, 12)))
    b = random.normal(size=12)
    for matrix in [*matrices, *reversed(matrices), matrices[0] * np.geomspace(1e-8, 1e8, 12)[:, None]]:
        new = Equations(np.ones((12, 12)))
        assert past.factorise(matrix) == new.factorise(matrix)
        expected = new.linear.solve(b)
        assert past.linear.solve(b) == pytest.approx(expected, rel=1e-7, abs=1e-9 * np.abs(expected).max())


@pytest.mark.parametrize("joints", [100, 3000])
def test_a_chain_has_no_fill(joints):
    """The factors of a chain hold as many numbers as its matrix."""
    g, inverse = chain(np.random.default_rng(7), joints)
    matrix = (g @ inverse @ g.T).tocsc()
    linear, values = of_sparse(matrix)
    assert linear.factorise(values) == 0
    assert linear.stored == matrix.nnz
    b = np.ones(2 * joints)
    assert linear.solve(b) == pytest.approx(spsolve(matrix, b), rel=1e-8)


def test_a_chain_with_many_redundant_joints():
    """A hundred loops that each lack a rank cost no fill; what they have in common with none is found as if there were none."""
    random = np.random.default_rng(8)
    g, inverse = chain(random, 1000)
    twins = np.arange(0, 2000, 20)
    g = vstack([g, g[twins]]).tocsr()
    matrix = csr_array(g @ inverse @ g.T)
    linear, values = of_sparse(matrix)
    assert linear.factorise(values) == len(twins)
    assert linear.stored < 1.1 * matrix.nnz
    x = random.normal(size=2100)
    solution = linear.solve(matrix @ x)
    x[twins] = x[2000:] = (x[twins] + x[2000:]) / 2
    assert solution == pytest.approx(x, abs=1e-8)
    unknowns, redundant = linear.undetermined()
    assert set(np.flatnonzero(unknowns > 0.3)) == set(np.flatnonzero(redundant > 0.3)) == {*twins, *range(2000, 2100)}


def test_the_order_of_elimination():
    """A permutation, of unsymmetric patterns too, that eliminates a star's centre last."""
    random = np.random.default_rng(9)
    pattern = csr_array(sparse(random, (30, 30), 0.1))
    assert sorted(elimination_order(pattern.indptr, pattern.indices)) == list(range(30))
    star = np.eye(12)
    star[4] = star[:, 4] = 1
    star = csr_array(star)
    assert elimination_order(star.indptr, star.indices)[-1] == 4 or elimination_order(star.indptr, star.indices)[-2] == 4
    equations = Equations(star.toarray())
    assert equations.factorise(star.toarray() + 12 * np.eye(12)) == 0
    assert equations.linear.stored == star.nnz


def test_shapes_that_do_not_fit():
    linear = Linear([0, 1, 2], [0, 1], [0, 1])
    with pytest.raises(ValueError, match="values of shape \\(3,\\) for a pattern of 2 entries"):
        linear.factorise([1, 2, 3])
    with pytest.raises(ValueError, match="a right side of shape \\(3,\\) for 2 equations"):
        linear.solve([1, 2, 3])
    with pytest.raises(ValueError, match="2 row starts do not fit 2 unknowns and 2 entries"):
        Linear([0, 2], [0, 1], [0, 1])


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
@pytest.mark.parametrize("size", [0.3, 1.0, 2.0])
def test_symmetric_equations_with_a_zero_on_the_diagonal(size, order):
    """The acceleration of a massless shaft and the coupling that holds it give such equations: symmetric, but not semidefinite."""
    linear = Linear([0, 1, 3], [1, 0, 1], order)
    assert linear.factorise([-1.0, -1.0, size]) == 0
    np.testing.assert_allclose(linear.solve([0.0, 10.0]), [-10.0, 0.0], atol=1e-13)
