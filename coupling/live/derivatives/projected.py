"""Jacobians where states are moved onto the constraints before derivatives are taken."""

from __future__ import annotations

import numpy as np

from coupling.kernel.system.kernel import Kernel
from coupling.live.derivatives.jacobians import turning
from coupling.live.derivatives.linearise import Linearisation, StateJacobian, solved
from coupling.live.session import Session
from coupling.plan.projection import Reading


def state_jacobian(session: Session) -> StateJacobian:
    """Returns the Jacobian of the right-hand side that a solver integrates."""
    reading = session.built.reading
    return ProjectedJacobian(session, reading) if reading and session.projects else StateJacobian(session)


class Tangent:
    """Derivatives of projected states by states, at a point that satisfies the constraints."""

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
        self._motion = motion["state"], motion["velocity"]
        self._turns = [(slice(omega, omega + 3), slice(q, q + 4)) for omega, q in session.rows.table("turn").tolist()]
        self._kernel = session.kernel
        self._off = session.off

    def at_present(self, answers: np.ndarray, equations: np.ndarray, redundant: bool) -> np.ndarray:
        """Returns the derivatives, from those of the states' derivatives and of the residuals by the loops' unknowns."""
        constraints = self._linear.at_present()[:, : self._states]
        on = ~self._off[self._unknowns]
        moving = answers @ solved(equations, np.eye(len(equations))[:, self._unknowns], redundant)
        found = np.eye(self._states)
        for follows, (held, rows) in zip((self._positions, lambda moved: moved), self._levels, strict=True):
            still = np.zeros_like(moving[:, held])
            still[self._velocity] = moving[np.ix_(self._velocity, held)]
            found -= follows(still) @ (on[held, None] * (constraints[rows] @ found))
        return found

    def _positions(self, moving: np.ndarray) -> np.ndarray:
        """Returns the change of positions for a change of velocities."""
        found = np.zeros_like(moving)
        state, velocity = self._motion
        found[state] = moving[velocity]
        for omega, q in self._turns:
            found[q] = turning(self._kernel.slots[q]) @ moving[omega]
        return found


class ProjectedJacobian(StateJacobian):
    """The Jacobian of the projected right-hand side."""

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
    """Returns the Jacobian of the projected right-hand side from that at the projected states."""
    return derivatives @ tangent - kernel.decay * (np.eye(len(tangent)) - tangent)
