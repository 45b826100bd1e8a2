"""Binary files of Nastran's OUTPUT4: records of Fortran in either order of bytes, with words of 4 or 8 bytes."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

from fmu_components.flexible.formats.op4_columns import Columns, columns_of, string_of
from fmu_components.flexible.given import MeshError

_HEADERS = {24: 4, 48: 8}
"""Bytes of a word, by those of the first record."""


def order_of(start: bytes) -> str | None:
    """Returns the order of the bytes, ``<`` or ``>``, of a file that begins with ``start``; None where it is no binary file."""
    return next((order for order in "<>" if len(start) >= 4 and int(np.frombuffer(start[:4], f"{order}i4")[0]) in _HEADERS), None)


class _Records:
    """Records of a file, each of which its length encloses."""

    def __init__(self, path: Path, file: BinaryIO, order: str) -> None:
        self.path, self.file, self.order = path, file, order
        self.size = path.stat().st_size
        self.start = 0
        """The byte at which the present record begins."""

    def damage(self, problem: str) -> MeshError:
        return MeshError(f"'{self.path}' is damaged at byte {self.start}: {problem}; export it again")

    def __iter__(self) -> Iterator[bytes]:
        while (at := self.file.tell()) < self.size:
            self.start = at
            length = self._length()
            if not 0 <= length <= self.size - at - 8:
                raise self.damage(f"a record of {length} bytes does not fit into the file of {self.size} bytes")
            record = self.file.read(length)
            if self._length() != length:
                raise self.damage(f"a record of {length} bytes ends with another length")
            yield record

    def _length(self) -> int:
        marker = self.file.read(4)
        if len(marker) < 4:
            raise self.damage("the file ends inside a record")
        return int(np.frombuffer(marker, f"{self.order}i4")[0])


def read_binary(path: Path, order: str) -> Iterator[Columns]:
    """Returns the matrices of a binary file."""
    with path.open("rb") as file:
        source = _Records(path, file, order)
        records = iter(source)
        for header in records:
            if len(header) not in _HEADERS:
                raise source.damage(f"a header of {len(header)} bytes is none of a matrix")
            word = _HEADERS[len(header)]
            numbers = np.frombuffer(header[: 4 * word], f"{order}i{word}").tolist()
            matrix = columns_of(numbers, header[4 * word :].decode("latin-1"), source.damage)
            if word == 8:
                matrix.words = 1
            for record in records:
                if _column(matrix, record, f"{order}i{word}", f"{order}f{word * matrix.words}") > matrix.columns:
                    break
            else:
                raise source.damage(f"the file ends inside the matrix '{matrix.name}'")
            yield matrix


def _column(matrix: Columns, record: bytes, integer: str, real: str) -> int:
    """Adds the entries of one record, and returns its column."""
    word = np.dtype(integer).itemsize
    count = len(record) // word
    if count < 3 or len(record) % word:
        raise matrix.damage(f"a column of {len(record)} bytes is too short")
    column, row, words = np.frombuffer(record[: 3 * word], integer).tolist()
    if column < 1 or words != count - 3:
        raise matrix.damage(f"column {column} announces {words} words and has {count - 3}")
    if column > matrix.columns:
        return int(column)

    def values(first: int, length: int) -> NDArray[np.float64]:
        if not 0 < length <= count - first or length % matrix.words:
            raise matrix.damage(f"a string of column {column} announces {length} words, but {count - first} are left")
        return np.frombuffer(record[first * word : (first + length) * word], real).astype(float)

    if row:
        matrix.add(column, row, values(3, words))
        return int(column)
    at, heads = 3, 2 if matrix.big else 1
    while at < count:
        head = np.frombuffer(record[at * word : (at + heads) * word], integer).tolist()
        if len(head) < heads:
            raise matrix.damage(f"column {column} ends inside a string")
        length, row = (head[0] - 1, head[1]) if matrix.big else string_of(head[0])
        matrix.add(column, row, values(at + heads, length))
        at += heads + length
    return int(column)
