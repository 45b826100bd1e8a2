"""Tapes as instructions of the machine that a kernel runs on, as ``machine.h`` describes them."""

from __future__ import annotations

from ctypes import c_int, c_void_p

import numpy as np

from coupling.kernel import library
from coupling.kernel.platform.binding import declare, pointer
from coupling.kernel.system.core import Core

declare(
    {
        "kernel_machine": (c_void_p, [c_void_p, c_void_p, c_int]),
        "machine_new": (c_void_p, [c_void_p, c_int]),
        "machine_function": (c_void_p, [c_void_p]),
        "machine_free": (None, [c_void_p]),
    }
)


def function_of(kernel: Core, tape: int, slots: int, once: bool = False) -> int | None:
    """Returns the address of a function that runs a tape, in the process of the kernel, on a workspace of so many slots. It lives as long
    as the kernel.

    A tape that runs ``once`` between events is not worth the work.
    """
    found: int | None = kernel.library.address("tape_run") if once else kernel.library.kernel_machine(kernel.handle, tape, slots)
    return found


def run(tape: np.ndarray, workspace: np.ndarray) -> bool:
    """Runs a tape as instructions of this process; returns False where these are not available."""
    machine = library.machine_new(pointer(tape), len(workspace))
    if not machine:
        return False
    try:
        library.function_at(library.machine_function(machine), None, [c_void_p, c_void_p])(None, pointer(workspace))
    finally:
        library.machine_free(machine)
    return True
