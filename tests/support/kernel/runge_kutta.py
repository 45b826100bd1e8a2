"""The kernel's Runge-Kutta integrator, for Python functions."""

from __future__ import annotations

import ctypes
import weakref
from collections.abc import Callable

import numpy as np
from numpy.typing import ArrayLike

from coupling.kernel import library
from coupling.kernel.runs.runge_kutta import Derivative, RungeKuttaStructure
from coupling.kernel.runs.tableau import DoublePointer, Tableau, TableauStructure, double_pointer
from coupling.kernel.system.status import Status

RungeKuttaPointer = ctypes.POINTER(RungeKuttaStructure)

library.rk_new.restype = RungeKuttaPointer
library.rk_new.argtypes = [
    ctypes.POINTER(TableauStructure),
    ctypes.c_int,
    Derivative,
    ctypes.c_void_p,
    ctypes.c_double,
    DoublePointer,
]
library.rk_free.restype = None
library.rk_free.argtypes = [RungeKuttaPointer]
library.rk_start.argtypes = [RungeKuttaPointer, ctypes.c_double, DoublePointer]
library.rk_step.argtypes = [RungeKuttaPointer, ctypes.c_double]
library.rk_stiffness.restype = ctypes.c_double
library.rk_stiffness.argtypes = [RungeKuttaPointer, ctypes.POINTER(ctypes.c_int)]
library.rk_interpolate.argtypes = [RungeKuttaPointer, ctypes.c_double, DoublePointer]


class Retry(Exception):
    """Raised by a derivative that has no value at a point: the step is repeated smaller."""


FAILED = -1  # another exception


class RungeKutta:
    """Integrates dx/dt = f(t, x); the fields of the C structure are attributes of `state`."""

    def __init__(self, method: Tableau, f: Callable[[float, np.ndarray], ArrayLike], rtol: float, atol: ArrayLike, count: int):
        self._error: BaseException | None = None
        tolerances = np.ascontiguousarray(np.broadcast_to(np.asarray(atol, dtype=float), count))

        def derivative(_context, t, x, dx):
            try:
                view(dx, count)[:] = f(t, view(x, count).copy())
            except Retry:
                return Status.RETRY
            except BaseException as error:
                self._error = error
                return FAILED
            return Status.DONE

        self._alive = (method, Derivative(derivative))
        self._handle = library.rk_new(method.structure, count, self._alive[1], None, rtol, double_pointer(tolerances))
        if not self._handle:
            raise MemoryError(f"{count} states")
        weakref.finalize(self, library.rk_free, self._handle)

    @property
    def state(self) -> RungeKuttaStructure:
        return self._handle.contents

    @property
    def x(self) -> np.ndarray:
        return view(self.state.x, self.state.count).copy()

    @property
    def dx(self) -> np.ndarray:
        return view(self.state.dx, self.state.count).copy()

    def start(self, t: float, x: ArrayLike) -> Status:
        return self._status(library.rk_start(self._handle, t, double_pointer(np.ascontiguousarray(x, dtype=float))))

    def step(self, limit: float = np.inf) -> Status:
        return self._status(library.rk_step(self._handle, limit))

    def integrate(self, limit: float) -> Status:
        """Steps until the limit is reached or a step fails."""
        status = Status.DONE
        while status == Status.DONE and self.state.t < limit:
            status = self.step(limit)
        return status

    def interpolate(self, t: float) -> np.ndarray:
        x = np.empty(self.state.count)
        status = self._status(library.rk_interpolate(self._handle, t, double_pointer(x)))
        if status != Status.DONE:
            raise Retry(f"the derivative has no value near t = {t}")
        return x

    def stiffness(self) -> tuple[float, int]:
        """Returns how near the last step came to the limit of stability, and the state whose derivative answers most."""
        state = ctypes.c_int(-1)
        value = library.rk_stiffness(self._handle, ctypes.byref(state))
        return value, state.value

    def _status(self, code: int) -> Status:
        if code == FAILED and self._error:
            error, self._error = self._error, None
            raise error
        return Status(code)


def view(numbers: ctypes._Pointer[ctypes.c_double], count: int) -> np.ndarray:
    return np.ctypeslib.as_array(numbers, (count,)) if count else np.empty(0)
