"""IDA of SUNDIALS: the differential-algebraic system as a whole, the unknowns of its loops among the variables, with the exact Jacobian."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from coupling.live.derivatives.projected import Tangent, following
from coupling.live.derivatives.slopes import opened
from coupling.live.pausing import Integration
from coupling.live.scales import scales
from coupling.live.session import Session
from coupling.live.tolerances import given_tolerances, state_tolerances
from coupling.options import Run
from coupling.solvers.base import stepwise
from coupling.solvers.base.solver import SOLVERS, Solver
from coupling.solvers.base.stepwise import Equations
from coupling.solvers.base.sundials import LastKnown, Matrix, Sundials, load, make, options


def integrate(session: Session, run: Run) -> Integration:
    """Runs the system by IDA."""
    return stepwise.integrate(session, run, "IDA", Ida)


_RANK = 1e-10
"""Singular values, of the equilibrated equations of the unknowns, that count as zero."""
_FREED = 1e-6
"""Largest rest, as a share of the unknowns, in the directions that redundant equations leave open."""


@dataclass(frozen=True)
class _Redundancy:
    """Rank deficiency of redundant equations r(z): r + lacking (open' z) = 0 has one solution, with no part along ``open``."""

    lacking: np.ndarray
    open: np.ndarray


class Ida(Sundials):
    """IDA for y = [x, z], the states and the unknowns; F = [x' - f(t, x, z), r(t, x, z)].

    If equations are redundant at the start, or after an event, the solution without any part in the open directions is taken. As soon as
    they are no longer redundant, they are taken as they are. If a mechanism passes a pose in which its constraints become redundant, the
    multipliers may grow there without bound. Other solvers step over such a point. IDA also controls the errors of the multipliers, and may
    come out on another branch of the motion.
    """

    def __init__(self, equations: Equations, run: Run) -> None:
        session, n = equations.session, equations.states
        self._linear = linear = opened(session)
        self._unknown = [slot for loop in session.schedule.loops for slot in range(loop.first, loop.first + len(loop.unknowns))]
        self._size = n + len(self._unknown)
        missing = np.setdiff1d(np.arange(n), linear.rows[linear.rows == linear.columns])
        self._rows, self._columns = np.append(linear.rows, missing), np.append(linear.columns, missing)
        self._sign = np.where(self._rows < n, -1.0, 1.0)
        self._on_diagonal = np.flatnonzero((self._rows == self._columns) & (self._rows < n))
        self._values = LastKnown(lambda: np.append(linear.values(), 0 * missing))
        self._dx, self._r = np.empty(n), np.empty(self._size - n)
        self._loose = _tolerances_of_unknowns(equations, run)
        self._options = options(run, np.append(state_tolerances(session, run), self._loose), algebraic_idx=list(range(n, self._size)))
        self._redundancy: _Redundancy | None = None
        self._tangent = Tangent(session, session.built.reading) if session.built.reading and session.projects else None
        self._matrix = Matrix.of(self._size, self._rows, self._columns)
        super().__init__(equations, self._made())

    def _made(self) -> Any:
        return make(load("IDA"), self._residuals, jacfn=self._differentiate, **self._options, **self._matrix.options)

    def restart(self, t: float, x: np.ndarray, limit: float, first: float = np.inf) -> None:
        self._linear.renew()
        self._equations.arrive(t, x)
        self._redundancy = self._find_redundancy()
        if self._redundancy and self._matrix.sparse:
            self._matrix = Matrix.full(self._size)
            self._solver = self._made()
        super().restart(t, x, limit, first)

    def _start(self, t: float, x: np.ndarray) -> np.ndarray:
        y = np.append(x, self._equations.kernel.slots[self._unknown])
        dy = np.append(self._equations.present_derivatives, np.zeros(len(self._r)))
        return self._solver.init_step(t, y, dy).y

    def step(self) -> float:
        t, x = self._t, self._y[: self._equations.states].copy()
        end = super().step()
        if self._redundancy and self._no_longer(self._redundancy):
            self._redundancy = None
            self._equations.arrive(t, x)
            super().restart(t, x, self._limit)
            end = super().step()
        return end

    def _find_redundancy(self) -> _Redundancy | None:
        equations, n = self._equations, self._equations.states
        if not any(equations.kernel.deficient(i)[0] for i in range(len(equations.session.schedule.loops))):
            return None
        matrix = np.zeros((self._size, self._size))
        matrix[self._rows, self._columns] = self._values()
        matrix = matrix[n:, n:]
        of_rows, of_columns = np.ones(len(matrix)), np.ones(len(matrix))
        for _ in range(5):
            size = np.abs(matrix) * of_rows[:, None] * of_columns
            of_rows /= np.sqrt(_or_one(size.max(axis=1)))
            of_columns /= np.sqrt(_or_one(size.max(axis=0)))
        left, values, right = np.linalg.svd(matrix * of_rows[:, None] * of_columns)
        none = values <= _RANK * values[0]
        if not none.any():
            return None
        return _Redundancy(left[:, none] / of_rows[:, None], right[none].T * of_columns[:, None] / np.mean(of_columns**2))

    def _no_longer(self, redundancy: _Redundancy) -> bool:
        z = self._y[self._equations.states :]
        allowed = np.abs(redundancy.open).T @ (_FREED * np.abs(z) + self._loose)
        return bool((np.abs(redundancy.open.T @ z) > allowed).any())

    def _evaluate(self, t: float, y: np.ndarray) -> bool:
        n = self._equations.states
        return self._equations.residuals(t, y[:n], y[n:], self._dx, self._r)

    def _residuals(self, t: float, y: np.ndarray, dy: np.ndarray, residual: np.ndarray) -> None:
        self._tried.add(t)
        n = self._equations.states
        if not self._evaluate(t, y):
            residual[:] = np.nan
            return
        np.subtract(dy[:n], self._dx, out=residual[:n])
        residual[n:] = self._r
        if self._redundancy:
            residual[n:] += self._redundancy.lacking @ (self._redundancy.open.T @ y[n:])

    def _differentiate(self, t: float, y: np.ndarray, dy: np.ndarray, residual: np.ndarray, cj: float, matrix: np.ndarray) -> None:
        if not self._evaluate(t, y):
            return
        values = self._sign * self._values()
        values[self._on_diagonal] += cj
        if self._matrix.sparse:
            self._matrix.fill(matrix, values)
            return
        matrix[:] = 0
        matrix[self._rows, self._columns] = values
        if self._tangent:
            self._follow_projection(matrix, cj, self._tangent)
        if self._redundancy:
            n = self._equations.states
            matrix[n:, n:] += self._redundancy.lacking @ self._redundancy.open.T

    def _follow_projection(self, matrix: np.ndarray, cj: float, tangent: Tangent) -> None:
        n = self._equations.states
        slope, projected = cj * np.eye(n), tangent.at_present(-matrix[:n, n:], matrix[n:, n:], self._redundancy is not None)
        matrix[n:, :n] = matrix[n:, :n] @ projected
        matrix[:n, :n] = slope - following(slope - matrix[:n, :n], projected, self._equations.kernel)


def _tolerances_of_unknowns(equations: Equations, run: Run) -> np.ndarray:
    """Returns the absolute tolerances of the unknowns, as given by name.

    By default those of algebraic variables are loose, since their errors do not add up and tight ones cost many steps. They are the root of
    ``rtol`` times a size: the greatest of the same unit at the start, and at least a nominal value or 1. Torn inputs are as tight as
    states.
    """
    session = equations.session
    names, units, sizes, nominals, torn, addresses = [], [], [], [], [], []
    for loop in session.schedule.loops:
        for i, address in enumerate(loop.unknowns):
            variable = session.built.parts[address.part].fmu.by_reference[address.reference]
            names.append(session.named(address.part, address.reference))
            units.append(variable.unit)
            sizes.append(abs(equations.kernel.slots[loop.first + i]))
            nominals.append(abs(variable.nominal) or 1.0)
            addresses.append(address)
            torn.append(i >= len(loop.unknowns) - loop.torn)
    own = np.where(np.array(nominals) == 1, scales(session, addresses, forces=True), nominals)
    greatest = {unit: max(size for size, other in zip(sizes, units, strict=True) if other == unit) for unit in set(units)}
    loose = [np.sqrt(run.rtol) * max(nominal, greatest[unit]) for nominal, unit in zip(own, units, strict=True)]
    tight = run.rtol * own
    return given_tolerances(run, names, np.where(torn, tight, loose))


def _or_one(sizes: np.ndarray) -> np.ndarray:
    return np.where(sizes > 0, sizes, 1.0)


SOLVERS.register("ida", Solver(integrate, along=True))
