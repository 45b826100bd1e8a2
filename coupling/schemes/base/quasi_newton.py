"""Fixed points by what repetitions have shown so far: IQN-ILS, which in one dimension is the secant method.

J. Degroote, K.-J. Bathe, J. Vierendeels, Performance of a new partitioned procedure versus a monolithic procedure in fluid-structure
interaction, Computers and Structures 87 (2009); differences of former steps are kept, the oldest first to go.
"""

from __future__ import annotations

import numpy as np

MOST = 10
"""Differences that are kept."""
_INDEPENDENT = 1e-2
"""The share of a difference that newer ones do not span already, from which on it tells something."""
_REACH = 1e-2
"""The least size of a difference, relative to what is left: it tells nothing of moves so much larger."""
_TELLING = 1e-6
"""The size of a move, relative to the unknowns, from which on the answer to it tells how strong the coupling is."""


class FixedPoint:
    """Of a map that is evaluated again and again, in one step after another."""

    def __init__(self) -> None:
        self._last: tuple[np.ndarray, np.ndarray, np.ndarray] | None = None
        self.reset()

    def reset(self) -> None:
        """Forgets what the map has answered."""
        self._answers: list[tuple[np.ndarray, np.ndarray]] = []
        self._last = None
        self.gains: list[float] = []
        """How much larger each change of the value was than that of the point: from 1 on mere repetition would diverge."""

    def begin(self) -> None:
        """What follows begins from another point."""
        self._last = None

    def next(self, x: np.ndarray, value: np.ndarray, scale: np.ndarray) -> np.ndarray:
        """The next point, where the map has this value at a point; ``scale`` is the size of each unknown."""
        residual = value - x
        if self._last is not None:
            moved, change = (x - self._last[0]) / scale, value - self._last[1]
            if np.abs(moved).max(initial=0.0) > _TELLING:
                self.gains = [*self.gains[-1:], float(np.linalg.norm(change / scale) / np.linalg.norm(moved))]
            self._answers.insert(0, (change, residual - self._last[2]))
            del self._answers[MOST:]
        self._last = x, value, residual
        changes: list[np.ndarray] = []
        basis: list[np.ndarray] = []
        rows: list[list[float]] = []
        left = residual / scale
        for change, difference in self._answers:
            rest, row = difference / scale, []
            whole = np.linalg.norm(rest)
            if whole < _REACH * np.linalg.norm(left):
                continue
            for direction in basis:
                row.append(float(direction @ rest))
                rest = rest - row[-1] * direction
            size = float(np.linalg.norm(rest))
            if size > _INDEPENDENT * whole:
                basis.append(rest / size)
                rows.append([*row, size])
                changes.append(change)
        wanted = [-float(direction @ left) for direction in basis]
        result = value
        for i in reversed(range(len(basis))):  # the triangle, from its last row
            share = wanted[i] / rows[i][i]
            for j in range(i):
                wanted[j] -= share * rows[i][j]
            result = result + share * changes[i]
        return result
