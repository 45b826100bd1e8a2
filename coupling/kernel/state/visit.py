"""The state of a run as bytes; ``state.c`` describes its contents."""

from __future__ import annotations

from ctypes import POINTER, byref, c_int, c_size_t, c_void_p
from enum import IntEnum

import numpy as np

from coupling.kernel.platform.binding import declare
from coupling.kernel.system.core import Core

declare({"kernel_visit": (c_int, [c_void_p, c_int, c_void_p, POINTER(c_size_t), POINTER(c_int), c_void_p])})

_COUNTING, _SAVING, _LOADING = range(3)


class Visited(IntEnum):
    """``VisitResult`` in visit.h."""

    DONE = 0
    FMU_FAILED = 1
    NO_MEMORY = 2
    MISFIT = 3


class Unvisited(Exception):
    """An error: the walk through the state did not end."""

    def __init__(self, why: Visited, instance: int) -> None:
        super().__init__(why.name)
        self.why, self.instance = why, instance
        """Reason, and number of the instance that failed."""


def saved_state(kernel: Core, restarted: np.ndarray | None = None) -> np.ndarray:
    """Returns all that a run needs to continue, with the states of its instances; the run itself goes on unchanged.

    ``restarted`` marks the instances whose own state is left out.
    """
    size = c_size_t(0)
    _visit(kernel, _COUNTING, np.zeros(0, np.uint8), size, restarted)
    found = np.zeros(size.value, np.uint8)
    _visit(kernel, _SAVING, found, size, restarted)
    return found


def load_state(kernel: Core, state: np.ndarray, restarted: np.ndarray | None = None) -> None:
    """Replaces the state of a run that began as the saved one did."""
    _visit(kernel, _LOADING, np.ascontiguousarray(state), c_size_t(state.size), restarted)


def _visit(kernel: Core, mode: int, state: np.ndarray, size: c_size_t, restarted: np.ndarray | None) -> None:
    instance = c_int(-1)
    library = kernel.library
    why = Visited(
        library.kernel_visit(kernel.handle, mode, library.pointer(state), byref(size), byref(instance), library.pointer(restarted))
    )
    if why is not Visited.DONE:
        raise Unvisited(why, instance.value)
