"""Response of constraints to multipliers over a step without a Jacobian, found by steps with multipliers moved a little."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

PERTURBATION = 1e-3
"""Change of multipliers, relative to their size."""


class Response:
    """The derivatives of enforced violations with respect to the multipliers that are free, for a step of one size."""

    kept = ("_step", "_matrix", "_moves")

    def __init__(self, constraints: np.ndarray, enforced: np.ndarray, sizes: np.ndarray, forces: np.ndarray) -> None:
        """Takes the ``constraints`` without a Jacobian, and data of all constraints.

        ``enforced`` is as in :class:`ConstraintLevel`. ``sizes`` and ``forces`` are the sizes of violations and multipliers.
        """
        self.constraints, own = constraints, enforced[:, constraints]
        places = np.arange(own.size).reshape(own.shape)
        """Places of the constraints' violations, and of their multipliers at both ends of a step."""
        self._enforced = places[own]
        self._size_of, self._force_of = np.tile(sizes[constraints], 2)[self._enforced], np.tile(forces[constraints], 2)
        self._powers = np.where(self._enforced < len(constraints), 2.0, 1.0)
        """The powers of the step size with which violations grow."""
        both: np.ndarray = own.sum(axis=0) == 2
        self._directions = [
            *places[0][both][:, None],
            *(column[-1:] if two else column for column, two in zip(places.T, both, strict=True)),
        ]
        """Multipliers that move together. Both multipliers of a constraint that determines one value are the same."""
        self._step = 0.0
        self._matrix = np.zeros((0, 0))
        self._moves: np.ndarray | None = None

    def __bool__(self) -> bool:
        return len(self.constraints) > 0

    @property
    def known(self) -> bool:
        return self._step > 0

    def scale(self, factors: float | np.ndarray) -> None:
        """Multiplies the known response by factors."""
        self._matrix, self._moves = self._matrix * factors, None

    def rescale(self, h: float) -> None:
        """Adapts the response of one step size to another one."""
        if h != self._step:
            self.scale(((h / self._step) ** self._powers)[:, None])
            self._step = h

    @property
    def moves(self) -> np.ndarray:
        """Newton matrix from violations to multipliers: a row for each multiplier at both ends of a step, a column for each violation."""
        if self._moves is None:
            count, newton = 2 * len(self.constraints), -np.linalg.pinv(self._matrix, rcond=1e-10)
            self._moves = np.zeros((count, count))
            for places, row in zip(self._directions, newton, strict=True):
                self._moves[np.ix_(places, self._enforced)] = self._force_of[places, None] * (row / self._size_of)
        return self._moves

    def find(self, violations_of: Callable[[np.ndarray], np.ndarray], *, h: float, multipliers: np.ndarray, violations: np.ndarray) -> bool:
        """Finds the derivatives by differences from these violations, and returns whether there are any.

        ``violations_of`` takes a step of size h with the multipliers moved.
        """
        relative = multipliers[:, self.constraints].ravel() / self._force_of
        size = PERTURBATION * max(1.0, float(np.abs(relative).max()))
        before = violations[:, self.constraints].flat[self._enforced]
        columns = []
        for places in self._directions:
            own, moved = np.zeros((2, len(self.constraints))), np.zeros_like(multipliers)
            own.flat[places] = size * self._force_of[places]
            moved[:, self.constraints] = own
            columns.append((violations_of(moved)[:, self.constraints].flat[self._enforced] - before) / self._size_of / size)
        self._step, self._matrix, self._moves = h, np.array(columns).T, None
        return bool(np.isfinite(self._matrix).all() and self._matrix.any())
