"""Exact derivatives from the graph of a system, where a run is evaluated by the graph instead of the FMUs."""

from __future__ import annotations

import numpy as np

from coupling.kernel.equations.slopes import KernelSlopes, slope_structure
from coupling.kernel.system.status import Status
from coupling.live.derivatives.linearise import Linearisation, NoDerivative, StateJacobian, open_loops
from coupling.live.derivatives.projected import state_jacobian
from coupling.live.session import Session


class GraphSlopes:
    """The linearisation with open loops and the Jacobian of the states' derivatives, computed in the process of the kernel."""

    def __init__(self, session: Session) -> None:
        found = session.program.slopes
        structure = session.once(
            "slopes",
            lambda: slope_structure(
                session.kernel,
                found.code,
                found.initial,
                given=found.given,
                unknowns=found.unknowns,
                rows=found.rows,
                columns=found.columns,
                slots=found.slots,
            ),
        )
        self._kernel = KernelSlopes(session.kernel, structure)
        size = found.states + found.unknowns
        rows, columns = (np.array(places, dtype=int) for places in (found.rows, found.columns))  # of integers even where there are none
        self._chosen = np.flatnonzero(rows < size)
        self.rows, self.columns = rows[self._chosen], columns[self._chosen]
        """Rows and columns of the derivatives and residuals, by states and unknowns."""
        self.has_loops = found.unknowns > 0
        self.linear = self

    def renew(self) -> None:
        """Does nothing: the kernel itself knows of changes at events."""

    def values(self) -> np.ndarray:
        """Returns all entries that can differ from zero."""
        status, values = self._kernel.values()
        return _where_there_are(status, values)[self._chosen]

    def dense(self) -> np.ndarray:
        """Returns the Jacobian through the unknowns and the projection of states; to be called after an evaluation."""
        return _where_there_are(*self._kernel.state_jacobian())


def begin_slopes(session: Session) -> GraphSlopes | None:
    """Returns the derivatives from the graph, after fused code was set. Returns None where FMUs are called, and where joints come and go at
    times that the graph does not know."""
    return GraphSlopes(session) if by_graph(session) else None


def by_graph(session: Session) -> bool:
    """Says whether derivatives come from the graph, once fused code was set."""
    return session.kernel.fused is not None and session.program.all_known and not session.built.enforced


def jacobian_of(session: Session) -> GraphSlopes | StateJacobian:
    """Returns the Jacobian of the right-hand side that a solver integrates, by the graph if one exists."""
    return begin_slopes(session) or state_jacobian(session)


def opened(session: Session) -> GraphSlopes | Linearisation:
    """Returns the Jacobian of a system with open loops, by the graph if one exists."""
    return begin_slopes(session) or open_loops(session)


def _where_there_are(status: Status, values: np.ndarray) -> np.ndarray:
    if status is not Status.DONE:
        raise NoDerivative("the derivatives of the system's equations are not finite", discarded=True)
    return values
