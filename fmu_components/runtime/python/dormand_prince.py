"""A step by the method of Dormand and Prince, 5(4), with its error and its dense output."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass

_NODES = (1 / 5, 3 / 10, 4 / 5, 8 / 9, 1.0, 1.0)
_STAGES = (
    (1 / 5,),
    (3 / 40, 9 / 40),
    (44 / 45, -56 / 15, 32 / 9),
    (19372 / 6561, -25360 / 2187, 64448 / 6561, -212 / 729),
    (9017 / 3168, -355 / 33, 46732 / 5247, 49 / 176, -5103 / 18656),
    (35 / 384, 0.0, 500 / 1113, 125 / 192, -2187 / 6784, 11 / 84),
)
_ERROR = (71 / 57600, 0.0, -71 / 16695, 71 / 1920, -17253 / 339200, 22 / 525, -1 / 40)
_DENSE = (
    -12715105075 / 11282082432,
    0.0,
    87487479700 / 32700410799,
    -10690763975 / 1880347072,
    701980252875 / 199316789632,
    -1453857185 / 822651844,
    69997945 / 29380423,
)


@dataclass(frozen=True)
class TrialStep:
    """A trial step: its ends, the slopes at all stages, and the states between."""

    start: float
    end: float
    before: list[float]
    after: list[float]
    slopes: list[Sequence[float]]

    @property
    def size(self) -> float:
        return self.end - self.start

    def time(self, part: float) -> float:
        return self.end if part == 1 else self.start + part * self.size

    def at(self, part: float) -> list[float]:
        """The states on the dense output of 4th order, at a part of the step between 0 and 1."""
        if part == 1:
            return self.after
        rest = 1 - part
        states = []
        for i, (old, new) in enumerate(zip(self.before, self.after, strict=True)):
            change = new - old
            bend = self.size * self.slopes[0][i] - change
            end_bend = change - self.size * self.slopes[-1][i] - bend
            last = self.size * _weighted(_DENSE, self.slopes, i)
            states.append(old + part * (change + rest * (bend + part * (end_bend + rest * last))))
        return states

    def error(self, nominal: Sequence[float], tolerance: float) -> tuple[float, int]:
        """The weighted error and the state that has it; 1 is just acceptable, infinity where there is no value."""
        worst, which = 0.0, 0
        for i, (old, new) in enumerate(zip(self.before, self.after, strict=True)):
            scale = tolerance * (nominal[i] + max(abs(old), abs(new)))
            error = abs(self.size * _weighted(_ERROR, self.slopes, i)) / scale
            if not math.isfinite(new) or not math.isfinite(error):
                return math.inf, i
            if error > worst:
                worst, which = error, i
        return worst, which


def _weighted(weights: Sequence[float], slopes: Sequence[Sequence[float]], i: int) -> float:
    return sum(weight * slope[i] for weight, slope in zip(weights, slopes, strict=False))


def try_step(
    rates: Callable[[float, list[float]], Sequence[float]], start: float, end: float, before: list[float], slope: Sequence[float]
) -> TrialStep:
    """A step from ``before``, where ``slope`` is known already."""
    slopes, states, size = [slope], before, end - start
    for node, weights in zip(_NODES, _STAGES, strict=True):
        states = [x + size * _weighted(weights, slopes, i) for i, x in enumerate(before)]
        slopes.append(rates(end if node == 1 else start + node * size, states))
    return TrialStep(start, end, before, states, slopes)


def growth(error: float) -> float:
    """Returns the factor for the size of the next step, from the error of the last one."""
    if error == 0:
        return 5.0
    return min(5.0, max(0.2, 0.9 * error**-0.2)) if math.isfinite(error) else 0.2
