"""CVODE in the kernel, as ``cvode.h`` describes it: the library that scikit-sundae brings along, called by its addresses."""

from __future__ import annotations

import ctypes
import weakref
from ctypes import POINTER, byref, c_bool, c_double, c_int, c_long, c_void_p
from functools import cache
from types import ModuleType
from typing import Any

import numpy as np

from coupling.kernel.core import Core
from coupling.kernel.integrator import IntegratorStructure

_CALLED = ("CVode", "CVodeReInit", "CVodeSetStopTime", "CVodeGetDky", "N_VGetArrayPointer", "SUNDenseMatrix_Data")
"""By the kernel."""
_p, _i, _d = c_void_p, c_int, c_double
_SIGNATURES = {
    "SUNContext_Create": (_i, [_i, POINTER(_p)]),
    "SUNContext_ClearErrHandlers": (_i, [_p]),
    "N_VNew_Serial": (_p, [_i, _p]),
    "CVodeCreate": (_p, [_i, _p]),
    "CVodeInit": (_i, [_p, _p, _d, _p]),
    "CVodeSVtolerances": (_i, [_p, _d, _p]),
    "CVodeSetUserData": (_i, [_p, _p]),
    "CVodeSetMaxConvFails": (_i, [_p, _i]),
    "CVodeSetMaxHnilWarns": (_i, [_p, _i]),
    "CVodeSetMaxStep": (_i, [_p, _d]),
    "SUNDenseMatrix": (_p, [_i, _i, _p]),
    "SUNLinSol_Dense": (_p, [_p, _p, _p]),
    "SUNLinSol_LapackDense": (_p, [_p, _p, _p]),
    "CVodeSetLinearSolver": (_i, [_p, _p, _p]),
    "CVodeSetJacFn": (_i, [_p, _p]),
    "CVodeFree": (None, [POINTER(_p)]),
    "SUNLinSolFree": (_i, [_p]),
    "SUNMatDestroy": (None, [_p]),
    "N_VDestroy": (None, [_p]),
    "SUNContext_Free": (_i, [POINTER(_p)]),
    "N_VGetArrayPointer": (POINTER(_d), [_p]),
    **dict.fromkeys(("CVode", "CVodeReInit", "CVodeSetStopTime", "CVodeGetDky", "SUNDenseMatrix_Data"), (_i, None)),
}
_BDF, _NONE = 2, -1
VERSIONS = ("6", "7")
"""Of SUNDIALS, whose functions are as above."""


class CvodeStructure(ctypes.Structure):
    _fields_ = [
        *((name, c_void_p) for name in (*_CALLED, "memory", "y", "between", "kernel")),
        *((name, c_double) for name in ("t", "before", "limit", "stop", "tried")),
        *((name, c_long) for name in ("attempts", "rejected", "jacobians")),
        *((name, c_int) for name in ("flag", "status")),
        *((name, c_bool) for name in ("fresh", "infinite")),
    ]


class Cvode:
    """An integrator of the fused code of a kernel, with its exact Jacobian; a dense matrix is factorised."""

    def __init__(
        self, kernel: Core, sundials: Any, rtol: float, atol: np.ndarray, *, longest: float, most_failures: int, blocked: bool
    ) -> None:
        """``sundials``: its library; ``blocked``: the matrix is factorised by LAPACK."""
        self._sundials = s = sundials
        own, n = kernel.library, len(atol)
        self._context, self._memory = c_void_p(), c_void_p()
        self._vectors: list[int] = []
        self.state = own.kept_structure(CvodeStructure(kernel=kernel.handle, **{name: _address(s, name) for name in _CALLED}))
        """What the kernel keeps of it."""
        self.structure = IntegratorStructure(
            *map(own.address, ("cvode_restart", "cvode_step", "cvode_state")), ctypes.addressof(self.state)
        )
        """As the kernel calls it."""
        weakref.finalize(self, _free, s, self._context, self._memory, self._vectors, made := [])
        _check(s.SUNContext_Create(0, byref(self._context)), "SUNContext_Create")
        s.SUNContext_ClearErrHandlers(self._context)
        for _ in range(3):
            self._vectors.append(_made(s.N_VNew_Serial(n, self._context)))
        self.state.y, self.state.between, allowed = self._vectors
        for vector, values in ((self.state.y, 0.0), (allowed, atol)):
            np.ctypeslib.as_array(s.N_VGetArrayPointer(vector), shape=(n,))[:] = values
        self._memory.value = self.state.memory = _made(s.CVodeCreate(_BDF, self._context))
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


def _free(s: Any, context: c_void_p, memory: c_void_p, vectors: list[int], made: list[int]) -> None:
    if memory:
        s.CVodeFree(byref(memory))
    for address, free in zip(made, (s.SUNMatDestroy, s.SUNLinSolFree), strict=False):
        free(address)
    for vector in vectors:
        s.N_VDestroy(vector)
    if context:
        s.SUNContext_Free(byref(context))


def _address(library: Any, name: str) -> int | None:
    return ctypes.cast(getattr(library, name), c_void_p).value


@cache
def library_of(module: ModuleType) -> Any:
    """What a module of scikit-sundae is linked with; None where that is of another kind."""
    config = getattr(module, "config", {})
    major = str(config.get("SUNDIALS_VERSION", "0")).split(".")[0]
    if (config.get("SUNDIALS_FLOAT_TYPE"), config.get("SUNDIALS_INT_TYPE")) != ("double", "int") or major not in VERSIONS:
        return None
    library = ctypes.CDLL(module.__file__)
    try:
        for name, (result, arguments) in _SIGNATURES.items():
            function = getattr(library, name)
            function.restype, function.argtypes = result, arguments
    except AttributeError:
        return None
    return library
