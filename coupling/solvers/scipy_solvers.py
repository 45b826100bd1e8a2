"""The solvers of SciPy: explicit Runge-Kutta methods, implicit ones for stiff systems, and LSODA, which switches between both."""

from __future__ import annotations

import warnings
from collections import defaultdict
from contextlib import closing, suppress
from functools import partial
from typing import TYPE_CHECKING, Any

import numpy as np

from coupling.live.derivatives.slopes import jacobian_of
from coupling.live.pausing import Integration
from coupling.live.session import Session
from coupling.live.tolerances import state_tolerances
from coupling.options import Run
from coupling.solvers.base import stepwise
from coupling.solvers.base.solver import SOLVERS, Solver
from coupling.solvers.base.stepwise import Equations, GaveUp
from coupling.solvers.base.sundials import LastKnown

if TYPE_CHECKING:
    from scipy.integrate import DenseOutput

NAMES = ("RK23", "RK45", "DOP853", "Radau", "BDF", "LSODA")
_IMPLICIT = ("Radau", "BDF", "LSODA")
_EVALUATIONS = {"RK23": 3, "RK45": 6, "DOP853": 12}
"""Evaluations of an attempted step, for those methods in which each attempt takes the same number."""
_TIMES = {"Radau": 3, "BDF": 1, "LSODA": 1}
"""Number of different times at which the other methods evaluate an attempted step."""
_ORDER = {"RK23": 2, "RK45": 4, "DOP853": 7, "Radau": 3, "BDF": 1}
"""Orders of the error estimates."""


_SPARE: defaultdict[tuple[int, int], list[tuple[np.ndarray, np.ndarray]]] = defaultdict(list)
"""Work arrays of LSODA that no run uses, by their lengths."""


def integrate(name: str, session: Session, run: Run) -> Integration:
    """Runs the system by one of SciPy's solvers."""
    with closing(_WorkArrays()) as work:
        return (yield from stepwise.integrate(session, run, name, partial(Scipy, name, work)))


class _WorkArrays:
    """The work arrays of a run by LSODA. SciPy 1.17 loses a reference to them in each step, so they are never freed: other runs use them next."""

    def __init__(self) -> None:
        self._arrays: tuple[np.ndarray, np.ndarray] | None = None

    def lend(self, solver: Any) -> None:
        """Puts these arrays in the place of those that a new solver has made."""
        integrator = solver._lsoda_solver._integrator
        made = integrator.rwork, integrator.iwork
        if self._arrays is None:
            with suppress(IndexError):  # raised where no arrays are spare; another thread may take the last ones at any moment
                self._arrays = _SPARE[self._lengths(made)].pop()
        self._arrays = self._arrays or made
        for lent, own in zip(self._arrays, made, strict=True):
            lent[:] = own
        integrator.rwork, integrator.iwork = integrator.call_args[4:6] = self._arrays

    def close(self) -> None:
        if self._arrays is not None:
            _SPARE[self._lengths(self._arrays)].append(self._arrays)
            self._arrays = None

    @staticmethod
    def _lengths(arrays: tuple[np.ndarray, np.ndarray]) -> tuple[int, int]:
        return len(arrays[0]), len(arrays[1])


class Scipy:
    def __init__(self, name: str, work: _WorkArrays, equations: Equations, run: Run) -> None:
        from scipy import integrate as scipy_integrate  # in some tenths of a second, which runs by other solvers do without

        self._name, self._work, self._equations, self._solver_class = name, work, equations, getattr(scipy_integrate, name)
        self._options: dict[str, Any] = {"rtol": max(run.rtol, 100 * np.finfo(float).eps), "max_step": run.max_step}
        self._atol = self._options["atol"] = state_tolerances(equations.session, run)
        self._jacobian = jacobian_of(equations.session) if name in _IMPLICIT else None
        if self._jacobian:
            self._ask = LastKnown(self._jacobian.dense)
            self._options["jac"] = self._differentiate
        self._solver: Any = None
        self._dense: DenseOutput | None = None
        self.rejected = 0
        self._tried: set[float] = set()
        self._gap = False

    @property
    def jacobians(self) -> int:
        return self._ask.asked if self._jacobian else 0

    def restart(self, t: float, x: np.ndarray, limit: float, first: float) -> None:
        x = self._equations.arrive(t, x)
        self._limit = limit
        if self._jacobian:
            self._jacobian.linear.renew()
        chosen = np.inf if self._name == "LSODA" else self._first_step(t, x, limit)
        self._begin(t, x, min(first, chosen, limit - t) if min(first, chosen) < np.inf else None)

    def _begin(self, t: float, x: np.ndarray, first_step: float | None) -> None:
        self._solver = self._solver_class(self._derivatives, t, x, self._limit, first_step=first_step, **self._options)
        if self._name == "LSODA":
            self._work.lend(self._solver)

    def go_on(self, limit: float) -> None:
        self._limit = self._solver.t_bound = limit
        self._solver.status = "running"
        if self._name == "LSODA":  # which was told of its limit when it was made
            self._begin(self._solver.t, self._solver.y, None)

    def step(self) -> float:
        solver = self._solver
        t, x, before = solver.t, solver.y.copy(), solver.nfev
        self._tried.clear()
        self._dense = None
        why = self._advance()
        evaluations, each = (len(self._tried), _TIMES[self._name]) if self._jacobian else (solver.nfev - before, _EVALUATIONS[self._name])
        self.rejected += max(0, evaluations // each - 1)
        reach = max(self._tried, default=t) - t
        while why and self._gap and reach > 1e-14 * abs(t):  # not every solver copes with NaN; smaller steps may not meet it
            reach /= 4
            self._begin(t, x, reach)
            why = self._advance()
            self.rejected += 1
        if why:
            raise GaveUp(why)
        return self._solver.t

    def _advance(self) -> str | None:
        """Takes a step; why not."""
        solver, self._gap = self._solver, False
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")
                message = solver.step()
        except (ValueError, np.linalg.LinAlgError) as error:  # of the linear algebra; a user's function may raise such things too
            if self._equations.session.running.raised is not None:
                raise
            message, solver.status = str(error), "failed"
        if solver.status == "failed":
            return message[0].lower() + message[1:].rstrip(".")
        finite = np.isfinite(solver.y).all() and np.isfinite(getattr(solver, "f", 0.0)).all()
        trusted = finite and not (self._gap and self._name == "LSODA")  # which goes on with NaN as if it were a number
        return None if trusted else "it met numbers that are not finite"

    def state(self, t: float) -> np.ndarray:
        if t == self._solver.t:
            return self._solver.y
        if self._dense is None:
            self._dense = self._solver.dense_output()
        return self._dense(t)

    def _derivatives(self, t: float, x: np.ndarray) -> np.ndarray:
        self._tried.add(t)
        dx = np.empty(len(x))
        self._equations.derivatives(t, np.ascontiguousarray(x), dx)
        self._gap = self._gap or bool(np.isnan(dx[:1]).any())
        return dx

    def _differentiate(self, t: float, x: np.ndarray) -> np.ndarray:
        self._derivatives(t, x)
        return self._ask().copy()

    def _first_step(self, t: float, x: np.ndarray, limit: float) -> float:
        """Returns the step for which an explicit Euler step errs by a hundredth of the tolerance. SciPy's own choice fails at NaN."""
        scale = self._atol + self._options["rtol"] * np.abs(x)
        longest = min(limit - t, self._options["max_step"])
        dx = self._derivatives(t, x)

        def size(v: np.ndarray) -> float:
            return float(np.sqrt(np.mean((v / scale) ** 2)))

        h = 0.01 * size(x) / size(dx) if min(size(x), size(dx)) > 1e-5 else 1e-6
        h = min(max(h, 1e-9 * max(abs(t), longest)), longest)  # states that begin near 0 tell nothing of the step
        change = np.full(len(x), np.nan)
        while not np.isfinite(change).all():
            if h < 1e-14 * max(abs(t), longest):
                raise GaveUp("there is no value near this point")
            change = self._derivatives(t + h, x + h * dx) - dx
            h /= 1 if np.isfinite(change).all() else 4
        steepest = max(size(dx), size(change) / h)
        guess = (0.01 / steepest) ** (1 / (_ORDER[self._name] + 1)) if steepest > 1e-15 else max(1e-6, 1e-3 * h)
        return min(100 * h, guess, longest)


for _name in NAMES:
    SOLVERS.register(_name, Solver(partial(integrate, _name)))
