"""CVODE of SUNDIALS: backward differentiation formulas of variable order for stiff systems, with the exact Jacobian."""

from __future__ import annotations

from contextlib import suppress
from typing import NoReturn

import numpy as np

from coupling.kernel.runs.cvode import Cvode as InKernel
from coupling.kernel.runs.sundials import SundialsFunctions, library_of
from coupling.kernel.system.status import Status
from coupling.live.derivatives.linearise import StateJacobian
from coupling.live.derivatives.slopes import GraphSlopes, jacobian_of
from coupling.live.pausing import Integration
from coupling.live.session import Session
from coupling.live.tolerances import state_tolerances
from coupling.options import Run
from coupling.solvers.base import stepwise
from coupling.solvers.base.solver import SOLVERS, Solver
from coupling.solvers.base.stepwise import NOT_FINITE, Equations, GaveUp, SteppedInC, Stopped
from coupling.solvers.base.sundials import FEW, PERSISTENT, TOO_SMALL, LastKnown, Matrix, Sundials, as_reason, linked, load, make, options


def integrate(session: Session, run: Run) -> Integration:
    """Runs the system by CVODE."""
    return stepwise.integrate(session, run, "CVODE", _made)


def _made(equations: Equations, run: Run) -> Cvode | CvodeInC:
    """Returns the solver. If the system is evaluated by its own equations, all calls stay in C."""
    load("CVODE")
    jacobian = jacobian_of(equations.session)
    if isinstance(jacobian, GraphSlopes) and can_be_called(equations, jacobian):
        with suppress(OSError):  # of a process that may open nothing but FMUs
            return CvodeInC(equations, run, jacobian)
    return Cvode(equations, run, jacobian)


def can_be_called(equations: Equations, jacobian: GraphSlopes) -> bool:
    """Says whether the kernel can call the library for this system.

    It cannot for sparse matrices. In another process it cannot for large ones, which need a library that begins threads.
    """
    many = jacobian.has_loops and not equations.kernel.library.is_elsewhere
    return equations.by_kernel and (many or equations.states <= FEW) and library_of(linked("CVODE")) is not None


class CvodeInC(SteppedInC):
    """CVODE called by the kernel, and calling it, without Python in between."""

    def __init__(self, equations: Equations, run: Run, jacobian: GraphSlopes) -> None:
        self._equations, self._jacobian = equations, jacobian
        atol = state_tolerances(equations.session, run)
        kernel, blocked = equations.kernel, len(atol) > FEW
        sundials = SundialsFunctions(kernel.library, library_of(linked("CVODE")))
        self._cvode = InKernel(kernel, sundials, run.rtol, atol, longest=run.max_step, most_failures=PERSISTENT, blocked=blocked)
        self.structure = self._cvode.structure

    @property
    def rejected(self) -> int:
        return self._cvode.state.rejected

    @property
    def jacobians(self) -> int:
        return self._cvode.state.jacobians

    def raise_why(self) -> NoReturn:
        told, raised = self._cvode.state, self._equations.session.running.raised
        if raised is not None:
            raise raised
        if told.status:
            raise Stopped(Status(told.status))
        if told.infinite:
            raise GaveUp(NOT_FINITE)
        raise GaveUp(as_reason(linked("CVODE").CVMESSAGES[told.flag]) if told.flag < 0 else TOO_SMALL)


class Cvode(Sundials):
    def __init__(self, equations: Equations, run: Run, jacobian: GraphSlopes | StateJacobian) -> None:
        self._jacobian = jacobian
        n, linear = equations.states, jacobian.linear
        if jacobian.has_loops:  # these connect everything
            self._matrix = Matrix.full(n)
            self._values = LastKnown(jacobian.dense)
        else:
            missing = np.setdiff1d(np.arange(n), linear.rows[linear.rows == linear.columns])
            self._matrix = Matrix.of(n, np.append(linear.rows, missing), np.append(linear.columns, missing))
            self._values = LastKnown(lambda: np.append(linear.values(), 0 * missing))
        more = options(run, state_tolerances(equations.session, run), jacfn=self._differentiate, **self._matrix.options)
        super().__init__(equations, make(load("CVODE"), self._derivatives, **more))

    def _start(self, t: float, x: np.ndarray) -> np.ndarray:
        self._jacobian.linear.renew()
        return self._solver.init_step(t, x).y

    def _derivatives(self, t: float, y: np.ndarray, dy: np.ndarray) -> None:
        self._tried.add(t)
        self._equations.derivatives(t, y, dy)

    def _differentiate(self, t: float, y: np.ndarray, dy: np.ndarray, matrix: np.ndarray) -> None:
        if self._equations.evaluate(t, y, np.empty(len(y))):
            self._matrix.fill(matrix, self._values())


SOLVERS.register("cvode", Solver(integrate))
