"""Broyden's method: corrects Newton's moves by what the last of them have done.

C. G. Broyden, A class of methods for solving nonlinear simultaneous equations, Math. Comp. 19 (1965): his first update, of the inverse
(Sherman and Morrison).
"""

from __future__ import annotations

import numpy as np


class Broyden:
    """Since over a step constraints do not answer quite as the Jacobian says, a matrix stands between the move wanted and the move made."""

    MOST = 300
    """Unknowns from which on nothing is learned: the matrix would cost more than it saves."""

    def __init__(self, count: int) -> None:
        self._count = count
        self._last: tuple[np.ndarray, np.ndarray] | None = None
        self.reset()

    def reset(self) -> None:
        """Makes moves as Newton wants them."""
        self._inverse = np.eye(self._count) if self._count <= self.MOST else None
        self._last = None

    def forget_last(self) -> None:
        """What follows begins from another point."""
        self._last = None

    def update(self, wanted: np.ndarray) -> None:
        """Learns from the move that is still wanted after the last one."""
        if self._inverse is None or self._last is None:
            return
        before, made = self._last
        self._last = None
        change = before - wanted
        if not made.any():
            return
        answer = self._inverse @ change
        weight = made @ answer
        if abs(weight) > 1e-12 * (made @ made):
            self._inverse += np.outer(made - answer, made @ self._inverse) / weight

    def corrected(self, wanted: np.ndarray) -> np.ndarray:
        """The move to make where Newton wants another."""
        made = wanted if self._inverse is None else self._inverse @ wanted
        self._last = wanted, made
        return made
