"""Comparison of two results: the differences of their values."""

from __future__ import annotations

import math
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from coupling.pictures.plot import by_unit, plot

_MOST_CURVES = 8
"""Largest number of curves in a plot: those that differ most, relative to the greatest value."""


def root_mean_square(time: np.ndarray, values: np.ndarray) -> float:
    """Returns the root mean square over time, of values that are linear between rows."""
    steps = np.diff(time)
    span = steps.sum()
    squares = (values[:-1] ** 2 + values[:-1] * values[1:] + values[1:] ** 2) / 3  # the mean of a square that is linear inside
    return math.sqrt(steps @ squares / span) if span > 0 else abs(float(values[-1]))


def common_rows(time: np.ndarray, other: np.ndarray, allowed: float) -> tuple[np.ndarray, np.ndarray]:
    """Returns rows of both at the same times.

    At an event the rows before it correspond, and so do those after it. A single row corresponds to the last one of the other.
    """
    own, its = _rows_by_time(time, allowed), _rows_by_time(other, allowed)
    pairs: list[tuple[int, int]] = []
    k = 0
    for at, rows in own:
        while k < len(its) and its[k][0] < at - allowed:
            k += 1
        if k < len(its) and abs(its[k][0] - at) <= allowed:
            there = its[k][1]
            pairs += [(rows[0], there[0])] if len(rows) > 1 and len(there) > 1 else []
            pairs.append((rows[-1], there[-1]))
    found = np.array(pairs, dtype=int).reshape(-1, 2)
    return found[:, 0], found[:, 1]


def _rows_by_time(time: np.ndarray, allowed: float) -> list[tuple[float, list[int]]]:
    found: list[tuple[float, list[int]]] = []
    for row, t in enumerate(time.tolist()):
        if found and t - found[-1][0] <= allowed:
            found[-1][1].append(row)
        else:
            found.append((t, [row]))
    return found


@dataclass(frozen=True, kw_only=True)
class Difference:
    """Difference between a variable and the same one of another result."""

    greatest: float
    """Greatest absolute difference, in the variable's unit."""
    time: float
    """Time of the greatest difference, in s."""
    rms: float
    """Root of the mean square difference over time, linear between common times, in the variable's unit."""
    size: float
    """Greatest absolute value of both, in the variable's unit."""
    unit: str


class Comparison(Mapping[str, Difference]):
    """Differences by name; the greatest one, relative to the variable's greatest value, comes first."""

    def __init__(self, time: np.ndarray, pairs: Mapping[str, tuple[np.ndarray, np.ndarray]], units: Mapping[str, str]) -> None:
        self.time = time
        """The common times, in s."""
        self.differences = {name: np.where(np.isnan(b) & np.isnan(a), 0.0, b - a) for name, (a, b) in pairs.items()}
        """Values of the other result less those of the first one, by name."""
        found = {name: self._difference(name, *pairs[name], units.get(name, "")) for name in pairs}
        self._found = dict(sorted(found.items(), key=lambda each: -_relative(each[1])))

    def _difference(self, name: str, a: np.ndarray, b: np.ndarray, unit: str) -> Difference:
        values = self.differences[name]
        row = int(np.abs(values).argmax())
        size = float(np.nanmax(np.abs([a, b]), initial=0.0))
        return Difference(
            greatest=float(np.abs(values[row])),
            time=float(self.time[row]),
            rms=root_mean_square(self.time, values),
            size=size,
            unit=unit,
        )

    def __getitem__(self, name: str) -> Difference:
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._found)

    def __len__(self) -> int:
        return len(self._found)

    def __str__(self) -> str:
        width = max(map(len, ("variable", *self)))
        lines = [f"{'variable':{width}}{'greatest':>12}{'at t, s':>12}{'rms':>12}{'size':>12}  unit"]
        lines += [
            f"{name:{width}}{each.greatest:12.3g}{each.time:12.6g}{each.rms:12.3g}{each.size:12.3g}  {each.unit}"
            for name, each in self.items()
        ]
        return "\n".join(lines)

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Plots the greatest differences over time. Writes the plot to ``path`` if one is given, and returns the figure of Matplotlib."""
        units = {name: each.unit for name, each in self.items()}
        groups = by_unit(list(self)[:_MOST_CURVES], units)
        return plot(self.time, [{name: self.differences[name] for name in group} for group in groups], units, path)


def _relative(each: Difference) -> float:
    return each.greatest / each.size if each.size > 0 else 0.0
