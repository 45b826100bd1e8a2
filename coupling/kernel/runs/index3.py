"""Runs by implicit steps of fixed size that end on the constraints; ``index3.h`` describes the fields."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, c_bool, c_double, c_int, c_long, c_void_p

from coupling.kernel.platform.binding import declare
from coupling.kernel.rows.rows import RowsStructure

METHODS = ("trapezoidal", "generalised-alpha", "trbdf2")
"""Numbered as in the kernel."""
MOST = 2**31 - 1
"""Largest number of iterations that can be counted."""


class Index3Options(ctypes.Structure):
    _fields_ = [
        *((name, c_double) for name in ("step", "radius", "tolerance", "penalty")),
        *((name, c_int) for name in ("method", "limit", "reactions")),
        *((name, c_bool) for name in ("tangent", "stepped")),
        ("nominal", c_void_p),
    ]


class Index3Report(ctypes.Structure):
    _fields_ = [
        *((name, c_long) for name in ("iterations", "factorisations", "unfinished")),
        *((name, c_int) for name in ("most_iterations", "worst", "ringing")),
        *((name, c_double) for name in ("velocity", "energy", "change", "ringing_since", "difference")),
    ]


declare(
    {
        "kernel_begin_index3": (
            c_int,
            [c_void_p, POINTER(RowsStructure), POINTER(Index3Options), c_double, c_double, c_long, c_void_p],
        ),
        "kernel_index3": (POINTER(Index3Report), [c_void_p]),
        "kernel_index3_violation": (POINTER(c_double), [c_void_p]),
    }
)
