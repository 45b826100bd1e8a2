"""The numbers of tables as users give them: files of separated values, lists and arrays."""

from __future__ import annotations

import codecs
import math
import os
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from fmu_components.declare.declaration import DeclarationError
from fmu_components.declare.tables import KINDS

BEYOND = ("held", "warned")
"""The choices for arguments beyond a table: the value of its end is held, without a word or with a warning."""
MOST = 20_000
"""Largest number of numbers of one table; FMI 2 has a variable for each."""
_SAME = 1e-12
"""Difference of both ends of a periodic table that counts as rounding, by the largest value."""
_HOW = "give two columns of a file, [x, y], or an array with two columns"
_HOW_2D = "give [x, y, z] with a row of z for each x, or a grid with y in its first row and x in its first column"


@dataclass(frozen=True)
class TableData:
    """The numbers of a table, and how it is read."""

    nodes: tuple[tuple[float, ...], ...]
    """Nodes of each argument."""
    values: tuple[float, ...]
    """Values, row by row."""
    kind: str = "linear"
    beyond: str = "held"
    lines: tuple[int, ...] = ()
    """Lines of a file in which the nodes of the first argument stand."""

    @property
    def periodic(self) -> bool:
        """Says whether the table is repeated."""
        return self.kind.startswith("periodic")

    def check(self, where: str, stepped: bool, at_least: float, least: float) -> None:
        """Refuses tables that are no function, or begin below ``at_least``, or have values below ``least``.

        ``stepped`` ones may have two equal nodes, which are a step.
        """
        for number in (*self.values, *(each for nodes in self.nodes for each in nodes)):
            if not math.isfinite(number):
                raise DeclarationError(f"{where} contains {number}; give finite numbers only")
        for axis, nodes in zip("xy", self.nodes, strict=False):
            if len(nodes) < 2:
                raise DeclarationError(f"{where} has {len(nodes)} value{'s' * (len(nodes) != 1)} of {axis}; give at least 2")
            for place, (before, after) in enumerate(pairwise(nodes), 2):
                if not (after >= before if stepped else after > before):
                    line = f" in line {self.lines[place - 1]}" if axis == "x" and self.lines else ""
                    raise DeclarationError(
                        f"{where} does not increase: {axis}[{place}] = {after:g}{line} follows {before:g}; sort it, and remove repetitions"
                    )
        if self.nodes[0][0] < at_least:
            raise DeclarationError(f"{where} begins at x[1] = {self.nodes[0][0]:g}, but must be at least {at_least:g}; shift it")
        if min(self.values) < least:
            raise DeclarationError(f"{where} has the value {min(self.values):g}, but must be at least {least:g}; correct it")
        count = sum(map(len, self.nodes)) + len(self.values)
        if count > MOST:
            raise DeclarationError(f"{where} has {count} numbers; give at most {MOST}, with more of them where it bends")
        _check_word(where, "kind", self.kind, KINDS[:1] if stepped else KINDS if len(self.nodes) == 1 else KINDS[:2])
        if self.periodic and self.values[0] != self.values[-1]:
            raise DeclarationError(
                f"{where} is periodic, but begins with {self.values[0]:g} and ends with {self.values[-1]:g}; repeat the first value at the end"
            )
        _check_word(where, "beyond", self.beyond, BEYOND[:1] if stepped else BEYOND)


def _check_word(where: str, what: str, word: object, choices: tuple[str, ...]) -> None:
    if word not in choices:
        raise DeclarationError(f"{where} has {what} = {str(word)[:40]!r}; give {' or '.join(map(repr, choices))}")


@dataclass(frozen=True)
class Given:
    """A table as it was given, read but not yet understood: rows of cells, or the parts of an array."""

    rows: tuple[tuple[Any, ...], ...]
    lines: tuple[int, ...] = ()
    """Lines of the rows in a file."""
    options: tuple[tuple[str, str], ...] = ()


def given_table(where: str, given: Any) -> Given:
    """Returns what a user gives for a table: the path of a file, rows of numbers, or ``{"points": ..., "kind": ..., "beyond": ...}``."""
    if isinstance(given, Mapping):
        unknown = next((str(key) for key in given if key not in ("points", "kind", "beyond")), None)
        if unknown is not None or "points" not in given:
            raise DeclarationError(f"{where} is given with {unknown or 'no points'!r}; give 'points', and if needed 'kind' and 'beyond'")
        inner = given_table(where, given["points"])
        return Given(inner.rows, inner.lines, tuple((key, str(given[key])) for key in ("kind", "beyond") if key in given))
    if isinstance(given, str | os.PathLike):
        return _read_file(where, Path(given))
    return Given(_tuples(where, given))


def _tuples(where: str, given: Any) -> Any:
    if hasattr(given, "tolist"):
        given = (given.T if given.shape == (2, 2) else given).tolist()  # columns, as in a file, also of two points
    if not isinstance(given, Sequence) or isinstance(given, str):
        raise DeclarationError(f"{where} is given as {str(given)[:40]!r}; give the path of a file, or lists of numbers")
    return tuple(_tuples(where, each) if hasattr(each, "__len__") and not isinstance(each, str) else each for each in given)


def _read_file(where: str, path: Path) -> Given:
    try:
        text = _decoded(path.read_bytes())
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is no text"
        raise DeclarationError(f"{where}: the file '{path}' cannot be read: {reason}; give a text file of numbers in columns") from None
    numbered = [(number, line.strip()) for number, line in enumerate(text.splitlines(), 1) if line.strip()]
    return Given(tuple(_cells(line) for _, line in numbered), tuple(number for number, _ in numbered))


def _decoded(content: bytes) -> str:
    """Returns the text of a file: UTF-8, UTF-16 with its mark, or the Latin letters of older spreadsheets, whose heads alone need them."""
    if content.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)):
        return content.decode("utf-16")
    try:
        return content.decode("utf-8-sig")
    except UnicodeDecodeError:  # an older encoding, or no text at all
        if b"\0" in content:
            raise
        return content.decode("latin-1")


def _cells(line: str) -> tuple[str, ...]:
    """Returns the cells of a line: semicolons separate before commas, which are then decimal ones, and commas before blanks.

    Tabs also separate before commas between digits.
    """
    line = line.replace("\u2212", "-").replace('"', "")
    between = ";" if ";" in line else "\t" if "\t" in line and re.search(r"\d,\d", line) else ""
    if between:
        return tuple(cell.strip().replace(",", ".") for cell in line.split(between))
    return tuple(cell.strip() for cell in line.split(",")) if "," in line else tuple(line.split())


def _is_head(row: tuple[Any, ...]) -> bool:
    """Says whether a row of a file names or describes columns: where two columns are given, neither begins like a number."""
    begins = [_is_number(cell) or bool(re.match(r"[-+]?\.?\d", cell)) for cell in row]
    return not begins[0] and (len(row) != 2 or not begins[1])


def table_data(where: str, given: Given, arguments: int, **usual: str) -> TableData:
    """Returns the numbers of a table with one or two ``arguments``. What has another form raises DeclarationError."""
    how = usual | dict(given.options)
    nodes, values, lines = (_curve if arguments == 1 else _surface)(where, given)
    if how["kind"].startswith("periodic") and values and abs(values[-1] - values[0]) <= _SAME * max(map(abs, values)):
        values = (*values[:-1], values[0])
    return TableData(nodes, values, how["kind"], how["beyond"], lines)


_Numbers = tuple[tuple[tuple[float, ...], ...], tuple[float, ...], tuple[int, ...]]


def _curve(where: str, given: Given) -> _Numbers:
    rows, lines = given.rows, given.lines
    while lines and _is_head(rows[0]):  # names of the columns, and their units
        rows, lines = rows[1:], lines[1:]
    if not lines and len(rows) == 2 and all(isinstance(row, tuple) for row in rows) and len(rows[0]) == len(rows[1]):
        x, y = (_numbers(where, row) for row in rows)
        return (x,), y, ()
    pairs = [_row(where, row, 2, _HOW, lines[place] if lines else 0) for place, row in enumerate(rows)]
    return (tuple(x for x, _ in pairs),), tuple(y for _, y in pairs), lines


def _surface(where: str, given: Given) -> _Numbers:
    rows, lines = given.rows, given.lines
    if not lines and len(rows) == 3 and rows[2] and all(isinstance(row, tuple) for row in (*rows, *rows[2])):
        x, y = (_numbers(where, row) for row in rows[:2])
        z = [_row(where, row, len(y), _HOW_2D, 0) for row in rows[2]]
        if len(z) != len(x):
            raise DeclarationError(f"{where} has {len(x)} values of x and {len(z)} rows of z; {_HOW_2D}")
        return (x, y), tuple(number for row in z for number in row), ()
    if not rows or not isinstance(rows[0], tuple):
        raise DeclarationError(f"{where} is no grid; {_HOW_2D}")
    head = rows[0] if not lines or not rows[1:] or len(rows[0]) == len(rows[1]) else ("", *rows[0])
    y = _row(where, head[1:], len(head) - 1, _HOW_2D, lines[0] if lines else 0)
    grid = [_row(where, row, len(head), _HOW_2D, lines[place] if lines else 0) for place, row in enumerate(rows[1:], 1)]
    return (tuple(x for x, *_ in grid), y), tuple(number for _, *row in grid for number in row), lines[1:]


def _row(where: str, row: Any, count: int, how: str, line: int) -> tuple[float, ...]:
    at = f" in line {line}" if line else ""
    if not isinstance(row, tuple) or len(row) != count:
        cells = len(row) if isinstance(row, tuple) else 1
        raise DeclarationError(f"{where} has {cells} number{'s' * (cells != 1)}{at} where {count} belong; {how}")
    return _numbers(where, row, at)


def _numbers(where: str, cells: Iterable[Any], at: str = "") -> tuple[float, ...]:
    wrong = next((cell for cell in cells if not _is_number(cell)), None)
    if wrong is not None:
        raise DeclarationError(f"{where} contains {str(wrong)[:40]!r}{at}, which is no number; write numbers such as 0.25 or 1e-3")
    return tuple(map(float, cells))


def _is_number(cell: Any) -> bool:
    if isinstance(cell, bool | complex) or cell is None or (isinstance(cell, str) and "_" in cell):
        return False
    try:
        float(cell)
    except (TypeError, ValueError):  # text, or an object of another kind
        return False
    return True
