"""Text files of Nastran's OUTPUT4: integers of 8 characters, and values in the format that the header names."""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from fmu_components.flexible.formats.op4_columns import Columns, columns_of, string_of
from fmu_components.flexible.formats.real import real
from fmu_components.flexible.given import MeshError

_FORMAT = re.compile(r"(\d+)[ED](\d+)\.\d+", re.IGNORECASE)
_USUAL = 5, 16
"""Values in a line and characters of a value, where the header names no format."""


class _Lines:
    """Lines of a file, with the number of the present one."""

    def __init__(self, path: Path, lines: Iterator[str]) -> None:
        self.path, self.lines, self.number = path, lines, 0

    def damage(self, problem: str) -> MeshError:
        return MeshError(f"'{self.path}' is damaged in line {self.number}: {problem}; export it again")

    def next(self) -> str:
        """Returns the next line, which has to be there."""
        line = next(self.lines, None)
        if line is None:
            raise self.damage("the file ends inside a matrix")
        self.number += 1
        return line.rstrip("\r\n")

    def integers(self, line: str, count: int) -> list[int]:
        """Returns the integers of 8 characters at the start of a ``line``."""
        fields = [line[8 * i : 8 * i + 8] for i in range(count)]
        try:
            return [int(each) for each in fields]
        except ValueError:
            raise self.damage(f"'{line[:40].strip()}' does not begin with {count} whole numbers of 8 characters each") from None

    def values(self, count: int, layout: tuple[int, int]) -> NDArray[np.float64]:
        """Returns the values of the next lines."""
        in_line, width = layout
        found: list[float] = []
        while len(found) < count:
            line = self.next()
            for i in range(min(in_line, count - len(found))):
                text = line[i * width : (i + 1) * width]
                value = real(text)
                if value is None:
                    raise self.damage(f"'{text.strip()}' is no number")
                found.append(value)
        return np.array(found)


def read_text(path: Path) -> Iterator[Columns]:
    """Returns the matrices of a text file."""
    with path.open(encoding="latin-1") as file:
        lines = _Lines(path, iter(file))
        for header in file:
            lines.number += 1
            if not header.strip():
                continue
            columns, rows, form, kind = lines.integers(header, 4)
            matrix = columns_of((columns, rows, form, kind), header[32:40].strip(), lines.damage)
            named = _FORMAT.search(header[40:])
            layout = (int(named[1]), int(named[2])) if named else _USUAL
            if not (1 <= layout[0] <= 80 and 1 <= layout[1] <= 80):
                raise lines.damage(f"'{header[40:].strip()}' is no format of values")
            while _column(matrix, lines, layout) <= matrix.columns:
                pass
            yield matrix


def _column(matrix: Columns, lines: _Lines, layout: tuple[int, int]) -> int:
    """Adds the entries of one column, and returns its number."""
    column, row, words = lines.integers(lines.next(), 3)
    if column < 1 or words < 1:
        raise lines.damage(f"column {column} announces {words} words")
    if column > matrix.columns:
        lines.next()
    elif row:
        matrix.add(column, row, lines.values(_bounded(matrix, words), layout))
    else:
        while words > 0:
            line = lines.next()
            if matrix.big:
                length, row = lines.integers(line, 2)
                length -= 1
            else:
                length, row = string_of(*_whole(line, lines))
            if length < 1 or length % matrix.words:
                raise lines.damage(f"a string of column {column} announces {length} words")
            matrix.add(column, row, lines.values(_bounded(matrix, length // matrix.words), layout))
            words -= length + (2 if matrix.big else 1)
        if words:
            raise lines.damage(f"the strings of column {column} do not have the words that it announces")
    return column


def _whole(line: str, lines: _Lines) -> list[int]:
    if not line.strip().isdecimal():
        raise lines.damage(f"'{line[:40].strip()}' is no whole number")
    return [int(line)]


def _bounded(matrix: Columns, count: int) -> int:
    if count > matrix.rows:
        raise matrix.damage(f"{count} values are more than the {matrix.rows} rows of the matrix '{matrix.name}'")
    return count
