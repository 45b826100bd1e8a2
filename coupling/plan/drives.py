"""The drives of inputs: a constant, a function of time, a formula, or a table."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coupling.checks import EXACT, is_number
from coupling.errors import BuildError, shown
from coupling.plan import formulas

MONOTONE = "monotone"
KINDS = {True: MONOTONE, "spline": "spline", "free": "free"}
"""Kinds of curves, by the option ``smooth``."""


@dataclass(frozen=True)
class ConstantDrive:
    value: float | int | str | bytes
    """A number, a text or binary data; or the name of an enumeration's item."""


@dataclass(frozen=True)
class FunctionDrive:
    function: Callable[[float], float]
    name: str = "an input"
    """The input that it drives."""
    breaks: tuple[float, ...] = ()
    """Times at which it, or one of its derivatives, jumps."""
    rates: tuple[Callable[[float], float], ...] = ()
    """Its derivatives, as far as they are known."""

    def __call__(self, t: float) -> float:
        """Returns the value at a time; an exception of the function gets a note that names the drive and the time."""
        try:
            value = self.function(t)
        except Exception as error:
            error.add_note(f"raised by the function that drives '{self.name}', called with t = {t:.9g} s")
            raise
        if isinstance(value, np.ndarray) and value.size == 1:
            value = value.item()
        if not isinstance(value, bool | int | float | np.number | np.bool_) or isinstance(value, np.complexfloating):
            raise BuildError(f"the function that drives '{self.name}' returned {shown(value)} at t = {t:.9g} s; return a number")
        return float(value)


class _OfArrays:
    """A drive that is compared by the content of its arrays."""

    def __eq__(self, other: object) -> bool:
        return type(other) is type(self) and self._content == other._content

    def __hash__(self) -> int:
        return hash(self._content)

    @property
    def _content(self) -> tuple[object, ...]:
        return tuple(each.tobytes() if isinstance(each, np.ndarray) else each for each in vars(self).values())


@dataclass(frozen=True, eq=False)
class TableDrive(_OfArrays):
    """Values with linear interpolation between them; constant before the first and after the last. A time that occurs twice is a jump."""

    times: np.ndarray
    values: np.ndarray

    @property
    def kinks(self) -> tuple[float, ...]:
        return tuple(np.unique(self.times).tolist()) if len(self.times) > 1 else ()

    @property
    def steps(self) -> TableDrive:
        """The drive with each value until the next time, for inputs that change at events only."""
        last = np.append(np.diff(self.times) > 0, True)
        times, values = self.times[last], self.values[last]
        return TableDrive(np.repeat(times, 2)[1:], np.repeat(values, 2)[:-1])


@dataclass(frozen=True)
class TextDrive:
    """Values that no double holds, each from a time until the next: texts, binary data, large whole numbers, names of items."""

    times: tuple[float, ...]
    texts: tuple[str | bytes | int, ...]

    def numbered(self, numbers: Sequence[float]) -> TableDrive:
        """Returns the same drive of numbers that stand for its values."""
        return TableDrive(np.array(self.times), np.array(numbers)).steps


@dataclass(frozen=True)
class FormulaDrive:
    """A tree of operations, as ``formulas`` describes it."""

    tree: formulas.Tree
    breaks: tuple[float, ...] = ()

    @property
    def kinks(self) -> tuple[float, ...]:
        return self.breaks


@dataclass(frozen=True, eq=False)
class SplineDrive(_OfArrays):
    """Values that a curve passes through, with the rates that its input asks for; constant before the first and after the last."""

    times: np.ndarray
    values: np.ndarray
    kind: str = MONOTONE
    """``monotone`` between rows, a ``spline`` at rest at its ends, or one whose ends are ``free``."""


@dataclass(frozen=True, eq=False)
class PiecesDrive(_OfArrays):
    """Polynomials from one time to the next."""

    times: np.ndarray
    coefficients: np.ndarray
    """Coefficients with a row for each piece, of rising powers of the time since it began."""
    outside: tuple[float, float]
    """The values before and after all pieces."""
    within: tuple[float, float] | None = None
    """The range of the table of a curve that may leave it."""

    @property
    def kinks(self) -> tuple[float, ...]:
        """The times at which the curve or one of its rests begins or ends."""
        rests = (self.coefficients[:, 1:] == 0).all(axis=1)
        ends = np.ones(len(self.times), dtype=bool)
        ends[1:-1] = rests[1:] != rests[:-1]
        return tuple(self.times[ends].tolist())


@dataclass(frozen=True)
class PolynomialDrive:
    """A polynomial from outside between two communication points; its coefficients are set at each of them."""

    start: float = 0.0
    """Value before the first point."""


Drive = ConstantDrive | FunctionDrive | FormulaDrive | TableDrive | TextDrive | SplineDrive | PiecesDrive | PolynomialDrive


def drive_of(
    name: str,
    value: Any,
    breaks: Any = None,
    smooth: Any = False,
    rate: Callable[[float], float] | None = None,
    acceleration: Callable[[float], float] | None = None,
) -> Drive:
    """Returns the drive that a user's value means; ``name`` is the input's, for the sentence that refuses it."""
    if isinstance(value, Mapping) and "value" in value:
        return _told_apart(name, value)
    rates = {"rate": rate, "acceleration": acceleration}
    if callable(value):
        _check_rates(name, rates)
        return FunctionDrive(value, name, break_times(name, breaks), tuple(each for each in rates.values() if each is not None))
    for option, given in rates.items():
        if given is not None:
            raise BuildError(
                f"{option} = {shown(given)} of '{name}' is for functions of time; of all else the rates are known, leave it out"
            )
    if type(value).__module__.startswith("sympy"):
        tree, known = formulas.formula_of(value, name)
        if known is None and breaks is None:
            raise BuildError(
                f"'{name}' is driven by {value}, whose conditions do not give the times of their changes; give them in breaks=[...]"
            )
        jumps = break_times(name, breaks) + (known or ())
        return ConstantDrive(tree) if isinstance(tree, float) else FormulaDrive(tree, tuple(sorted(set(jumps))))
    if breaks is not None:
        raise BuildError(
            f"breaks = {shown(breaks)} of '{name}' is for functions of time; a constant has no jumps, a table has them in its rows"
        )
    if isinstance(value, str | bytes):
        return ConstantDrive(value)
    if isinstance(value, int | np.integer) and abs(int(value)) > EXACT:
        return ConstantDrive(int(value))
    if isinstance(value, bool | int | float | np.integer | np.floating | np.bool_):
        if not (isinstance(value, bool | np.bool_) or is_number(value)) or not math.isfinite(value):
            raise BuildError(f"'{name}' cannot be driven by {shown(value)}; give a finite number")
        return ConstantDrive(float(value))
    if (rows := _text_rows(value)) is not None:
        return _text_drive(name, rows, smooth)
    remedy = "give a number, a function of time, or a table: pairs of time and value"
    try:
        table = np.asarray(value, dtype=float)
    except (TypeError, ValueError, OverflowError):
        table = np.zeros(())
    if table.ndim == 0:
        raise BuildError(f"'{name}' cannot be driven by {shown(value)}; {remedy}")
    if table.size == 0:
        raise BuildError(f"the table of '{name}' is empty; give at least one row of time and value")
    if table.ndim != 2 or table.shape[1] != 2:
        shape = " x ".join(map(str, table.shape))
        turned = ": np.column_stack((times, values))" if table.ndim == 2 and len(table) == 2 else ""
        raise BuildError(f"the table of '{name}' has the shape {shape}; give rows of two numbers, time and value{turned}")
    checked = _checked(name, table)
    if smooth is False:
        return checked
    if not isinstance(smooth, bool | str) or smooth not in KINDS:
        raise BuildError(
            f"smooth = {shown(smooth)} of '{name}' is refused: give True for a curve that is monotone between rows, 'spline' for one at rest at its "
            "ends, or 'free'"
        )
    return _smooth(name, checked, KINDS[smooth])


def _text_rows(value: Any) -> list[tuple[Any, Any]] | None:
    """Returns the rows of a table whose values no double holds; None for everything else."""
    if not isinstance(value, list | tuple) or not all(isinstance(row, list | tuple) and len(row) == 2 for row in value):
        return None
    large = any(isinstance(row[1], str | bytes) or (isinstance(row[1], int) and abs(row[1]) > EXACT) for row in value)
    return [(row[0], row[1]) for row in value] if large else None


def _text_drive(name: str, rows: list[tuple[Any, Any]], smooth: Any) -> TextDrive:
    """Returns the drive for rows of a time and a text; each text stays until the next row."""
    odd = next((value for _, value in rows if not isinstance(value, str | bytes | int) or isinstance(value, bool)), None)
    kinds = {type(value) for _, value in rows}
    if odd is not None or len(kinds) > 1:
        other = odd if odd is not None else next(value for _, value in rows if type(value) is not type(rows[0][1]))
        raise BuildError(f"the table of '{name}' mixes {shown(rows[0][1])} and {shown(other)}; give values of one type")
    if smooth is not False:
        raise BuildError(f"smooth = {shown(smooth)} of '{name}' is refused: a table of texts has no curve; leave it out")
    try:
        table = np.array([[time, 0.0] for time, _ in rows], dtype=float)
    except (TypeError, ValueError, OverflowError):
        raise BuildError(f"the table of '{name}' has a time that is no number; give rows of a time in seconds and a text") from None
    _checked(name, table)
    return TextDrive(tuple(table[:, 0].tolist()), tuple(value for _, value in rows))


def checked_drive(name: str, drive: Drive) -> Drive:
    """Returns a drive that a file has, after the checks of a drive that a user gives; raises BuildError for one that no user can give."""
    if isinstance(drive, ConstantDrive | PolynomialDrive):
        drive_of(name, drive.value if isinstance(drive, ConstantDrive) else drive.start)
    elif isinstance(drive, FormulaDrive):
        return FormulaDrive(formulas.checked(drive.tree, name), break_times(name, drive.breaks))
    elif isinstance(drive, TextDrive) and drive.texts and len(drive.texts) == len(drive.times):
        return _text_drive(name, list(zip(drive.times, drive.texts, strict=True)), False)
    elif isinstance(drive, TableDrive | SplineDrive) and _fits(drive.times, drive.values):
        table = _checked(name, np.column_stack((drive.times, drive.values)))
        if isinstance(drive, TableDrive):
            return table
        if drive.kind in KINDS.values():
            return _smooth(name, table, drive.kind)
        raise BuildError(f"the curve of '{name}' is {shown(drive.kind)}; the kinds are {', '.join(KINDS.values())}")
    else:
        raise BuildError(f"the drive of '{name}' is damaged: it has not one value for each time; give the input another drive")
    return drive


def _fits(times: np.ndarray, values: np.ndarray) -> bool:
    """Says whether two arrays are the columns of a table."""
    return times.dtype == values.dtype == np.float64 and times.ndim == 1 and times.size > 0 and times.shape == values.shape


_OPTIONS = ("value", "breaks", "smooth", "rate", "acceleration")


def _told_apart(name: str, given: Mapping[str, Any]) -> Drive:
    """Returns the drive for a value with options of ``drive``."""
    wrong = [each for each in given if each not in _OPTIONS]
    if wrong:
        raise BuildError(f"'{name}' cannot be driven with {shown(wrong[0])}; the options of a value are {', '.join(_OPTIONS[1:])}")
    return drive_of(name, **given)


def _check_rates(name: str, rates: Mapping[str, Any]) -> None:
    for option, given in rates.items():
        if given is not None and not callable(given):
            raise BuildError(f"{option} = {shown(given)} of '{name}' is refused: give a function of time, as its value is one")
    if rates["rate"] is None and rates["acceleration"] is not None:
        raise BuildError(f"'{name}' is given an acceleration without a rate; give rate= as well")


def _smooth(name: str, table: TableDrive, kind: str) -> SplineDrive:
    jump = np.flatnonzero(np.diff(table.times) == 0)
    if jump.size:
        raise BuildError(
            f"the table of '{name}' jumps at t = {table.times[jump[0]]:g} s, where it cannot be smooth; leave one of the two rows out"
        )
    if len(table.times) < 2:
        raise BuildError(f"the table of '{name}' has one row, through which there is no curve; give a number")
    return SplineDrive(table.times, table.values, kind)


def break_times(name: str, breaks: Any) -> tuple[float, ...]:
    """Returns the times at which a drive jumps, in their order; raises BuildError for values that are none."""
    try:
        times = np.asarray(() if breaks is None else breaks, dtype=float)
    except (TypeError, ValueError, OverflowError):
        times = np.zeros(())
    if times.ndim != 1 or not np.isfinite(times).all():
        raise BuildError(f"breaks = {shown(breaks)} of '{name}' is refused: give a list of times in seconds, such as [0.5]")
    return tuple(np.unique(times).tolist())


def in_base_units(drive: Drive, factor: float, offset: float) -> Drive:
    """Returns a drive of an input in base units, which has other sources too: each of its values becomes factor * value + offset."""
    if isinstance(drive, ConstantDrive):
        return ConstantDrive(factor * float(drive.value) + offset)
    if isinstance(drive, TableDrive):
        return TableDrive(drive.times, factor * drive.values + offset)
    if isinstance(drive, FormulaDrive):
        return replace(
            drive, tree=("add", ("multiply", drive.tree, factor), offset)
        )  # the tree first: it takes as much of the stack as before
    if isinstance(drive, PiecesDrive):
        coefficients = factor * drive.coefficients
        coefficients[:, 0] += offset
        moved = [factor * value + offset for value in (*drive.outside, *(drive.within or ()))]
        return PiecesDrive(drive.times, coefficients, (moved[0], moved[1]), (min(moved[2:]), max(moved[2:])) if drive.within else None)
    if isinstance(drive, FunctionDrive):
        return replace(drive, function=lambda t: factor * drive(t) + offset)
    return drive


def _checked(name: str, table: np.ndarray) -> TableDrive:
    times, values = table.T
    if not np.isfinite(table).all():
        row = int(np.argmin(np.isfinite(table).all(axis=1)))
        raise BuildError(f"the table of '{name}' holds {table[~np.isfinite(table)][0]} in row {row + 1}; all its numbers must be finite")
    steps = np.diff(times)
    if (steps < 0).any():
        i = int(np.argmax(steps < 0))
        raise BuildError(f"the times of the table of '{name}' go back from {times[i]:g} to {times[i + 1]:g} s; sort its rows by time")
    twice = (steps[1:] == 0) & (steps[:-1] == 0)
    if twice.any():
        time = times[int(np.argmax(twice))]
        raise BuildError(f"the table of '{name}' has three rows for t = {time:g} s; give at most two, the values before and after a jump")
    return TableDrive(times.copy(), values.copy())
