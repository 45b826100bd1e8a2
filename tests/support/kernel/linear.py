"""Sparse linear equations in the kernel; see ``linear.h``."""

from __future__ import annotations

import ctypes
import weakref

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coupling.kernel import library

_integers = np.ctypeslib.ndpointer(np.intc, flags="C")
_numbers = np.ctypeslib.ndpointer(np.double, flags="C")

library.linear_new.argtypes = [ctypes.c_int, _integers, _integers, _integers]
library.linear_new.restype = ctypes.c_void_p
library.linear_free.argtypes = [ctypes.c_void_p]
library.linear_free.restype = None
library.linear_factorise.argtypes = [ctypes.c_void_p, _numbers]
library.linear_factorise.restype = ctypes.c_int
library.linear_solve.argtypes = [ctypes.c_void_p, _numbers]
library.linear_solve.restype = None
library.linear_undetermined.argtypes = [ctypes.c_void_p, _numbers, _numbers]
library.linear_undetermined.restype = ctypes.c_int
library.linear_set_constraints.argtypes = [ctypes.c_void_p, _integers, _integers]
library.linear_set_constraints.restype = ctypes.c_bool
library.linear_set_damping.argtypes = [ctypes.c_void_p, ctypes.c_double]
library.linear_set_damping.restype = None
library.linear_decide.argtypes = [ctypes.c_void_p, np.ctypeslib.ndpointer(np.bool_, flags="C")]
library.linear_decide.restype = ctypes.c_bool
library.linear_accept.argtypes = [ctypes.c_void_p]
library.linear_accept.restype = None
library.linear_passing.argtypes = [ctypes.c_void_p]
library.linear_passing.restype = ctypes.c_int
library.linear_shares.argtypes = [ctypes.c_void_p]
library.linear_shares.restype = ctypes.POINTER(ctypes.c_double)
library.linear_stored.argtypes = [ctypes.c_void_p]
library.linear_stored.restype = ctypes.c_int


class Linear:
    """Equations whose pattern, in compressed rows, stays while the values change."""

    def __init__(self, row_start: ArrayLike, column: ArrayLike, order: ArrayLike) -> None:
        row_start, column, order = (np.ascontiguousarray(part, np.intc) for part in (row_start, column, order))
        self.count, self.entries = len(order), len(column)
        if len(row_start) != self.count + 1 or row_start[-1] != self.entries:
            raise ValueError(f"{len(row_start)} row starts do not fit {self.count} unknowns and {self.entries} entries")
        self._kept: tuple[NDArray[np.intc], ...] = ()
        self._linear = library.linear_new(self.count, row_start, column, order)
        if not self._linear:
            raise MemoryError
        weakref.finalize(self, library.linear_free, self._linear)

    def set_constraints(self, joint: ArrayLike, cycle: ArrayLike, rtol: float) -> None:
        """The joint and the cycle of each unknown, -1 for none, and the tolerance of a run."""
        self._kept = tuple(np.ascontiguousarray(part, np.intc) for part in (joint, cycle))
        if not library.linear_set_constraints(self._linear, *self._kept):
            raise MemoryError
        library.linear_set_damping(self._linear, rtol)

    def decide(self, redundant: ArrayLike) -> None:
        """Sets which constraints repeat others."""
        library.linear_decide(self._linear, np.ascontiguousarray(redundant, np.bool_))

    def accept(self) -> None:
        """The values factorised last are those of a point of the motion."""
        library.linear_accept(self._linear)

    @property
    def passing(self) -> int:
        """Part of the rank deficiency that existed before."""
        return library.linear_passing(self._linear)

    def factorise(self, values: ArrayLike) -> int:
        """Returns the rank deficiency, or -1 if memory is short or a value is not finite."""
        values = np.ascontiguousarray(values, np.double)
        if values.shape != (self.entries,):
            raise ValueError(f"values of shape {values.shape} for a pattern of {self.entries} entries")
        return library.linear_factorise(self._linear, values)

    def solve(self, b: ArrayLike) -> NDArray[np.double]:
        """Solves with the values factorised last; without a factorisation the solution is not a number."""
        x = np.array(b, np.double)
        if x.shape != (self.count,):
            raise ValueError(f"a right side of shape {x.shape} for {self.count} equations")
        library.linear_solve(self._linear, x)
        return x

    def undetermined(self) -> tuple[NDArray[np.double], NDArray[np.double]]:
        """Returns how far unknowns are undetermined, and equations redundant: from 0 to 1."""
        unknowns, equations = np.empty(self.count), np.empty(self.count)
        if library.linear_undetermined(self._linear, unknowns, equations) < 0:
            raise MemoryError
        return unknowns, equations

    def shares(self) -> NDArray[np.double]:
        """Returns by unknown the share of its joint's own block that earlier constraints have left."""
        return np.ctypeslib.as_array(library.linear_shares(self._linear), (self.count,)).copy()

    @property
    def stored(self) -> int:
        """Number of entries that the factors hold."""
        return library.linear_stored(self._linear)
