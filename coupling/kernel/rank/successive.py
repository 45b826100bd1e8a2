"""Constraints taken one after the other, as ``successive.h`` describes it."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, byref, c_bool, c_double, c_int, c_void_p
from dataclasses import dataclass

import numpy as np

from coupling.kernel import library
from coupling.kernel.platform.binding import declare, pointer, require_memory
from coupling.kernel.rows.rows import Rows, RowsStructure
from coupling.kernel.system.core import Core
from coupling.kernel.system.status import Status

_RESULTS = dict.fromkeys(("delta", "sine", "own", "misfit", "repeats", "stage"), c_double)


class _Succession(ctypes.Structure):
    _fields_ = [
        *((name, c_int) for name in ("count", "coordinates", "groups")),
        *((name, c_void_p) for name in ("equations", "residual", "gradient", "mobility", "group", "order", "place")),
        *((name, c_void_p) for name in _RESULTS),
        ("redundant", c_void_p),
    ]


declare(
    {
        "successive_take": (c_int, [POINTER(_Succession)]),
        "kernel_take_in_order": (c_int, [c_void_p, POINTER(RowsStructure), c_int, c_void_p, c_bool, c_bool]),
        "kernel_asymmetry": (c_double, [c_void_p, c_int, POINTER(c_int), POINTER(c_int)]),
        "kernel_decide_in_order": (c_int, [c_void_p, c_double, c_void_p]),
        "kernel_repeated": (c_int, [c_void_p, c_int, c_void_p, c_void_p, POINTER(c_double)]),
    }
)


@dataclass(frozen=True, kw_only=True)
class Succession:
    """The results by constraint; ``stage`` has, by place in the sequence, the multipliers of all constraints taken so far."""

    place: np.ndarray
    delta: np.ndarray
    sine: np.ndarray
    own: np.ndarray
    misfit: np.ndarray
    repeats: np.ndarray
    stage: np.ndarray
    redundant: np.ndarray


def take(
    equations: np.ndarray,
    residual: np.ndarray,
    rows: tuple[np.ndarray, np.ndarray, np.ndarray] | None,
    order: Sequence[int] | None,
) -> Succession:
    """Takes constraints one after the other. ``rows`` are gradients, mobilities by the same constraints, and the group of each coordinate.
    Without an order, the constraint that is most independent of those before comes next."""
    n = len(residual)
    inputs = [np.ascontiguousarray(each, dtype=float) for each in (equations, residual, *(rows[:2] if rows else ()))]
    groups = np.ascontiguousarray(rows[2], dtype=np.intc) if rows else np.zeros(0, dtype=np.intc)
    sequence = None if order is None else np.ascontiguousarray(order, dtype=np.intc)
    found = {name: np.zeros((n, n) if name in ("repeats", "stage") else n) for name in _RESULTS}
    place, redundant = np.zeros(n, dtype=np.intc), np.zeros(n, dtype=np.bool_)
    structure = _Succession(
        n,
        len(groups),
        int(groups.max(initial=-1)) + 1,
        *(pointer(each) for each in [*inputs, None, None][:4]),
        pointer(groups),
        pointer(sequence),
        pointer(place),
        *(pointer(each) for each in found.values()),
        pointer(redundant),
    )
    require_memory(library.successive_take(byref(structure)))
    return Succession(place=place, redundant=redundant, **found)


def take_in_order(kernel: Core, rows: Rows, loop: int, order: Sequence[int], tells: bool, first: bool) -> None:
    """Sets the sequence of a loop's unknowns in a run. ``tells``: repetitions are reported; ``first``: constraints that repeat others leave
    the load to those taken first."""
    array = np.ascontiguousarray(order, dtype=np.intc)
    require_memory(
        kernel.library.kernel_take_in_order(
            kernel.handle, byref(kernel.library.rows(rows)), loop, kernel.library.pointer(array), tells, first
        )
    )


def asymmetry(kernel: Core, loop: int) -> tuple[float, int, int]:
    """Returns the greatest asymmetry of a loop's last Jacobian, relative to its diagonal, and the two unknowns."""
    row, column = c_int(), c_int()
    return kernel.library.kernel_asymmetry(kernel.handle, loop, byref(row), byref(column)), row.value, column.value


def decide(kernel: Core, t: float, x: np.ndarray) -> Status:
    """Decides what is redundant at the start, before a run decides it itself."""
    return Status(kernel.library.kernel_decide_in_order(kernel.handle, t, kernel.library.pointer(x)))


def repeated(kernel: Core, loop: int, unknowns: int) -> tuple[list[int], np.ndarray, float]:
    """Returns the constraints of a loop that carry nothing, the factors by which they repeat others, row by row, and the time since
    when."""
    which, factors, since = np.zeros(unknowns, dtype=np.intc), np.zeros((unknowns, unknowns)), c_double(0)
    count = kernel.library.kernel_repeated(
        kernel.handle, loop, kernel.library.pointer(which), kernel.library.pointer(factors), byref(since)
    )
    return which[:count].tolist(), factors[:count], since.value
