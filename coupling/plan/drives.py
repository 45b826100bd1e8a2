"""What an input can be driven by: a constant, a function of time, or a table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coupling.errors import BuildError, shown


@dataclass(frozen=True)
class ConstantDrive:
    value: float


@dataclass(frozen=True)
class FunctionDrive:
    function: Callable[[float], float]
    name: str = "an input"
    """The input that it drives."""
    breaks: tuple[float, ...] = ()
    """Times at which it, or one of its derivatives, jumps."""

    def __call__(self, t: float) -> float:
        """The value at a time; what the function raises says in a note where it comes from."""
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


@dataclass(frozen=True, eq=False)
class TableDrive:
    """Values between which is interpolated linearly; constant before the first and after the last. A time that comes twice is a jump."""

    times: np.ndarray
    values: np.ndarray

    def __eq__(self, other: object) -> bool:
        return isinstance(other, TableDrive) and self._bytes == other._bytes

    def __hash__(self) -> int:
        return hash(self._bytes)

    @property
    def _bytes(self) -> tuple[bytes, bytes]:
        return self.times.tobytes(), self.values.tobytes()

    @property
    def steps(self) -> TableDrive:
        """Each value until the next time, for inputs that change at events only."""
        last = np.append(np.diff(self.times) > 0, True)
        times, values = self.times[last], self.values[last]
        return TableDrive(np.repeat(times, 2)[1:], np.repeat(values, 2)[:-1])


@dataclass(frozen=True)
class PolynomialDrive:
    """What arrives from outside between two communication points; its coefficients are set at each of them."""

    start: float = 0.0
    """Its value before."""


Drive = ConstantDrive | FunctionDrive | TableDrive | PolynomialDrive


def drive_of(name: str, value: Any, breaks: Any = None) -> Drive:
    """The drive that a user's value means; ``name`` is the input's, for the sentence that refuses it."""
    if callable(value):
        return FunctionDrive(value, name, _times(name, breaks))
    if breaks is not None:
        raise BuildError(
            f"breaks = {shown(breaks)} of '{name}' is for functions of time; a constant has no jumps, a table has them in its rows"
        )
    if isinstance(value, bool | int | float | np.integer | np.floating | np.bool_):
        if not math.isfinite(value):
            raise BuildError(f"'{name}' cannot be driven by {value}; give a finite number")
        return ConstantDrive(float(value))
    remedy = "give a number, a function of time, or a table: pairs of time and value"
    try:
        table = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        table = np.zeros(())
    if table.ndim == 0:
        raise BuildError(f"'{name}' cannot be driven by {shown(value)}; {remedy}")
    if table.size == 0:
        raise BuildError(f"the table of '{name}' is empty; give at least one row of time and value")
    if table.ndim != 2 or table.shape[1] != 2:
        shape = " x ".join(map(str, table.shape))
        turned = ": np.column_stack((times, values))" if table.ndim == 2 and len(table) == 2 else ""
        raise BuildError(f"the table of '{name}' has the shape {shape}; give rows of two numbers, time and value{turned}")
    return _checked(name, table)


def _times(name: str, breaks: Any) -> tuple[float, ...]:
    try:
        times = np.asarray(() if breaks is None else breaks, dtype=float)
    except (TypeError, ValueError):
        times = np.zeros(())
    if times.ndim != 1 or not np.isfinite(times).all():
        raise BuildError(f"breaks = {shown(breaks)} of '{name}' is refused: give a list of times in seconds, such as [0.5]")
    return tuple(np.unique(times).tolist())


def in_base_units(drive: Drive, factor: float, offset: float) -> Drive:
    """What drives an input together with values in base units: each of its own is factor * value + offset there."""
    if isinstance(drive, ConstantDrive):
        return ConstantDrive(factor * drive.value + offset)
    if isinstance(drive, TableDrive):
        return TableDrive(drive.times, factor * drive.values + offset)
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
