"""Strongly connected parts against SciPy's, in the same order."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import lil_array
from scipy.sparse.csgraph import connected_components

from coupling.plan.strong import strong_parts


@given(st.integers(1, 12).flatmap(lambda n: st.lists(st.sets(st.integers(0, n - 1), max_size=4).map(sorted), min_size=n, max_size=n)))
def test_parts_are_those_of_scipy(after: list[list[int]]) -> None:
    matrix = lil_array((len(after), len(after)))
    for node, followers in enumerate(after):
        matrix[node, followers] = 1
    count, labels = connected_components(matrix.tocsr(), connection="strong")
    assert strong_parts(after) == [[node for node, label in enumerate(labels) if label == part] for part in range(count)]


def test_a_long_chain_needs_neither_depth_nor_time() -> None:
    """Each part of it is one node, the last one first; closed, it is one part."""
    chain = [[i + 1] for i in range(10**4)] + [[]]
    assert strong_parts(chain) == [[i] for i in range(10**4, -1, -1)]
    chain[-1] = [0]
    assert strong_parts(chain) == [list(range(10**4 + 1))]
