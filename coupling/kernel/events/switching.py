"""Joints whose constraints depend on modes, in a run, as ``kernel.h`` describes them."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, byref, c_bool, c_double, c_int, c_void_p
from typing import NamedTuple

import numpy as np

from coupling.kernel.platform.binding import declare, require_memory
from coupling.kernel.rows.rows import Rows, RowsStructure
from coupling.kernel.system.core import Core
from coupling.kernel.system.status import Status


class ModeChange(NamedTuple):
    """A change of mode of a switched row, at a time; ``row`` is the first row of the record after it."""

    time: float
    item: int
    before: int
    after: int
    row: int


class Strike(NamedTuple):
    """Velocities that jumped; arrays by unknown of all loops."""

    time: float
    lost: float
    row: int
    impulse: np.ndarray
    velocity: np.ndarray


class _Options(ctypes.Structure):
    _fields_ = [("simultaneous", c_bool), ("impulse", c_bool), ("rest", c_double), ("allowed", c_double), ("size", c_void_p)]


class Notes(ctypes.Structure):
    """Notes that are worth a sentence, as in C."""

    two: int
    shared: int
    several: int
    two_closed: bool
    two_time: float
    two_mu: float
    shared_time: float
    several_time: float
    mu: float
    below: float
    _fields_ = [
        ("two", c_int),
        ("shared", c_int),
        ("several", c_int),
        ("two_closed", c_bool),
        *((name, c_double) for name in ("two_time", "two_mu", "shared_time", "several_time", "mu", "below")),
    ]


class _ModeChange(ctypes.Structure):
    _fields_ = [("time", c_double), *((name, c_int) for name in ("item", "before", "after", "row"))]


class _Strike(ctypes.Structure):
    _fields_ = [("time", c_double), ("lost", c_double), ("row", c_int), ("impulse", POINTER(c_double)), ("velocity", POINTER(c_double))]


declare(
    {
        "kernel_begin_switching": (c_int, [c_void_p, POINTER(RowsStructure), POINTER(_Options)]),
        "kernel_switch_at_start": (c_int, [c_void_p, c_double, c_void_p]),
        "kernel_mode_changes": (POINTER(_ModeChange), [c_void_p, POINTER(c_int)]),
        "kernel_strikes": (POINTER(_Strike), [c_void_p, POINTER(c_int)]),
        "kernel_switching_notes": (POINTER(Notes), [c_void_p]),
        "kernel_lawful": (POINTER(c_bool), [c_void_p]),
    }
)


def begin(kernel: Core, rows: Rows, *, simultaneous: bool, impulse: bool, rest: float, allowed: float, sizes: np.ndarray) -> None:
    """Begins to choose modes at events; ``rows`` are those with the Jacobians, ``sizes`` those of positions by switched row."""
    options = _Options(simultaneous, impulse, rest, allowed, kernel.library.pointer(sizes))
    require_memory(kernel.library.kernel_begin_switching(kernel.handle, byref(kernel.library.rows(rows)), byref(options)))


def begun(kernel: Core) -> bool:
    """Tells whether the kernel chooses modes."""
    return bool(kernel.library.kernel_switching_notes(kernel.handle))


def switch_at_start(kernel: Core, t: float, x: np.ndarray) -> Status:
    """Chooses the modes at the start by the state; ``x`` may change by impacts."""
    return Status(kernel.library.kernel_switch_at_start(kernel.handle, t, kernel.library.pointer(x)))


def mode_changes(kernel: Core) -> list[ModeChange]:
    """Returns the changes of modes since the start, in the order of time."""
    count = c_int()
    found = kernel.library.kernel_mode_changes(kernel.handle, byref(count))
    return [ModeChange(each.time, each.item, each.before, each.after, each.row) for each in found[: count.value]]


def strikes(kernel: Core, unknowns: int) -> list[Strike]:
    """Returns the impacts so far."""
    count = c_int()
    found = kernel.library.kernel_strikes(kernel.handle, byref(count))
    return [
        Strike(each.time, each.lost, each.row, _copied(each.impulse, unknowns), _copied(each.velocity, unknowns))
        for each in found[: count.value]
    ]


def _copied(numbers: ctypes._Pointer[c_double], count: int) -> np.ndarray:
    return np.frombuffer(ctypes.string_at(numbers, count * ctypes.sizeof(c_double)))


def notes(kernel: Core) -> Notes:
    """Returns the notes as the kernel has them."""
    return kernel.library.kernel_switching_notes(kernel.handle).contents


def lawful(kernel: Core, unknowns: int) -> np.ndarray:
    """Returns truths by unknown of all loops: it follows a law in place of its constraint. The array is the kernel's, and follows it."""
    return np.ctypeslib.as_array(kernel.library.kernel_lawful(kernel.handle), shape=(unknowns,))
