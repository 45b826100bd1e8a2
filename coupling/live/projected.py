"""Jacobians where states are moved onto the constraints before derivatives are taken."""

from __future__ import annotations

import numpy as np

from coupling.kernel.kernel import Kernel
from coupling.kernel.rows import NONE
from coupling.live.linearise import Linearisation, StateJacobian, solved
from coupling.live.session import Session
from coupling.plan.projection import Reading


def state_jacobian(session: Session) -> StateJacobian:
    """Of what a solver integrates."""
    reading = session.built.reading
    return ProjectedJacobian(session, reading) if reading else StateJacobian(session)


class Tangent:
    """How projected states answer to states, at a point that satisfies the constraints."""

    def __init__(self, session: Session, reading: Reading) -> None:
        self._states, held = session.built.states, reading.constraints
        self._linear = Linearisation(session, list(reading.outputs.values()))
        row = {slot: i for i, slot in enumerate(reading.outputs)}
        first = np.cumsum([0, *(len(loop.unknowns) for loop in session.schedule.loops)])
        self._unknowns = np.array([first[h.loop] + h.unknown for h in held])
        self._levels = [
            (np.array([i for i, slot in enumerate(slots) if slot is not None]), np.array([row[slot] for slot in slots if slot is not None]))
            for slots in ([h.position for h in held], [h.velocity for h in held])
        ]
        motion = session.rows.table("motion")
        self._velocity = np.array(sorted(reading.states))
        rate_of = dict(zip(motion["velocity"].tolist(), motion["state"].tolist(), strict=True))
        self._position = np.array([rate_of.get(v, NONE) for v in self._velocity.tolist()])

    def at_present(self, answers: np.ndarray, equations: np.ndarray, redundant: bool) -> np.ndarray:
        """From the derivatives of the states' derivatives, and of the residuals, by the loops' unknowns."""
        constraints = self._linear.at_present()[:, : self._states]
        moving = answers @ solved(equations, np.eye(len(equations))[:, self._unknowns], redundant)
        found = np.eye(self._states)
        for target, (held, rows) in zip((self._position, self._velocity), self._levels, strict=True):
            kept = target != NONE
            found[target[kept]] -= moving[np.ix_(self._velocity[kept], held)] @ (constraints[rows] @ found)
        return found


class ProjectedJacobian(StateJacobian):
    """Of the projected right-hand side."""

    def __init__(self, session: Session, reading: Reading) -> None:
        super().__init__(session)
        self._tangent = Tangent(session, reading)

    def dense(self) -> np.ndarray:
        n, derivatives = self._states, super().dense()
        if not self.has_loops:
            return derivatives
        tangent = self._tangent.at_present(self._full[:n, n:], self._full[n:, n:], self.redundant())
        return following(derivatives, tangent, self._kernel)


def following(derivatives: np.ndarray, tangent: np.ndarray, kernel: Kernel) -> np.ndarray:
    """The Jacobian of the projected right-hand side from that at the projected states."""
    return derivatives @ tangent - kernel.decay * (np.eye(len(tangent)) - tangent)
