"""Common parts of the solvers of SUNDIALS, as scikit-sundae offers them."""

from __future__ import annotations

import os
import sys
import warnings
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterator
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, replace
from importlib import import_module
from types import ModuleType
from typing import Any

import numpy as np
import scipy

from coupling.live.derivatives.linearise import NoDerivative
from coupling.options import Run
from coupling.solvers.base.stepwise import Equations, GaveUp

FEW = 60
"""Unknowns up to which a dense matrix is factorised faster than a sparse one."""
_DENSE = 0.2
"""Share of entries from which on a matrix counts as dense."""
PERSISTENT = 20
"""Convergence failures in one step; each quarters it. A step that an FMU discards counts as one."""
TOO_SMALL = "the step size fell below the resolution of numbers"
_FUZZ = 100 * float(np.finfo(float).eps)
"""Largest distance, as a share of the time, between a solver and the limit that it reports to have reached."""


class Sundials(ABC):
    """A solver for y, which begins with the states."""

    _values: LastKnown
    """Entries of the solver's Jacobian that may differ from zero."""

    def __init__(self, equations: Equations, solver: Any) -> None:
        self._equations, self._solver = equations, solver
        self.rejected = 0
        self._t = self._before = self._limit = self._stop = 0.0
        self._y = np.zeros(0)
        self._tried: set[float] = set()
        self._fresh, self._looked_back = True, False

    @property
    def jacobians(self) -> int:
        return self._values.asked

    @abstractmethod
    def _start(self, t: float, x: np.ndarray) -> np.ndarray:
        """Sets the solver to a point where the system is evaluated; returns y."""

    def restart(self, t: float, x: np.ndarray, limit: float, first: float = np.inf) -> None:
        self._limit, self._stop, self._t, self._before = limit, min(limit, t + max(first, 10 * _FUZZ * abs(t))), t, t
        self._fresh, self._looked_back = True, False
        x = self._equations.arrive(t, x)
        try:
            with _quiet():
                self._y = self._start(t, x)
        except RuntimeError as error:
            raise GaveUp(str(error)) from None

    def step(self) -> float:
        self._tried.clear()
        try:
            self._advance()
        except GaveUp:
            if self._fresh:
                raise
            self.restart(self._t, self._y[: self._equations.states], self._limit)  # with a small step of first order
            self._advance()
        self._tried.discard(self._t)
        self.rejected += 0 if self._fresh else len(self._tried)
        self._fresh = False
        return self._t

    def go_on(self, limit: float) -> None:
        self._limit = self._stop = limit

    def _advance(self) -> None:
        with _quiet():
            result = self._solver.step(self._stop, method="onestep", tstop=self._stop)
            if result.status >= 0 and result.t <= self._t and self._looked_back:  # it came back to where it is, no more
                result = self._solver.step(self._stop, method="onestep", tstop=self._stop)
        _check(result)
        if result.t <= self._t:
            raise GaveUp(TOO_SMALL)
        self._before, self._t, self._y, self._looked_back = self._t, result.t, result.y, False
        self._stop = self._limit

    def state(self, t: float) -> np.ndarray:
        if abs(self._t - t) <= _FUZZ * max(abs(self._t), self._t - self._before):
            return self._y[: self._equations.states]
        self._looked_back = True
        with _quiet():
            result = self._solver.step(t, method="normal")
        _check(result)
        return result.y[: self._equations.states]


def _check(result: Any) -> None:
    if result.status < 0:
        raise GaveUp(as_reason(result.message))


def as_reason(message: str) -> str:
    """Returns a sentence without its stop, as the end of another one."""
    return message[0].lower() + message[1:].rstrip(".")


@dataclass(frozen=True)
class Matrix:
    """The matrix that a solver factorises: dense, or sparse where that pays."""

    options: dict[str, Any]
    """Options for the solver."""
    places: np.ndarray | None
    """Places of the values in the matrix that scikit-sundae fills; None if they are all its entries."""

    @property
    def sparse(self) -> bool:
        return self.options["linsolver"] == "sparse"

    @staticmethod
    def full(size: int) -> Matrix:
        return Matrix({"linsolver": "dense" if size <= FEW else "lapackdense"}, None)

    @staticmethod
    def of(size: int, rows: np.ndarray, columns: np.ndarray) -> Matrix:
        """Returns the matrix with all places that can differ from zero, each once."""
        if size <= FEW or len(rows) > _DENSE * size * size:
            return replace(Matrix.full(size), places=rows * size + columns)
        order = np.lexsort((rows, columns))
        starts = np.searchsorted(columns[order], np.arange(size + 1)).astype(np.int32)
        pattern = scipy.sparse.csc_array((np.ones(len(rows)), rows[order].astype(np.int32), starts), shape=(size, size))
        places = np.empty(len(rows), dtype=int)
        places[order] = np.arange(len(rows))
        return Matrix({"linsolver": "sparse", "sparsity": pattern}, places)

    def fill(self, matrix: np.ndarray, values: np.ndarray) -> None:
        if self.places is None:
            matrix[:] = values
        else:
            matrix.reshape(-1)[self.places] = values


class LastKnown:
    """A Jacobian that keeps its last value if it has no new one: any approximate Jacobian leads to the solution."""

    def __init__(self, jacobian: Callable[[], np.ndarray]) -> None:
        self._jacobian = jacobian
        self._known: np.ndarray | None = None
        self.asked = 0
        """Number of calls."""

    def __call__(self) -> np.ndarray:
        self.asked += 1
        try:
            self._known = self._jacobian()
        except NoDerivative as error:
            if not error.discarded or self._known is None:
                raise
        return self._known


def options(run: Run, atol: np.ndarray, **more: Any) -> dict[str, Any]:
    """Returns the options that both solvers take."""
    return {
        "rtol": run.rtol,
        "atol": atol,
        "max_step": run.max_step if np.isfinite(run.max_step) else 0.0,
        "max_conv_fails": PERSISTENT,
        **more,
    }


def load(name: str) -> Any:
    """Returns the class of a solver. Its parallel libraries keep processors busy while they wait, so they get one thread by default."""
    alone = {variable: "1" for variable in ("OMP_NUM_THREADS", "OPENBLAS_NUM_THREADS") if variable not in os.environ}
    os.environ.update(alone)
    try:
        return getattr(import_module(f"sksundae.{name.lower()}"), name)
    finally:
        for variable in alone:
            del os.environ[variable]


def linked(name: str) -> ModuleType:
    """Returns the module of a loaded solver that is linked with its library, and knows its error codes."""
    return import_module(f"sksundae._cy_{name.lower()}")


def make(solver: Any, *functions: Any, **more: Any) -> Any:
    """Returns a solver, without the warning that a pattern is ignored if a Jacobian exists."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return solver(*functions, **more)


class _Filter:
    """Standard output without the text that scikit-sundae prints when a solver fails; the outcome has it."""

    def __init__(self, target: Any) -> None:
        self._target, self._dropped = target, False

    def write(self, text: str) -> int:
        if text.startswith("\n[") and ", Error: " in text:
            self._dropped = True
        elif self._dropped:
            self._dropped = False
        else:
            self._target.write(text)
        return len(text)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._target, name)


@contextmanager
def _quiet() -> Iterator[None]:
    with redirect_stdout(_Filter(sys.stdout)):
        yield
