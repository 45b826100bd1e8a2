"""CVODE in the kernel, as ``cvode.h`` describes it: the library from scikit-sundae, called by its addresses."""

from __future__ import annotations

import ctypes
import weakref
from ctypes import byref, c_bool, c_double, c_int, c_long, c_void_p

import numpy as np

from coupling.kernel.platform.binding import pointer
from coupling.kernel.runs.integrator import IntegratorStructure
from coupling.kernel.runs.sundials import CALLED, SundialsFunctions
from coupling.kernel.system.core import Core

_BDF, _NONE = 2, -1


class CvodeStructure(ctypes.Structure):
    _fields_ = [
        *((name, c_void_p) for name in (*CALLED, "cvode", "y", "between", "kernel")),
        *((name, c_double) for name in ("t", "before", "limit", "stop", "tried")),
        *((name, c_long) for name in ("attempts", "rejected", "jacobians")),
        *((name, c_int) for name in ("flag", "status")),
        *((name, c_bool) for name in ("fresh", "infinite")),
    ]


class Cvode:
    """An integrator of the fused code of a kernel, with its exact Jacobian; a dense matrix is factorised."""

    def __init__(
        self, kernel: Core, sundials: SundialsFunctions, rtol: float, atol: np.ndarray, *, longest: float, most_failures: int, blocked: bool
    ) -> None:
        """Creates the integrator; ``sundials`` is in the process of the kernel; ``blocked``: the matrix is factorised by LAPACK."""
        self._sundials = s = sundials
        own, n = kernel.library, len(atol)
        self._context, self._memory = c_void_p(), c_void_p()
        self._vectors: list[int] = []
        self.state = own.kept_structure(CvodeStructure(kernel=kernel.handle, **{name: s.address(name) for name in CALLED}))
        """Structure that the kernel keeps for it."""
        functions = map(own.address, ("cvode_restart", "cvode_step", "cvode_state", "cvode_go_on"))
        self.structure = own.kept_structure(IntegratorStructure(*functions, ctypes.addressof(self.state)))
        """Structure by which the kernel calls it."""
        arrays = [own.kept(values) for values in (np.zeros(n), np.zeros(n), np.array(atol, dtype=np.float64))]
        weakref.finalize(self, _free, s, self._context, self._memory, self._vectors, made := [], (arrays, self.state))
        _check(s.SUNContext_Create(0, byref(self._context)), "SUNContext_Create")
        s.SUNContext_ClearErrHandlers(self._context)
        for values in arrays:
            self._vectors.append(_made(s.N_VMake_Serial(n, pointer(values), self._context)))
        self.state.y, self.state.between, allowed = self._vectors
        self._memory.value = self.state.cvode = _made(s.CVodeCreate(_BDF, self._context))
        made += [_made(s.SUNDenseMatrix(n, n, self._context))]
        made += [_made((s.SUNLinSol_LapackDense if blocked else s.SUNLinSol_Dense)(self.state.y, made[0], self._context))]
        for name, *arguments in (
            ("CVodeInit", own.address("cvode_derivatives"), 0.0, self.state.y),
            ("CVodeSetUserData", ctypes.addressof(self.state)),
            ("CVodeSVtolerances", rtol, allowed),
            ("CVodeSetMaxConvFails", most_failures),
            ("CVodeSetMaxHnilWarns", _NONE),
            ("CVodeSetMaxStep", longest if np.isfinite(longest) else 0.0),
            ("CVodeSetLinearSolver", made[1], made[0]),
            ("CVodeSetJacFn", own.address("cvode_jacobian")),
        ):
            _check(getattr(s, name)(self._memory, *arguments), name)


def _made(address: int | None) -> int:
    if address is None:
        raise MemoryError("CVODE needs more memory than there is")
    return address


def _check(flag: int, name: str) -> None:
    if flag < 0:
        raise RuntimeError(f"{name} of SUNDIALS returned {flag}")


def _free(s: SundialsFunctions, context: c_void_p, memory: c_void_p, vectors: list[int], made: list[int], kept: object) -> None:
    """Frees the objects of the library; ``kept`` are numbers that vectors have, and the context of the library."""
    if memory:
        s.CVodeFree(byref(memory))
    for address, free in zip(made, (s.SUNMatDestroy, s.SUNLinSolFree), strict=False):
        free(address)
    for vector in vectors:
        s.N_VDestroy(vector)
    if context:
        s.SUNContext_Free(byref(context))
