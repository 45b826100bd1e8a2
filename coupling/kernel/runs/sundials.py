"""SUNDIALS from scikit-sundae, in the process of a kernel: this one, or that of the run, which loads the same files."""

from __future__ import annotations

import ctypes
from collections.abc import Callable
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_void_p
from functools import cache
from types import ModuleType
from typing import Any

from coupling.kernel.platform.own import Library

_p, _i, _d = c_void_p, c_int, c_double
_SIGNATURES: dict[str, tuple[Any, list[Any]]] = {
    "SUNContext_Create": (_i, [_i, POINTER(_p)]),
    "SUNContext_ClearErrHandlers": (_i, [_p]),
    "N_VMake_Serial": (_p, [_i, _p, _p]),
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
}
CALLED = ("CVode", "CVodeReInit", "CVodeSetStopTime", "CVodeGetDky", "N_VGetArrayPointer", "SUNDenseMatrix_Data")
"""Functions that the kernel calls."""
_AT_THE_END = ("CVodeFree", "SUNLinSolFree", "SUNMatDestroy", "N_VDestroy", "SUNContext_Free")
"""Functions that need no call where the process has ended."""
VERSIONS = ("6", "7")
"""Major versions of SUNDIALS with these functions."""


class SundialsFunctions:
    """Its functions by their names, called where a kernel is."""

    def __init__(self, library: Library, here: ctypes.CDLL) -> None:
        """Takes ``library``, the kernel, and ``here``, the library that this process has loaded."""
        self._library, self._here = library, here
        for name in _AT_THE_END:
            getattr(self, name)  # while it can be found

    def __getattr__(self, name: str) -> Callable[..., Any]:
        if name not in _SIGNATURES:
            raise AttributeError(name)
        found = self._library.function_at(self.address(name), *_SIGNATURES[name], at_the_end=name in _AT_THE_END)
        setattr(self, name, found)
        return found

    def address(self, name: str) -> int:
        """Returns the address of a function, in the process of the kernel; an OSError says why it cannot be loaded there."""
        address = ctypes.cast(getattr(self._here, name), c_void_p).value or 0
        if not self._library.is_elsewhere:
            return address
        problem = ctypes.create_string_buffer(512)
        found: int | None = self._library.library_function(_file_of(address), name.encode(), problem, len(problem))
        if not found:
            raise OSError(problem.value.decode(errors="replace"))
        return found


class _Symbol(ctypes.Structure):
    """``Dl_info`` of the loader."""

    _fields_ = [("file", c_char_p), ("base", c_void_p), ("name", c_char_p), ("address", c_void_p)]


def _file_of(address: int) -> bytes:
    """Returns the binary that a function is from."""
    found = _Symbol()
    ctypes.CDLL(None).dladdr(c_void_p(address), byref(found))
    file: bytes = found.file
    return file


@cache
def library_of(module: ModuleType) -> Any:
    """Returns the library that a module of scikit-sundae is linked with; None where it is of another kind."""
    config = getattr(module, "config", {})
    major = str(config.get("SUNDIALS_VERSION", "0")).split(".")[0]
    if (config.get("SUNDIALS_FLOAT_TYPE"), config.get("SUNDIALS_INT_TYPE")) != ("double", "int") or major not in VERSIONS:
        return None
    library = ctypes.CDLL(module.__file__)
    return library if all(hasattr(library, name) for name in (*_SIGNATURES, *CALLED)) else None
