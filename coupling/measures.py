"""Measures of a run: numbers that a name chooses, and that travel to other processes."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from coupling.errors import shown
from coupling.pictures.comparison import root_mean_square
from coupling.result import Result


@dataclass(frozen=True)
class Measure:
    """A number of each result; ``str`` gives its name in a table."""

    what: str
    of: Callable[..., Any]
    arguments: tuple[Any, ...] = ()

    def __call__(self, result: Result) -> float:
        return float(self.of(result, *self.arguments))

    def __str__(self) -> str:
        return f"{self.what}({', '.join(str(each) for each in self.arguments)})"


def final(name: str) -> Measure:
    """Measures the last value of a variable, in its unit."""
    return Measure("final", _final, (name,))


def peak(name: str) -> Measure:
    """Measures the greatest absolute value of a variable at any row, in its unit."""
    return Measure("peak", _peak, (name,))


def minimum(name: str) -> Measure:
    return Measure("minimum", _minimum, (name,))


def maximum(name: str) -> Measure:
    return Measure("maximum", _maximum, (name,))


def rms(name: str) -> Measure:
    """Measures the root of a variable's mean square over time, linear between rows, in its unit."""
    return Measure("rms", _rms, (name,))


def value_at(name: str, t: float, side: str = "after") -> Measure:
    """Measures the value of a variable at a time (seconds), as ``Result.at`` gives it. Several times raise ValueError."""
    if np.ndim(t):
        raise ValueError(f"value_at: t = {shown(t)} is refused: give one time in seconds")
    return Measure("value_at", _value_at, (name, t) if side == "after" else (name, t, side))


def energy_drift() -> Measure:
    """Measures the greatest difference of the energy of all instances (J) from that at the start."""
    return Measure("energy_drift", _energy_drift)


def _final(result: Result, name: str) -> float:
    return result[name][-1]


def _peak(result: Result, name: str) -> float:
    return np.abs(result[name]).max()


def _minimum(result: Result, name: str) -> float:
    return result[name].min()


def _maximum(result: Result, name: str) -> float:
    return result[name].max()


def _rms(result: Result, name: str) -> float:
    return root_mean_square(result.time, result[name])


def _value_at(result: Result, name: str, t: float, side: str = "after") -> float:
    result[name]  # says what to do where it was not recorded
    return result.at(t, side)[name]


def _energy_drift(result: Result) -> float:
    energy = result.energy
    return np.abs(energy - energy[0]).max()
