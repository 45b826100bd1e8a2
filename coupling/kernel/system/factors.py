"""The factors of a loop's equations, and a check of the last evaluation, as ``kernel.h`` describes them."""

from __future__ import annotations

from ctypes import c_int, c_void_p
from dataclasses import dataclass

import numpy as np

from coupling.kernel.platform.binding import declare
from coupling.kernel.system.core import Core
from coupling.kernel.system.status import STATUSES, Status

declare({"kernel_loop_factors": (c_int, [c_void_p, c_int, *4 * [c_void_p]])})


@dataclass(frozen=True)
class Factors:
    """Pivots of the equations of a loop, in the order of elimination."""

    unknown: np.ndarray
    """Places among the unknowns of the loop."""
    pivot: np.ndarray
    share: np.ndarray
    """Pivots as shares of their diagonal entries: 1 if the row is independent of those before it."""
    added: np.ndarray
    """Damping, as a share of the own block of each joint; 0 where nothing was damped."""
    deficiency: int
    """The number of equations by which the rank falls short; -1 where nothing was factorised."""


def factors(kernel: Core, loop: int, unknowns: int) -> Factors:
    """Returns the factors of the last evaluation by the instances."""
    unknown, (pivot, share, added) = np.zeros(unknowns, dtype=np.intc), np.zeros((3, unknowns))
    at = kernel.library.pointer
    deficiency = kernel.library.kernel_loop_factors(kernel.handle, loop, at(unknown), at(pivot), at(share), at(added))
    return Factors(unknown, pivot, share, added, deficiency)


def verify(kernel: Core, dx: np.ndarray) -> Status:
    """Passes the derivatives of the last evaluation through the instances, as a run does after each step."""
    return STATUSES[kernel.library.kernel_verify(kernel.handle, kernel.library.pointer(dx))]
