"""CVODE of SUNDIALS: backward differentiation formulas of variable order for stiff systems, with the exact Jacobian."""

from __future__ import annotations

import numpy as np

from coupling.live.projected import state_jacobian
from coupling.live.session import Session
from coupling.live.tolerances import state_tolerances
from coupling.options import Run
from coupling.outcome import Outcome
from coupling.solvers.base import stepwise
from coupling.solvers.base.solver import SOLVERS, Solver
from coupling.solvers.base.stepwise import Equations
from coupling.solvers.base.sundials import Matrix, Sundials, last_known, load, make, options


def integrate(session: Session, run: Run) -> Outcome:
    """Runs the system by CVODE."""
    return stepwise.integrate(session, run, "CVODE", lambda equations: Cvode(equations, run))


class Cvode(Sundials):
    def __init__(self, equations: Equations, run: Run) -> None:
        self._jacobian = jacobian = state_jacobian(equations.session)
        n, linear = equations.states, jacobian.linear
        if jacobian.has_loops:  # these connect everything
            self._matrix = Matrix.full(n)
            self._values = last_known(jacobian.dense)
        else:
            missing = np.setdiff1d(np.arange(n), linear.rows[linear.rows == linear.columns])
            self._matrix = Matrix.of(n, np.append(linear.rows, missing), np.append(linear.columns, missing))
            self._values = last_known(lambda: np.append(linear.values(), 0 * missing))
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
