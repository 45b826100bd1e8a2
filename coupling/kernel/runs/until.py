"""The condition that ends a run; see ``until.c``."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import POINTER, byref, c_int, c_void_p

import numpy as np

from coupling.kernel.platform.binding import declare
from coupling.kernel.system.core import VALUE, Core


class UntilStructure(ctypes.Structure):
    """``Until`` in kernel.h."""

    _fields_ = [
        *((name, c_int) for name in ("truths", "margins")),
        *((name, c_void_p) for name in ("truth", "margin", "value", "context", "row")),
    ]


declare({"kernel_set_until": (None, [c_void_p, POINTER(UntilStructure)])})


def end_by_formula(kernel: Core, truth: Sequence[float], margin: Sequence[float]) -> None:
    """Ends the run where a formula of the row is true. ``margin`` is a formula that is positive there."""
    arrays = {"truth": np.array(truth, float), "margin": np.array(margin, float), "row": np.zeros(kernel.width)}
    structure = kernel.library.kept_structure(UntilStructure(len(truth) // 2, len(margin) // 2), **arrays)
    kernel.until = structure
    kernel.library.kernel_set_until(kernel.handle, byref(structure))


def end_by_function(kernel: Core, function: Callable[[np.ndarray], float]) -> None:
    """Ends the run where a function of the row, the time first, is positive; a result that is no number stops it."""
    structure = kernel.library.kept_structure(UntilStructure(), row=np.zeros(kernel.width))
    row = structure.arrays["row"]
    called = kernel.library.called_back((VALUE, "ask_value", lambda t, _: function(row)))
    (structure.value,), structure.context = called.addresses, called.context
    kernel.until = structure, called
    kernel.library.kernel_set_until(kernel.handle, byref(structure))
