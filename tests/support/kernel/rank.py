"""Detection of constraints that repeat others; see ``rank.h``."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, byref, c_double, c_int
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.sparse import csr_array, sparray

from coupling.kernel import library


class Status(IntEnum):
    """The status of a row of constraints beside the others."""

    ACTIVE = 0
    BADLY_SCALED = 1
    REDUNDANT = 2


class _Outcome(IntEnum):
    DECIDED = 0
    NO_MEMORY = 1
    NOT_FINITE = 2


class _Constraints(ctypes.Structure):
    _fields_ = [
        *((name, c_int) for name in ("rows", "coordinates", "joints", "groups")),
        *((name, POINTER(c_int)) for name in ("joint", "group")),
        *((name, POINTER(c_int)) for name in ("gradient_start", "gradient_column")),
        ("gradient", POINTER(c_double)),
        *((name, POINTER(c_int)) for name in ("mobility_start", "mobility_column")),
        ("mobility", POINTER(c_double)),
    ]


class _Relation(ctypes.Structure):
    _fields_ = [("row", c_int), ("count", c_int), ("member", POINTER(c_int)), ("factor", POINTER(c_double))]


class _Rank(ctypes.Structure):
    _fields_ = [
        *((name, c_int) for name in ("rows", "redundant", "badly_scaled")),
        ("status", POINTER(c_int)),
        *((name, POINTER(c_double)) for name in ("pivot", "eta")),
        *((name, POINTER(c_int)) for name in ("light", "heavy")),
        *((name, POINTER(c_double)) for name in ("light_mobility", "heavy_mobility")),
        ("relation", POINTER(_Relation)),
    ]


_numbers = POINTER(c_double)
library.rank_decide.argtypes = [POINTER(_Constraints), POINTER(POINTER(_Rank))]
library.rank_decide.restype = c_int
library.rank_free.argtypes = [POINTER(_Rank)]
library.rank_free.restype = None


def _pointer(array: NDArray) -> ctypes._Pointer:
    return array.ctypes.data_as(POINTER(c_int) if array.dtype == np.intc else _numbers)


@dataclass(frozen=True)
class Relation:
    """Rows whose combination by these factors vanishes."""

    row: int
    members: NDArray[np.intc]
    factors: NDArray[np.double]

    def misfit(self, right: ArrayLike, size: float = 0.0) -> float:
        """Returns how far right sides contradict each other, as a share of their terms. It is 0 for rounding of numbers of a size."""
        terms = self.factors * np.asarray(right)[self.members]
        missed = float(abs(terms.sum()))
        return missed / float(np.abs(terms).sum()) if missed > 1e-12 * size * np.abs(self.factors).sum() else 0.0


@dataclass(frozen=True)
class Rank:
    """The decisions, by row."""

    status: NDArray[np.intc]
    pivot: NDArray[np.double]
    eta: NDArray[np.double]
    light: NDArray[np.intc]
    heavy: NDArray[np.intc]
    light_mobility: NDArray[np.double]
    heavy_mobility: NDArray[np.double]
    relations: list[Relation]

    @property
    def redundant(self) -> NDArray[np.intp]:
        """The rows that repeat others."""
        return np.flatnonzero(self.status == Status.REDUNDANT)

    @property
    def badly_scaled(self) -> NDArray[np.intp]:
        """Independent rows with pivots near rounding."""
        return np.flatnonzero(self.status == Status.BADLY_SCALED)


class Constraints:
    """Gradients of constraints, and what each of their forces moves: both by rows, one column a coordinate.

    ``joint`` has the number of the joint of each row, ``group`` that of the body and unit of each coordinate.
    """

    def __init__(self, gradient: ArrayLike | sparray, mobility: ArrayLike | sparray, joint: Sequence[int], group: Sequence[int]) -> None:
        g, v = csr_array(gradient), csr_array(mobility)
        if g.shape != v.shape or g.shape != (len(joint), len(group)):
            raise ValueError(f"G of shape {g.shape} and V' of {v.shape} do not fit {len(joint)} rows and {len(group)} coordinates")
        integers = (joint, group, g.indptr, g.indices, v.indptr, v.indices)
        numbers = (g.data, v.data)
        self._integers = tuple(np.ascontiguousarray(part, np.intc) for part in integers)
        self._numbers = tuple(np.ascontiguousarray(part, np.double) for part in numbers)
        joint_, group_, g_start, g_column, v_start, v_column = map(_pointer, self._integers)
        counts = (len(joint), len(group), int(np.max(self._integers[0], initial=-1)) + 1, int(np.max(self._integers[1], initial=-1)) + 1)
        g_value, v_value = map(_pointer, self._numbers)
        self._constraints = _Constraints(*counts, joint_, group_, g_start, g_column, g_value, v_start, v_column, v_value)

    def rank(self) -> Rank:
        """Decides which rows repeat others."""
        pointer = POINTER(_Rank)()
        _check(library.rank_decide(byref(self._constraints), byref(pointer)))
        try:
            found = pointer.contents

            def copied(name: str) -> NDArray:
                return np.ctypeslib.as_array(getattr(found, name), (found.rows,)).copy()

            return Rank(
                status=copied("status"),
                pivot=copied("pivot"),
                eta=copied("eta"),
                light=copied("light"),
                heavy=copied("heavy"),
                light_mobility=copied("light_mobility"),
                heavy_mobility=copied("heavy_mobility"),
                relations=[_relation(found.relation[i]) for i in range(found.redundant)],
            )
        finally:
            library.rank_free(pointer)


def _relation(relation: _Relation) -> Relation:
    arrays = (np.ctypeslib.as_array(part, (relation.count,)).copy() for part in (relation.member, relation.factor))
    return Relation(relation.row, *arrays)


def _check(outcome: int) -> None:
    if outcome == _Outcome.NO_MEMORY:
        raise MemoryError
    if outcome == _Outcome.NOT_FINITE:
        raise ValueError("a gradient or a mobility is not finite")
