"""Newton's moves of multipliers from the Jacobians of their loops, which tell how accelerations answer to them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from coupling.live.constraints import LocatedConstraint
from coupling.live.session import Session
from coupling.plan.unsolvable import unsolvable
from coupling.schemes.base.stepper import require

Newton = Callable[[Callable[[np.ndarray], np.ndarray], np.ndarray, np.ndarray, float], np.ndarray]


class LoopNewton:
    """All loops with constraints; between the points their multipliers are not the loops' own to find."""

    def __init__(self, session: Session, constraints: Sequence[LocatedConstraint]) -> None:
        self._kernel, loops = session.kernel, session.schedule.loops
        numbers = sorted({c.loop for c in constraints})
        self._sizes = {n: len(loops[n].unknowns) for n in numbers}
        self._columns = {n: np.array([i for i, c in enumerate(constraints) if c.loop == n]) for n in numbers}
        self._places = {n: np.array([constraints[i].place for i in self._columns[n]]) for n in numbers}
        self._exact = [n for n in numbers if unsolvable(session.schedule, loops[n]) is None]
        """Loops whose Jacobian tells how constraints answer to multipliers."""
        self.unknown = np.array([i for i, c in enumerate(constraints) if c.loop not in self._exact], dtype=int)
        """The constraints of the others."""
        for n in numbers:
            self._hold(n)

    def _hold(self, n: int) -> None:
        held = np.zeros(self._sizes[n], dtype=bool)
        held[self._places[n]] = True
        self._kernel.hold(n, held)

    def solve_point(self) -> None:
        """Solves for the multipliers at the present point, where a Jacobian tells how."""
        for n in self._exact:
            self._kernel.hold(n, None)
        require(self._kernel.evaluate_point(self._kernel.time))
        for n in self._exact:
            self._hold(n)

    def linearise(self) -> None:
        """Makes the Jacobians at the present point."""
        for n in self._exact:
            require(self._kernel.linearise(n))

    def newton(self, newton: Newton, *, violations: np.ndarray, holonomic: np.ndarray, h: float, move: np.ndarray) -> None:
        """Puts the moves of these multipliers into those of all; ``newton`` is that of a :class:`ConstraintLevel`."""
        for n in self._exact:
            columns = self._columns[n]
            move[:, columns] = newton(partial(self._solve, n), violations[:, columns], holonomic[columns], h)

    def _solve(self, n: int, right: np.ndarray) -> np.ndarray:
        """What accelerations answer to; all else in the loop follows."""
        full = np.zeros(self._sizes[n])
        full[self._places[n]] = right
        return self._kernel.solve_linear(n, full)[self._places[n]]
