"""What an input can be driven by: a constant, a function of time, or a table."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Constant:
    value: float


@dataclass(frozen=True)
class Function:
    function: Callable[[float], float]


@dataclass(frozen=True, eq=False)
class Table:
    """Values between which is interpolated linearly; constant before the first and behind the last. A time that comes twice is a jump."""

    times: np.ndarray
    values: np.ndarray


Drive = Constant | Function | Table


def drive_of(name: str, value: Any) -> Drive:
    """The drive that a user's value means; ``name`` is the input's, for the sentence that refuses it."""
    if callable(value):
        return Function(value)
    if isinstance(value, bool | int | float | np.number | np.bool_):
        if not math.isfinite(value):
            raise ValueError(f"'{name}' cannot be driven by {value}; give a finite number")
        return Constant(float(value))
    remedy = "give a number, a function of time, or a table: pairs of time and value"
    try:
        table = np.asarray(value, dtype=float)
    except (TypeError, ValueError):
        raise ValueError(f"'{name}' cannot be driven by {_shown(value)}; {remedy}") from None
    if table.ndim != 2 or table.shape[1] != 2 or len(table) == 0:
        shape = " x ".join(map(str, table.shape)) or "empty"
        raise ValueError(f"the table of '{name}' has the shape {shape}; give rows of two numbers, time and value")
    times, values = table.T
    if not np.isfinite(table).all():
        raise ValueError(f"the table of '{name}' holds {table[~np.isfinite(table)][0]}; all its numbers must be finite")
    if (np.diff(times) < 0).any():
        i = int(np.argmax(np.diff(times) < 0))
        raise ValueError(f"the times of the table of '{name}' go back from {times[i]:g} to {times[i + 1]:g}; sort its rows by time")
    return Table(times.copy(), values.copy())


def _shown(value: object) -> str:
    text = repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
