"""How constraints answer to multipliers over a step where no Jacobian tells, found by steps with multipliers moved a little."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

PERTURBATION = 1e-3
"""By how much multipliers are moved, relative to their size."""


class Response:
    """The derivatives of enforced violations with respect to the unknowns, for a step of one size."""

    def __init__(self, constraints: np.ndarray, enforced: np.ndarray, unknowns: int) -> None:
        """``constraints`` are those that no Jacobian tells of; ``enforced`` and ``unknowns`` as in :class:`ConstraintLevel`, of all."""
        self.constraints, self._enforced = constraints, enforced[:, constraints]
        self._powers = np.broadcast_to([[2.0], [1.0]], self._enforced.shape)[self._enforced]
        """The powers of the step size with which violations grow."""
        places = np.arange(unknowns * enforced.shape[1]).reshape(unknowns, -1)[:, constraints]
        both: np.ndarray = self._enforced.sum(axis=0) == 2
        self._directions = [
            *places[0][both][:, None],
            *(column[-1:] if two else column for column, two in zip(places.T, both, strict=True)),
        ]
        """Which unknowns move together: those of a constraint that determines one value of its multiplier are the same."""
        self._step = 0.0
        self.matrix = np.zeros((0, 0))

    def __bool__(self) -> bool:
        return len(self.constraints) > 0

    @property
    def known(self) -> bool:
        return self._step > 0

    def rescale(self, h: float) -> None:
        """What is known of one step size tells of others."""
        self.matrix = self.matrix * ((h / self._step) ** self._powers)[:, None]
        self._step = h

    def newton(self, violations: np.ndarray, move: np.ndarray) -> None:
        """Puts the moves of these multipliers into those of all."""
        found = -np.linalg.lstsq(self.matrix, self._of(violations), rcond=1e-10)[0]
        for places, amount in zip(self._directions, found, strict=True):
            move.flat[places] = amount

    def find(
        self,
        violations_of: Callable[[np.ndarray], np.ndarray],
        *,
        h: float,
        multipliers: np.ndarray,
        violations: np.ndarray,
        move: np.ndarray,
    ) -> bool:
        """Finds the derivatives by differences from these violations, and returns whether there are any.

        ``violations_of`` takes a step of size h with the multipliers moved; ``move`` is such a move, of nothing.
        """
        size = PERTURBATION * max(1.0, float(np.abs(multipliers[:, self.constraints]).max()))
        before = self._of(violations)
        columns = []
        for places in self._directions:
            moved = np.zeros_like(move)
            moved.flat[places] = size
            columns.append((self._of(violations_of(moved)) - before) / size)
        self._step, self.matrix = h, np.array(columns).T
        return bool(np.isfinite(self.matrix).all() and self.matrix.any())

    def _of(self, violations: np.ndarray) -> np.ndarray:
        """The enforced violations of these constraints."""
        return violations[:, self.constraints][self._enforced]
