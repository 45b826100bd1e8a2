"""Derivatives along a chain of equations: what its links, the slopes of equations by their own symbols, make of each other."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence

import numpy as np

_CANCELLED = 1e-11
"""The size of a sum, in parts of that of its terms, below which it is rounding."""


def marked(rows: Sequence[tuple[int, Mapping[int, int]]], knowns: Collection[int]) -> dict[int, dict[int, int]]:
    """Returns by unknown and known the union of the marks, as sets of bits, of all links between them; ``rows`` are in the order of computation."""
    found: dict[int, dict[int, int]] = {}
    for unknown, links in rows:
        row = found[unknown] = {}
        for inner, mark in links.items():
            for known, inside in ({inner: 0} if inner in knowns else found[inner]).items():
                row[known] = row.get(known, 0) | mark | inside
    return found


def cancelled(rows: Sequence[tuple[int, Mapping[int, float]]], knowns: Sequence[int]) -> set[tuple[int, int]]:
    """Returns the unknowns and knowns that links connect but whose derivative is 0, since its terms cancel."""
    values = dict(zip(knowns, np.eye(len(knowns)), strict=True))
    sizes = dict(values)
    found = set()
    with np.errstate(invalid="ignore", over="ignore"):
        for unknown, links in rows:
            values[unknown], sizes[unknown] = np.zeros((2, len(knowns)))
            for inner, slope in links.items():
                values[unknown] += slope * values[inner]
                sizes[unknown] += abs(slope) * sizes[inner]
            columns = np.flatnonzero((np.abs(values[unknown]) <= _CANCELLED * sizes[unknown]) & (sizes[unknown] > 0))
            found |= {(unknown, knowns[int(column)]) for column in columns}
    return found
