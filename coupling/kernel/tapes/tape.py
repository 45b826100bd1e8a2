"""The operations that a tape of the kernel knows, and its runner; ``tape.h`` describes tapes."""

from __future__ import annotations

from collections.abc import Mapping
from ctypes import POINTER, byref, c_char_p, c_int, c_void_p

import numpy as np

from coupling.kernel import library
from coupling.kernel.platform.binding import declare, pointer

declare({"tape_run": (None, [c_void_p, c_void_p]), "tape_operation": (c_char_p, [c_int, POINTER(c_int)])})

END = -1


def _operations() -> dict[str, tuple[int, int]]:
    found: dict[str, tuple[int, int]] = {}
    operands = c_int()
    while (name := library.tape_operation(len(found), byref(operands))) is not None:
        found[name.decode()] = len(found), operands.value
    return found


OPERATIONS: Mapping[str, tuple[int, int]] = _operations()
"""Number of an operation and that of its operands, by name."""


def run(tape: np.ndarray, workspace: np.ndarray) -> None:
    """Runs a tape, an array of 32-bit integers, on a workspace of doubles."""
    library.tape_run(pointer(tape), pointer(workspace))
