"""Loops with constraints, whose multipliers the scheme finds between the points."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from coupling.live.constraints import LocatedConstraint
from coupling.live.session import Session
from coupling.plan.cosimulation.unsolvable import unsolvable
from coupling.schemes.base.stepper import require


class HeldLoops:
    """All loops of constraints. ``known`` marks the constraints whose response to multipliers is in the Jacobian of their loop."""

    def __init__(self, session: Session, constraints: Sequence[LocatedConstraint]) -> None:
        self._kernel, loops = session.kernel, session.schedule.loops
        self._held = {n: np.zeros(len(loops[n].unknowns), dtype=bool) for n in sorted({c.loop for c in constraints})}
        for constraint in constraints:
            self._held[constraint.loop][constraint.place] = True
        self._exact = [n for n in self._held if unsolvable(session.schedule, loops[n]) is None]
        self.known = np.array([c.loop in self._exact for c in constraints], dtype=bool)
        for n, held in self._held.items():
            self._kernel.hold(n, held)

    def solve_point(self) -> None:
        """Solves for the multipliers at the present point, if a Jacobian gives their effect."""
        for n in self._exact:
            self._kernel.hold(n, None)
        require(self._kernel.evaluate_point(self._kernel.time))
        for n in self._exact:
            self._kernel.hold(n, self._held[n])
