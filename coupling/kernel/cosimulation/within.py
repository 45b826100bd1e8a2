"""Requests of a run to Co-Simulation instances in the midst of their steps; see ``within.c``."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import POINTER, byref, c_int, c_void_p

import numpy as np

from coupling.kernel.platform.binding import declare
from coupling.kernel.system.core import VALUE, Core


class WithinStructure(ctypes.Structure):
    """``Within`` in kernel.h."""

    _fields_ = [
        *((name, c_int) for name in ("stepper", "count")),
        *((name, c_void_p) for name in ("column", "reference", "value", "row", "stops", "context")),
    ]


declare({"kernel_look_within": (None, [c_void_p, POINTER(WithinStructure)])})


def look_within(kernel: Core, stepper: int, columns: Sequence[int], references: Sequence[int], stops: Callable[[float], float]) -> None:
    """Requests that steps end early: that of an instance where the condition of the run holds for its values, which have ``columns`` in a
    row; and every step where ``stops`` is positive, which is asked now and then with the time."""
    arrays: dict[str, np.ndarray | None] = {
        "column": np.array(columns, np.intc),
        "reference": np.array(references, np.uintc),
        "value": np.zeros(len(columns)),
        "row": np.zeros(kernel.width),
    }
    structure = kernel.library.kept_structure(WithinStructure(stepper, len(columns)), **arrays)
    called = kernel.library.called_back((VALUE, "ask_value", lambda t, _: stops(t)))
    (structure.stops,), structure.context = called.addresses, called.context
    kernel.within = structure, called
    kernel.library.kernel_look_within(kernel.handle, byref(structure))
