"""Exact derivatives of a fused system, as ``fused_slopes.h`` describes them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, byref, c_int, c_void_p

import numpy as np

from coupling.kernel.platform.binding import declare, require_memory
from coupling.kernel.system.core import Core
from coupling.kernel.system.status import Status
from coupling.kernel.tapes.machine import function_of


class SlopeStructure(ctypes.Structure):
    _fields_ = [
        *((name, c_void_p) for name in ("run", "code", "initial")),
        *((name, c_int) for name in ("size", "given", "unknowns", "count")),
        *((name, c_void_p) for name in ("row", "column", "slot")),
    ]


declare(
    {
        "kernel_set_slopes": (c_int, [c_void_p, POINTER(SlopeStructure)]),
        "kernel_slopes": (c_int, [c_void_p, c_void_p]),
        "kernel_state_jacobian": (c_int, [c_void_p, c_void_p]),
    }
)


def slope_structure(
    kernel: Core,
    code: np.ndarray,
    initial: np.ndarray,
    *,
    given: int,
    unknowns: int,
    rows: Sequence[int],
    columns: Sequence[int],
    slots: Sequence[int],
) -> SlopeStructure:
    """Returns what serves all runs of a kernel, which keeps the function of the tape ``code`` as long as it lives.

    ``given`` numbers come from outside; ``slots`` are -2 less a slot for the opposite of what that has.
    """
    structure = SlopeStructure(size=len(initial), given=given, unknowns=unknowns, count=len(rows))
    arrays = {name: np.array(values, dtype=np.int32) for name, values in (("row", rows), ("column", columns), ("slot", slots))}
    kept = kernel.library.kept_structure(structure, code=code, initial=np.array(initial, dtype=np.float64), **arrays)
    kept.run = function_of(kernel, kept.code, len(initial))
    return kept


class KernelSlopes:
    """The exact derivatives of a kernel, as long as it has the same fused code."""

    def __init__(self, kernel: Core, structure: SlopeStructure) -> None:
        self._kernel, self._library, self._structure = kernel, kernel.library, structure
        require_memory(self._library.kernel_set_slopes(kernel.handle, byref(structure)))
        self._count = structure.count

    def values(self) -> tuple[Status, np.ndarray]:
        """Returns the entries at the present point."""
        values = np.zeros(self._count)
        return Status(self._library.kernel_slopes(self._kernel.handle, self._library.pointer(values))), values

    def state_jacobian(self) -> tuple[Status, np.ndarray]:
        """Returns the derivatives of the right-hand side that a solver integrates by its states, after an evaluation."""
        columns = np.zeros((self._kernel.states,) * 2, order="F")
        return Status(self._library.kernel_state_jacobian(self._kernel.handle, self._library.pointer(columns))), columns
