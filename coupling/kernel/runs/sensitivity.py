"""Derivatives of a run by parameters, as ``sensitivity.h`` describes them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import byref, c_double, c_int, c_void_p
from dataclasses import dataclass

import numpy as np

from coupling.kernel.platform.binding import declare, references_of
from coupling.kernel.system.core import Core
from coupling.kernel.system.status import Status


class _Rows(ctypes.Structure):
    _fields_ = [
        *((name, c_int) for name in ("parameters", "shadows")),
        *(
            (name, c_void_p)
            for name in ("part", "reference", "apart", "shadow", "stride", "weight", "state", "unknown_start", "unknown", "start")
        ),
    ]


declare(
    {
        "kernel_set_sensitivities": (c_int, [c_void_p, c_void_p, c_double, c_void_p]),
        "kernel_grazing": (c_double, [c_void_p]),
    }
)


@dataclass(frozen=True, kw_only=True)
class ByParameter:
    """A parameter, and the way in which its effect at given states is found."""

    part: int
    """Number of the instance that differentiates by it; NONE where none does."""
    reference: int
    apart: bool
    """True if the derivative is a difference of shadows."""
    strides: np.ndarray
    """Strides by which each shadow's parameter is moved."""
    weights: np.ndarray


def set_sensitivities(
    kernel: Core,
    parameters: Sequence[ByParameter],
    shadows: Sequence[Core],
    states: Sequence[int],
    unknowns: Sequence[Sequence[int]],
    start: np.ndarray,
    t: float,
    x: np.ndarray,
) -> Status:
    """Begins sensitivities. ``shadows`` are of one parameter after the other; ``states`` are their references, ``unknowns`` those that each
    instance differentiates."""
    starts = np.cumsum([0, *map(len, unknowns)])
    arrays = {
        "part": np.array([each.part for each in parameters], dtype=np.intc),
        "reference": references_of([each.reference for each in parameters]),
        "apart": np.array([each.apart for each in parameters], dtype=np.intc),
        "shadow": np.array([each.handle for each in shadows], dtype=np.uintp),
        "stride": np.concatenate([each.strides for each in parameters]),
        "weight": np.concatenate([each.weights for each in parameters]),
        "state": references_of(states),
        "unknown_start": starts.astype(np.intc),
        "unknown": references_of([reference for each in unknowns for reference in sorted(each)]),
        "start": np.ascontiguousarray(start, dtype=float),
    }
    rows = kernel.library.kept_structure(_Rows(len(parameters), len(shadows) // len(parameters)), **arrays)
    kernel.differentiate_by(len(parameters), (rows, tuple(shadows)))
    return Status(kernel.library.kernel_set_sensitivities(kernel.handle, byref(rows), t, kernel.library.pointer(x)))


def grazing(kernel: Core) -> float:
    """Returns when a state event was passed whose time has no derivative; NaN where none was."""
    return kernel.library.kernel_grazing(kernel.handle)
