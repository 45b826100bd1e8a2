"""Values of a record at other times than those of its rows: linear between rows, and of discrete variables the last ones."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from coupling.checks import is_number
from coupling.errors import shown
from coupling.record import Record, in_force

SAME_TIME = 1e-14
"""The tolerance for the time of a row, relative to the greatest time: events are located to rounding."""
_MOST = 100_000_000
"""Rows of one result."""


@dataclass(frozen=True)
class Places:
    """Places among the rows of a record: the row before each, and the part of the way to the next row."""

    low: np.ndarray
    weight: np.ndarray

    def of(self, values: np.ndarray, discrete: np.ndarray | bool = False) -> np.ndarray:
        """Returns the values at these places; ``discrete`` columns keep those of the row before."""
        low, high = values[self.low], values[np.minimum(self.low + 1, len(values) - 1)]
        weight = self.weight.reshape(-1, *[1] * (values.ndim - 1))
        with np.errstate(invalid="ignore"):  # what is not finite counts at its own row only
            linear = (1 - weight) * low + weight * high
        return np.where((weight == 0) | discrete, low, linear)


def times_of(given: Any, name: str) -> np.ndarray:
    """Returns one time, or an array of times, as an array; refuses everything else."""
    try:
        times = np.asarray(given)
    except ValueError:  # lists of different lengths
        times = np.asarray(None)
    if times.dtype.kind not in "iuf" or times.ndim > 1 or not np.isfinite(times).all():
        raise ValueError(f"{name} = {shown(given)} is refused: give a time in seconds, or a list or array of times")
    return np.atleast_1d(times).astype(float)


def wanted_times(time: np.ndarray, times: Any, interval: Any) -> np.ndarray:
    """Returns the times of the new rows: those that are given, or at an interval, or each time of the old rows once."""
    if times is not None and interval is not None:
        raise ValueError("resample: times and interval are both given; leave one of the two out")
    if interval is not None:
        return _regular_times(time, interval)
    if times is None:
        return time[np.append(np.diff(time) > SAME_TIME * np.abs(time[[0, -1]]).max(), True)]
    return _increasing_times(times)


def _increasing_times(given: Any) -> np.ndarray:
    """Returns an array of times in s, which must increase."""
    times = times_of(given, "times")
    wrong = np.flatnonzero(np.diff(times) <= 0)
    if not len(times):
        raise ValueError("times is empty; give at least one time in seconds")
    if len(wrong):
        i = int(wrong[0])
        raise ValueError(f"times[{i + 1}] = {times[i + 1]:g} s does not follow times[{i}] = {times[i]:g} s; give times that increase")
    return times


def _regular_times(time: np.ndarray, interval: Any) -> np.ndarray:
    """Returns times at an interval from the first row on, the last of them at or before the last row."""
    if not is_number(interval) or not 0 < interval < np.inf:
        raise ValueError(f"interval = {shown(interval)} is refused: give seconds, greater than 0 and finite")
    count = np.floor((time[-1] - time[0]) / interval * (1 + 1e-12))
    if count >= _MOST:
        raise ValueError(f"interval = {interval:g} s is refused: it would make {count + 1:.3g} rows; give a longer one")
    return np.minimum(time[0] + interval * np.arange(int(count) + 1), time[-1])


def places_at(time: np.ndarray, times: np.ndarray, side: str) -> Places | float:
    """Returns where times lie among rows, ``before`` or ``after`` events; or the first time that lies outside."""
    after = np.minimum(np.searchsorted(time, times), len(time) - 1)
    before = np.maximum(after - 1, 0)
    nearest = np.where(np.abs(time[before] - times) <= np.abs(time[after] - times), time[before], time[after])
    t = np.where(np.abs(nearest - times) <= SAME_TIME * np.abs(time[[0, -1]]).max(), nearest, times)
    outside = (t < time[0]) | (t > time[-1])
    if outside.any():
        return float(times[outside][0])
    row = np.searchsorted(time, t, "left") if side == "before" else np.searchsorted(time, t, "right") - 1
    exact = time[row] == t
    low = np.where(exact | (side == "after"), row, row - 1)
    gap = np.where(exact, 1.0, time[np.minimum(low + 1, len(time) - 1)] - time[low])
    return Places(low, np.where(exact, 0.0, (t - time[low]) / gap))


def resampled(record: Record, places: Places, times: np.ndarray) -> Record:
    """Returns the record with one row for each of these times."""
    discrete = np.array([column.discrete for column in record.columns], dtype=bool)
    return replace(
        record,
        rows=np.column_stack((times, places.of(record.rows[:, 1:], discrete))),
        created_energy={name: places.of(each) for name, each in record.created_energy.items()},
        off={name: _ranges(in_force(len(record.rows), each)[places.low] == 0) for name, each in record.off.items()},
        derivatives=places.of(record.derivatives) if len(record.derivatives) else record.derivatives,
        drawn={name: places.of(each) for name, each in record.drawn.items()},
    )


def _ranges(chosen: np.ndarray) -> tuple[tuple[int, int], ...]:
    """Returns the ranges of rows that are chosen, from the first to before the last."""
    edges = np.flatnonzero(np.diff(np.concatenate(([False], chosen, [False])).astype(int))).tolist()
    return tuple(zip(edges[::2], edges[1::2], strict=True))
