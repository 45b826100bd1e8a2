"""What is measured of a run: numbers that can be asked for by name, and that travel to other processes."""

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
    """A number of each result; ``str`` of it is how a table names it."""

    what: str
    of: Callable[..., Any]
    arguments: tuple[Any, ...] = ()

    def __call__(self, result: Result) -> float:
        return float(self.of(result, *self.arguments))

    def __str__(self) -> str:
        return f"{self.what}({', '.join(str(each) for each in self.arguments)})"


def final(name: str) -> Measure:
    """The last value of a variable."""
    return Measure("final", _final, (name,))


def peak(name: str) -> Measure:
    """Its greatest absolute value at any row."""
    return Measure("peak", _peak, (name,))


def minimum(name: str) -> Measure:
    return Measure("minimum", _minimum, (name,))


def maximum(name: str) -> Measure:
    return Measure("maximum", _maximum, (name,))


def rms(name: str) -> Measure:
    """The root of its mean square over time, linear between rows."""
    return Measure("rms", _rms, (name,))


def value_at(name: str, t: float, side: str = "after") -> Measure:
    """Its value at a time (seconds), as ``Result.at`` gives it."""
    if np.ndim(t):
        raise ValueError(f"value_at: t = {shown(t)} is refused: give one time in seconds")
    return Measure("value_at", _value_at, (name, t) if side == "after" else (name, t, side))


def energy_drift() -> Measure:
    """By how much the energy of all instances (J) differs from that at the start, at most."""
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
