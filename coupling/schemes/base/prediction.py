"""Predicts where multipliers and inputs will be at the end of a step, from the last points (Neville)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

MOST_POINTS = 5


@dataclass(frozen=True)
class Point:
    """A point that the system has been at."""

    time: float
    multipliers: np.ndarray
    inputs: np.ndarray
    before: np.ndarray | None
    """The multipliers at the beginning of the step that led there; None at a start."""


def extrapolate(t: float, points: Sequence[tuple[float, np.ndarray]]) -> list[np.ndarray]:
    """What polynomials through the first point, the first two, and so on, have at a time, by Neville's scheme."""
    times = [time for time, _ in points]
    values = [value for _, value in points]
    found = [values[0].copy()]
    for width in range(1, len(points)):
        for i in range(len(points) - width):
            a, b = times[i], times[i + width]
            values[i] = ((t - b) * values[i] - (t - a) * values[i + 1]) / (a - b)
        found.append(values[0])
    return found


class Predictor:
    """Extrapolates from as many points as would have been best for the last step."""

    def __init__(self) -> None:
        self.count = MOST_POINTS
        """From how many points is extrapolated."""
        self._last: tuple[float, list[np.ndarray]] | None = None
        """The end of the last step, and what was predicted there, from one point, from two, and so on."""

    def forget(self) -> None:
        """Nothing goes on from what was before."""
        self._last = None

    def compare(self, point: Point) -> None:
        """Chooses from how many points to extrapolate, by what has become of the last prediction."""
        if self._last and self._last[0] == point.time:
            now = np.concatenate([point.multipliers, point.inputs])
            self.count = 1 + int(np.argmin([np.abs(each - now).max(initial=0.0) for each in self._last[1]]))

    def predict(self, t: float, past: Sequence[Point]) -> tuple[np.ndarray, np.ndarray]:
        """The multipliers and the inputs at a time; the last point comes first."""
        predicted = extrapolate(t, [(point.time, np.concatenate([point.multipliers, point.inputs])) for point in past])
        self._last = t, predicted
        best = predicted[min(self.count, len(predicted)) - 1]
        multipliers, inputs = np.split(best, [len(past[0].multipliers)])
        return multipliers, inputs
