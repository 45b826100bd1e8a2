"""A fused system with its loops open, as ``fused_open.h`` describes it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, byref, c_int, c_void_p

import numpy as np

from coupling.kernel.platform.binding import declare, require_memory
from coupling.kernel.system.core import Core
from coupling.kernel.tapes.machine import function_of


class OpenStructure(ctypes.Structure):
    _fields_ = [
        *((name, c_void_p) for name in ("values", "slopes", "values_code", "slopes_code", "initial")),
        *((name, c_int) for name in ("size", "given", "violations", "entries")),
        *((name, c_void_p) for name in ("derivative", "violation", "entry")),
    ]


declare({"kernel_set_fused_open": (c_int, [c_void_p, POINTER(OpenStructure)])})


def open_structure(
    kernel: Core,
    values_code: np.ndarray,
    slopes_code: np.ndarray,
    initial: np.ndarray,
    *,
    given: int,
    derivative: Sequence[int],
    violation: Sequence[int],
    entry: Sequence[int],
) -> OpenStructure:
    """Returns the tapes and slots as a kernel takes them, for any number of runs. Slots are -1 of a zero and -2 less a slot for the
    opposite of its value."""
    structure = OpenStructure(size=len(initial), given=given, violations=len(violation), entries=len(entry))
    slots = {"derivative": derivative, "violation": violation, "entry": entry}
    arrays = {name: np.array(values, dtype=np.int32) for name, values in slots.items()}
    numbers = np.array(initial, dtype=np.float64)
    kept = kernel.library.kept_structure(structure, values_code=values_code, slopes_code=slopes_code, initial=numbers, **arrays)
    for name in ("values", "slopes"):
        setattr(kept, name, function_of(kernel, getattr(kept, f"{name}_code"), kept.size))
    return kept


def set_fused_open(kernel: Core, structure: OpenStructure) -> None:
    """Sets the open equations of a kernel, for as long as it has the same fused code."""
    kernel.fused_open = structure
    require_memory(kernel.library.kernel_set_fused_open(kernel.handle, byref(structure)))
