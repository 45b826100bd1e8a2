"""The sequence of elimination keeps factors as sparse as SciPy's does."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.sparse import csc_array, csr_array, diags_array, eye_array, kron
from scipy.sparse import random as random_array
from scipy.sparse.linalg import splu

from coupling.kernel.linear.linear import elimination_order


def line(n: int) -> csr_array:
    return csr_array(diags_array([np.ones(n - 1), np.ones(n), np.ones(n - 1)], offsets=[-1, 0, 1]))


def scattered(n: int, share: float) -> csr_array:
    return csr_array(random_array(n, n, share, random_state=np.random.default_rng(n), format="csr") + eye_array(n))


def entries(pattern: csr_array, order: np.ndarray) -> int:
    """Returns the number of entries in the factors of the pattern and its mirror image together."""
    there = ((abs(pattern) + abs(pattern.T)).toarray() != 0)[np.ix_(order, order)]
    count = 0
    for k in range(len(order)):
        below = np.flatnonzero(there[k + 1 :, k]) + k + 1
        there[np.ix_(below, below)] = True
        count += 2 * len(below) + 1
    return count


def by_superlu(pattern: csr_array) -> np.ndarray:
    n = pattern.shape[0]
    dominant = csc_array(abs(pattern) + abs(pattern.T) + diags_array(np.full(n, 4.0 * n)))
    factors = splu(dominant, permc_spec="MMD_AT_PLUS_A", diag_pivot_thresh=0.0, options={"SymmetricMode": True})
    return np.argsort(factors.perm_c)


PATTERNS = {
    "nothing": csr_array((0, 0)),
    "one": csr_array(np.ones((1, 1))),
    "no entries": csr_array((3, 3)),
    "dense": csr_array(np.ones((40, 40))),
    "chain": csr_array(kron(line(100), np.ones((3, 3)))),
    "grid": csr_array(kron(line(20), eye_array(20)) + kron(eye_array(20), line(20))),
    "scattered": scattered(200, 0.02),
    "very scattered": scattered(300, 0.004),
    "arrow": csr_array(eye_array(50) + csr_array((np.ones(50), (np.arange(50), np.zeros(50, int))), shape=(50, 50))),
}


@pytest.mark.parametrize("name", PATTERNS)
def test_factors_are_as_sparse_as_those_of_superlu(name: str) -> None:
    """Each unknown comes once, and there are at most 6 % more entries than with SuperLU's multiple minimum degree."""
    pattern = PATTERNS[name]
    order = elimination_order(pattern.indptr, pattern.indices)
    assert sorted(order) == list(range(pattern.shape[0]))
    if pattern.shape[0] > 1:
        assert entries(pattern, order) <= 1.06 * entries(pattern, by_superlu(pattern))


def height(pattern: csr_array, order: np.ndarray) -> int:
    """Returns the height of the elimination tree: an unknown's parent is the first later one that its elimination leaves beside it."""
    there = ((abs(pattern) + abs(pattern.T)).toarray() != 0)[np.ix_(order, order)]
    heights = np.ones(len(order), dtype=int)
    for k in range(len(order)):
        below = np.flatnonzero(there[k + 1 :, k]) + k + 1
        there[np.ix_(below, below)] = True
        if len(below):
            heights[below[0]] = max(heights[below[0]], heights[k] + 1)
    return int(heights.max(initial=0))


def test_a_chain_is_eliminated_from_both_ends() -> None:
    pattern = PATTERNS["chain"]
    assert height(pattern, elimination_order(pattern.indptr, pattern.indices)) <= pattern.shape[0] / 2 + 3
    assert height(pattern, np.arange(pattern.shape[0])) == pattern.shape[0]
