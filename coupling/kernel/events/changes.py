"""Constraints that come into force and go during a run, as ``kernel.h`` describes them."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, byref, c_bool, c_double, c_int, c_long, c_void_p
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from coupling.kernel.platform.binding import declare, require_memory
from coupling.kernel.rows.rows import Rows, RowsStructure
from coupling.kernel.system.core import Core


class Switch(NamedTuple):
    """A scheduled change: a time, an unknown of a loop, and whether its constraint comes into force."""

    time: float
    loop: int
    unknown: int
    on: bool


@dataclass(frozen=True, kw_only=True)
class Passed:
    """The changes at one time; arrays by unknown of all loops."""

    time: float
    lost: float
    """Energy that was lost."""
    row: int
    """Number of the first row of the record after the changes."""
    impulse: np.ndarray
    velocity: np.ndarray
    """Velocities of the constraints, before the changes."""
    first: int
    """Number of the first of the scheduled changes, which all happened at this time."""
    heirs: np.ndarray
    """Constraints that take over, by rows of the scheduled changes."""


class _Scheduled(ctypes.Structure):
    _fields_ = [("time", c_double), ("loop", c_int), ("unknown", c_int), ("on", c_int)]


class _Change(ctypes.Structure):
    _fields_ = [
        *((name, c_double) for name in ("time", "lost")),
        ("row", c_long),
        *((name, c_int) for name in ("first", "count")),
        *((name, POINTER(c_double)) for name in ("impulse", "velocity")),
        ("heir", POINTER(c_bool)),
    ]


declare(
    {
        "kernel_switch": (None, [c_void_p, c_int, c_int, c_bool]),
        "kernel_off": (POINTER(c_bool), [c_void_p]),
        "kernel_schedule": (c_int, [c_void_p, POINTER(RowsStructure), c_void_p, c_int, c_double, c_void_p]),
        "kernel_changes": (POINTER(_Change), [c_void_p, POINTER(c_int)]),
        "kernel_conflicting": (POINTER(c_bool), [c_void_p]),
    }
)


def switch(kernel: Core, loop: int, unknown: int, on: bool) -> None:
    """Sets whether the constraint of an unknown is in force."""
    kernel.library.kernel_switch(kernel.handle, loop, unknown, on)


def off(kernel: Core, unknowns: int) -> np.ndarray:
    """Returns truths by unknown of all loops: its constraint is not in force. The array is the kernel's, and follows it."""
    return np.ctypeslib.as_array(kernel.library.kernel_off(kernel.handle), shape=(unknowns,))


def schedule(kernel: Core, rows: Rows, changes: Sequence[Switch], allowed: float, sizes: np.ndarray) -> None:
    """Schedules the changes of a run in the order of time. ``rows`` are those with the Jacobians, ``sizes`` those of constraints by unknown
    of all loops."""
    array = (_Scheduled * len(changes))(*(_Scheduled(*each) for each in changes))
    library = kernel.library
    require_memory(library.kernel_schedule(kernel.handle, byref(library.rows(rows)), array, len(changes), allowed, library.pointer(sizes)))


def passed(kernel: Core, unknowns: int) -> list[Passed]:
    """Returns the changes so far."""
    count = c_int()
    changes = kernel.library.kernel_changes(kernel.handle, byref(count))
    return [
        Passed(
            time=each.time,
            lost=each.lost,
            row=each.row,
            impulse=np.array(each.impulse[:unknowns]),
            velocity=np.array(each.velocity[:unknowns]),
            first=each.first,
            heirs=np.array(each.heir[: unknowns * each.count], dtype=bool).reshape(each.count, unknowns),
        )
        for each in changes[: count.value]
    ]


def conflicting(kernel: Core, unknowns: int) -> np.ndarray:
    """Returns the constraints that repeat one whose velocity cannot be made to fit."""
    found = kernel.library.kernel_conflicting(kernel.handle)
    return np.array(found[:unknowns], dtype=bool) if found else np.zeros(unknowns, bool)
