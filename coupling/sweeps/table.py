"""Table of a sweep: a row for each point, in the order of the points."""

from __future__ import annotations

import csv
import os
import textwrap
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from coupling.errors import listed, shown
from coupling.files import written
from coupling.markup import Markup, framed, table, titled
from coupling.outcome import Ending, Outcome
from coupling.result import Result
from coupling.sweeps.points import Point
from coupling.sweeps.task import MEASURABLE, TOLD, Row, Task
from coupling.system import System

if TYPE_CHECKING:
    import pandas

_WIDTH, _ROWS = 80, 16
"""Columns of a screen, and the most runs on it."""
_NOT_RUN = Outcome(Ending.INTERRUPTED, "it was not run, or not to its end")


class SweepTable:
    """Rows by number, columns by name: ``table[3]``, ``table["end"]``, ``table["rod.m"]``.

    Row i belongs to point i, for every executor; methods take this ``number``, and raise IndexError if it has no run. ``outcomes`` has the outcome of each run. Measures of a
    failed run are NaN. ``outcome`` is that of the sweep itself.
    """

    def __init__(self, task: Task) -> None:
        self._task = task
        self.names = list(task.names)
        """Names of the quantities that differ from point to point."""
        self.outcomes: list[Outcome] = []
        self.outcome = Outcome(Ending.COMPLETED, "")
        self._points: list[Point] = []
        self._seconds = np.zeros(0)
        self._measures: dict[str, np.ndarray] = {}
        self._kept: dict[int, Mapping[str, np.ndarray]] = {}
        self._told: dict[object, Outcome] = {}

    # -- filling -------------------------------------------------------------------------------------------------------------------

    def expect(self, point: Point) -> tuple[int, Point]:
        """Adds a new row, which is missing until it comes. Returns its number and its point."""
        self._points.append(point)
        self.outcomes.append(_NOT_RUN)
        return len(self._points) - 1, point

    def put(self, row: Row) -> None:
        """Adds a finished ``row``. The sweep calls it."""
        self.outcomes[row.number] = self._told.setdefault(row.outcome.key, row.outcome)
        self._seconds = _set(self._seconds, row.number, row.seconds)
        for name, value in row.measures.items():
            self._measures[name] = _set(self._measures.get(name, np.zeros(0)), row.number, value)
        if row.kept:
            self._kept[row.number] = row.kept

    # -- reading -------------------------------------------------------------------------------------------------------------------

    def __len__(self) -> int:
        return len(self._points)

    @property
    def parameters(self) -> dict[str, np.ndarray]:
        """Values that differed from point to point, by name."""
        return {name: _column([point[i] for point in self._points]) for i, name in enumerate(self.names)}

    @property
    def measures(self) -> dict[str, np.ndarray]:
        """Measures by name, in the order in which they were given."""
        asked = [name for name, _ in self._task.measures]
        names = sorted(self._measures, key=lambda name: asked.index(name) if name in asked else len(asked))
        return {name: _up_to(self._measures[name], len(self)) for name in names}

    @property
    def seconds(self) -> np.ndarray:
        """Duration of each run in s."""
        return _up_to(self._seconds, len(self))

    @property
    def written(self) -> bool:
        """True if each run has a file."""
        return self._task.folder is not None

    @property
    def failed(self) -> list[int]:
        """Runs that were made, and did not end as they should."""
        return [i for i, each in enumerate(self.outcomes) if each.ending not in MEASURABLE and each is not _NOT_RUN]

    @property
    def missing(self) -> list[int]:
        """Runs that were not made, since the sweep was stopped."""
        return [i for i, each in enumerate(self.outcomes) if each is _NOT_RUN]

    def told(self, number: int) -> str:
        """Returns a run's number and values as text."""
        return self._task.told(number, self._points[number])

    def kept(self, number: int) -> Mapping[str, np.ndarray]:
        """Returns the time (s) and the variables of ``keep`` of one run as arrays by name; empty if it failed."""
        return self._kept.get(self._checked(number), {})

    def __getitem__(self, which: int | str) -> Any:
        if isinstance(which, str):
            columns = self._columns()
            if which not in columns:
                raise KeyError(f"there is no column {shown(which)}; there are {listed(columns)}")
            return columns[which]
        number = self._checked(which)
        return {name: values[number] for name, values in self._columns().items()}

    def __iter__(self) -> Iterator[dict[str, Any]]:
        columns = self._columns()
        for number in range(len(self)):
            yield {name: values[number] for name, values in columns.items()}

    def __repr__(self) -> str:
        counts = f"{len(self)} runs" + "".join(
            f", {len(each)} {what}" for what, each in (("failed", self.failed), ("missing", self.missing)) if each
        )
        return f"SweepTable({self._task.definition.name!r}: {counts}; {self.outcome.sentence})"

    def __str__(self) -> str:
        """Returns the first runs with parameters, measures and endings as text for a screen of 80 columns and 24 lines."""
        columns: dict[str, Any] = {"run": [str(i) for i in range(len(self))], **self.parameters, **self.measures}
        if self.failed or self.missing:
            columns["ending"] = ["" if each is _NOT_RUN else each.ending.value for each in self.outcomes]
        rows, lines, left = min(len(self), _ROWS), [""] * (1 + min(len(self), _ROWS)), []
        for name, values in columns.items():
            cells = [name, *(_shown(value) for value in values[:rows])]
            width = max(map(len, cells)) + 2
            if len(lines[0]) + width > _WIDTH:
                left.append(name)
            else:
                lines = [f"{line}{cell:>{width}}" for line, cell in zip(lines, cells, strict=True)]
        if len(self) > rows:
            lines.append(f"  and {len(self) - rows} more runs: table[{rows}], table.to_dataframe(), table.to_csv('sweep.csv')")
        more = [f"further columns: {listed(left, 4)}"] if left else []
        return "\n".join([*textwrap.wrap(repr(self), _WIDTH)[:3], *lines, *more])

    def _repr_html_(self) -> str:
        """Shows the first rows in notebooks."""
        columns = self._columns()
        rows = ((str(i), *(_shown(each[i]) for each in columns.values())) for i in range(len(self)))
        return framed(
            titled(f"sweep of {self._task.definition.name}", f"{len(self)} runs, {len(self.failed)} failed"),
            Markup(self.outcome._repr_html_()),
            table(("run", *columns), rows, len(self)),
        )

    def _columns(self) -> dict[str, Any]:
        told = ([each.ending.name for each in self.outcomes], [each.sentence for each in self.outcomes], self.seconds)
        return {**self.parameters, **self.measures, **dict(zip(TOLD, told, strict=True))}

    def _checked(self, number: Any) -> int:
        if isinstance(number, bool) or not isinstance(number, int | np.integer) or not -len(self) <= number < len(self):
            raise IndexError(f"there is no run {shown(number)}; the table has {len(self)}, from 0 on")
        return int(number) % len(self)

    def to_dataframe(self) -> pandas.DataFrame:
        """Returns a pandas data frame whose index is the number of the run."""
        try:
            import pandas
        except ImportError:
            raise ImportError("to_dataframe needs pandas: pip install pandas") from None
        return pandas.DataFrame(self._columns(), index=pandas.RangeIndex(len(self), name="run"))

    def to_csv(self, path: Path | str) -> None:
        """Writes all columns to ``path`` as CSV, in full precision."""
        if not isinstance(path, str | os.PathLike):
            raise TypeError(f"{shown(path)} is no path; give that of the file to be written, such as 'sweep.csv'")
        columns = self._columns()
        with written(Path(path), "table"), Path(path).open("w", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            writer.writerow(["run", *columns])
            writer.writerows([i, *row] for i, row in enumerate(zip(*(_plain(each) for each in columns.values()), strict=True)))

    def rerun(self, number: int) -> Result:
        """Runs one point once more in this process, and returns its whole result."""
        task, point = self._task, self._points[self._checked(number)]
        given = dict(zip(self.names, point, strict=True))
        return System.of(task.definition).simulate(**task.options, **task.values(given))


def _set(column: np.ndarray, number: int, value: float) -> np.ndarray:
    """Returns a column with a value set, and lengthens it if needed."""
    if number >= len(column):
        column = np.concatenate([column, np.full(max(64, len(column), number + 1 - len(column)), np.nan)])
    column[number] = value
    return column


def _up_to(column: np.ndarray, length: int) -> np.ndarray:
    return np.concatenate([column, np.full(max(0, length - len(column)), np.nan)])[:length]


def _column(values: list[Any]) -> np.ndarray:
    """Returns numbers as an array of numbers, and other values as an array of objects."""
    if all(isinstance(each, int | float) for each in values):
        return np.array(values)
    found = np.empty(len(values), dtype=object)
    found[:] = values
    return found


def _shown(value: Any) -> str:
    """Returns a cell as text for people; a long word is cut."""
    text = f"{value:.6g}" if isinstance(value, float | np.floating) else str(value)
    return text if len(text) <= 120 else f"{text[:119]}…"


def _plain(values: Any) -> Any:
    return values.tolist() if isinstance(values, np.ndarray) else values
