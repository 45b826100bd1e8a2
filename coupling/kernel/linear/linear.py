"""The order of elimination of sparse equations; see ``linear.h``."""

from __future__ import annotations

import ctypes

import numpy as np
from numpy.typing import ArrayLike, NDArray

from coupling.kernel import library

_integers = np.ctypeslib.ndpointer(np.intc, flags="C")
library.linear_order.argtypes = [ctypes.c_int, _integers, _integers, _integers]
library.linear_order.restype = ctypes.c_int


def elimination_order(row_start: ArrayLike, column: ArrayLike) -> NDArray[np.intc]:
    """Returns a sequence of elimination that keeps the factors sparse: minimum degree, of the pattern and its mirror image together."""
    row_start, column = (np.ascontiguousarray(part, np.intc) for part in (row_start, column))
    order = np.empty(len(row_start) - 1, np.intc)
    if library.linear_order(len(order), row_start, column, order):
        raise MemoryError
    return order
