"""Matrices of Nastran's OUTPUT4, as their files hold them: strings of successive entries, column by column."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray
from scipy import sparse

Damage = Callable[[str], Exception]
"""Makes the error for a problem at the present place of a file."""

_BIG = 1 << 16
"""Number of rows from which a sparse matrix has strings with two words for length and row."""


@dataclass
class Columns:
    """A matrix that is being read. Its memory is that of the entries read, whatever size its header announces."""

    name: str
    columns: int
    rows: int
    big: bool
    words: int
    """Words of a value: 1 for single precision, 2 for double precision."""
    damage: Damage
    strings: list[tuple[int, int, NDArray[np.float64]]] = field(default_factory=list)
    _last: tuple[int, int] = (0, 0)

    def add(self, column: int, row: int, values: NDArray[np.float64]) -> None:
        """Adds successive entries from a ``row`` of a ``column``, both counted from 1. Columns and rows have to increase."""
        end = row + len(values) - 1
        if not 1 <= row <= end <= self.rows:
            raise self.damage(f"the rows {row} to {end} are not in the matrix '{self.name}' of {self.rows} rows")
        if (column, row) <= self._last:
            raise self.damage(f"column {column}, row {row} of '{self.name}' follows column {self._last[0]}, row {self._last[1]}")
        self._last = column, end
        self.strings.append((column - 1, row - 1, values))

    def matrix(self) -> Any:
        """Returns the sparse matrix of the entries that are not 0."""
        lengths = [len(values) for _, _, values in self.strings]
        at = np.repeat([column for column, _, _ in self.strings], lengths).astype(np.int64)
        rows = [np.arange(row, row + len(values)) for _, row, values in self.strings]
        if not rows:
            return sparse.coo_array((self.rows, self.columns))
        entries = np.concatenate([values for _, _, values in self.strings])
        kept = entries != 0
        return sparse.coo_array((entries[kept], (np.concatenate(rows)[kept], at[kept])), shape=(self.rows, self.columns))


def columns_of(numbers: tuple[int, int, int, int], name: str, damage: Damage) -> Columns:
    """Returns the empty matrix of a header: its columns, rows, form and type. A complex or senseless one raises the error of ``damage``."""
    columns, rows, _, kind = numbers
    name = name.strip(" \0")
    if kind in (3, 4):
        raise damage(f"the matrix '{name}' is complex, but only real ones are read")
    if kind not in (1, 2) or columns < 1 or rows == 0 or not name.isprintable() or not name:
        raise damage(f"{columns} columns, {rows} rows and type {kind} are no header of a matrix")
    return Columns(name, columns, abs(rows), rows < 0 or rows >= _BIG, kind, damage)


def string_of(word: int) -> tuple[int, int]:
    """Returns the words of values and the row of a string whose length and row are in one word."""
    return (word >> 16) - 1, word & (_BIG - 1)
