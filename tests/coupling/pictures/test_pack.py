"""Columns of numbers as text."""

from __future__ import annotations

import numpy as np

from coupling.pictures.pack import pack, unpack


def test_what_is_unpacked_is_within_a_millionth_of_the_range() -> None:
    """The columns are smooth, steps, a constant, and noise; values that are not finite become 0."""
    t = np.linspace(0, 10, 997)
    columns = [t, 1e9 + np.sin(t), np.where(t > 5, 1.0, -1e-12), np.full(997, 3.5), np.random.default_rng(1).normal(size=997)]
    found = unpack(*pack(columns), 997)
    for column, again in zip(columns, found, strict=True):
        assert np.abs(column - again).max() <= 0.51e-6 * np.ptp(column) + 1e-16 * np.abs(column).max()
    (odd,) = unpack(*pack([np.array([1.0, np.nan, 2.0, np.inf])]), 4)
    assert np.abs(odd - [1, 0, 2, 0]).max() < 2e-6


def test_one_row() -> None:
    """A result of a single time is a page as well."""
    (found,) = unpack(*pack([np.array([4.25])]), 1)
    assert found.tolist() == [4.25]
