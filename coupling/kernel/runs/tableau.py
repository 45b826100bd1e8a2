"""Runge-Kutta methods as data."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coupling.kernel import library

DoublePointer = ctypes.POINTER(ctypes.c_double)


def double_pointer(array: np.ndarray) -> ctypes._Pointer[ctypes.c_double]:
    return array.ctypes.data_as(DoublePointer)


class TableauStructure(ctypes.Structure):
    """`Tableau` in runge_kutta.h."""

    _fields_ = [(name, ctypes.c_int) for name in ("stages", "extra", "dense", "order")]
    _fields_ += [(name, ctypes.c_double) for name in ("damping", "stable")]
    _fields_ += [(name, ctypes.c_void_p) for name in ("c", "a", "e", "e3", "d")]


@dataclass(frozen=True, eq=False)
class Tableau:
    """A method with the conventions of `Tableau` in runge_kutta.h, where the meaning of each field is stated."""

    order: int
    damping: float
    c: np.ndarray
    a: np.ndarray
    e: np.ndarray
    d: np.ndarray
    e3: np.ndarray | None = None

    @property
    def stages(self) -> int:
        return len(self.e) - 1

    @property
    def extra(self) -> int:
        return len(self.c) - len(self.e)

    @property
    def b(self) -> np.ndarray:
        return self.a[self.stages, : self.stages]

    @cached_property
    def stable(self) -> float:
        """The length of the negative real axis on which the method is stable."""
        inner, b = self.a[: self.stages, : self.stages], self.b

        def growth(z: float) -> float:
            """Returns the factor by which a step multiplies x for x' = z x/h."""
            return float(abs(1 + z * b @ np.linalg.solve(np.eye(self.stages) - z * inner, np.ones(self.stages))))

        inside = 0.0
        while growth(-inside - 0.1) <= 1:
            inside += 0.1
        outside = inside + 0.1
        while outside - inside > 1e-12:
            middle = (inside + outside) / 2
            inside, outside = (middle, outside) if growth(-middle) <= 1 else (inside, middle)
        return inside

    @cached_property
    def structure(self) -> TableauStructure:
        """The method as a structure for C; it keeps the arrays alive that it points to."""
        arrays = {
            name: np.ascontiguousarray(getattr(self, name), dtype=float)
            for name in ("c", "a", "e", "e3", "d")
            if getattr(self, name) is not None
        }
        structure = TableauStructure(self.stages, self.extra, len(self.d), self.order, self.damping, self.stable)
        return library.kept_structure(structure, **arrays)


def rows(width: int, *entries: Mapping[int, float]) -> np.ndarray:
    """Returns a matrix from its entries that are not 0, by row and column."""
    matrix = np.zeros((len(entries), width))
    for row, given in zip(matrix, entries, strict=True):
        row[list(given)] = list(given.values())
    return matrix
