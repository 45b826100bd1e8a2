"""The state of a run as bytes; what belongs to it is said in ``state.c``."""

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
    """The walk came to no end."""

    def __init__(self, why: Visited, instance: int) -> None:
        super().__init__(why.name)
        self.why, self.instance = why, instance
        """Which instance failed, by its number."""


def saved_state(kernel: Core, restarted: np.ndarray | None = None) -> np.ndarray:
    """All that a run needs to go on, the states of its instances included; the run itself goes on as if nothing had been.

    ``restarted`` tells by instance of which the own state is left out.
    """
    size = c_size_t(0)
    _visit(kernel, _COUNTING, np.zeros(0, np.uint8), size, restarted)
    found = np.zeros(size.value, np.uint8)
    _visit(kernel, _SAVING, found, size, restarted)
    return found


def load_state(kernel: Core, state: np.ndarray, restarted: np.ndarray | None = None) -> None:
    """Takes the place of the state of a run that began as the saved one did."""
    _visit(kernel, _LOADING, np.ascontiguousarray(state), c_size_t(state.size), restarted)


def _visit(kernel: Core, mode: int, state: np.ndarray, size: c_size_t, restarted: np.ndarray | None) -> None:
    instance = c_int(-1)
    library = kernel.library
    why = Visited(
        library.kernel_visit(kernel.handle, mode, library.pointer(state), byref(size), byref(instance), library.pointer(restarted))
    )
    if why is not Visited.DONE:
        raise Unvisited(why, instance.value)
