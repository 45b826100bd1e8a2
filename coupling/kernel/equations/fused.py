"""Evaluations by fused code in place of the instances, as ``fused.h`` describes them."""

from __future__ import annotations

import ctypes
import math
from collections.abc import Iterable, Mapping, Sequence
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_long, c_size_t, c_void_p
from dataclasses import dataclass
from enum import IntEnum
from pathlib import Path

import numpy as np

from coupling.kernel import library
from coupling.kernel.platform.binding import declare, require_memory
from coupling.kernel.platform.own import Library
from coupling.kernel.system.core import Core
from coupling.kernel.tapes.machine import function_of


class Stage(IntEnum):
    """A stage of an evaluation, numbered as in the kernel."""

    PREPARE = 0
    BEFORE = 1
    SOLVE = 2
    AFTER = 3
    READING = 4
    INDICATING = 5
    GIVING = 6
    CORRECTING = 7
    SLOPES = -1
    """Number of the stage of ``fused_slopes.h``, in a workspace of its own; it is no stage of an evaluation."""


_LOOPS = (
    "entry",
    "right",
    "unknown",
    "pivot",
    "diagonal",
    "derivative",
    "switched",
    "left_out",
    "misfit",
    "order",
    "mobility",
    "correction",
)
_SLOTS = (*_LOOPS, "position", "velocity", "indicator", "called", "leaving", "fed", "arriving")
"""Names of arrays of slots, by the kernel's numbers; -1 is a zero, and -2 less a slot the opposite of its value. ``order`` is no slot, but
an order of pivots as the kernel numbers them. ``switched``, ``left_out`` and ``called`` are truths. ``fed`` and ``arriving`` are slots of
the kernel's own values."""


class FusedStructure(ctypes.Structure):
    _fields_ = [
        *((f"stage{each}", c_void_p) for each in Stage if each >= 0),
        *((f"code{each}", c_void_p) for each in Stage if each >= 0),
        ("initial", c_void_p),
        *((name, c_int) for name in ("size", "x", "t", "drives", "u", "readings")),
        *((name, c_void_p) for name in ("drive", "reading", "number")),
        *((name, c_void_p) for name in _LOOPS),
        ("x_read", c_int),
        *((name, c_void_p) for name in _SLOTS[len(_LOOPS) :]),
        *((name, c_int) for name in ("calls", "leavings", "arrivings", "violation")),
    ]


class FusedReport(ctypes.Structure):
    _fields_ = [
        *((name, c_long) for name in ("evaluations", "handed", "by_rows", "slot")),
        *((name, c_double) for name in ("given_up", "off", "size")),
    ]


declare(
    {
        "kernel_set_fused": (c_int, [c_void_p, POINTER(FusedStructure)]),
        "kernel_fused_report": (None, [c_void_p, POINTER(FusedReport)]),
        "kernel_fused_workspace": (POINTER(c_double), [c_void_p]),
        "platform_vectors": (c_int, []),
        "library_function": (c_void_p, [c_char_p, c_char_p, c_char_p, c_size_t]),
    }
)


@dataclass(frozen=True, kw_only=True)
class Reading:
    """Values of an instance, and the first of the slots that they go to."""

    part: int
    type: int
    references: Sequence[int]
    first: int


@dataclass(frozen=True, kw_only=True)
class FusedRows:
    """The contents of ``FusedRows`` of the kernel."""

    stages: Sequence[Stage]
    functions: Mapping[Stage, int]
    """Addresses of functions; stages without one run tapes."""
    code: Mapping[Stage, np.ndarray]
    initial: np.ndarray
    x: int
    t: int
    u: int
    drives: Sequence[int]
    readings: Sequence[Reading]
    slots: Mapping[str, Sequence[int]]
    """Slots by the names of their arrays."""
    x_read: int
    violation: int
    calls: bool
    """True if FMUs are called."""


def fuse(kernel: Core, structure: FusedStructure | None) -> None:
    """Makes fused code evaluate from now on, or the instances again."""
    kernel.fused = structure
    require_memory(kernel.library.kernel_set_fused(kernel.handle, None if structure is None else byref(structure)))


def loaded(library: Library, path: Path, names: Mapping[Stage, str]) -> dict[Stage, int]:
    """Returns the addresses of functions of a binary in the process of the kernel; an OSError says why they cannot be loaded."""
    problem = ctypes.create_string_buffer(512)
    found = {}
    for stage, name in names.items():
        address = library.library_function(str(path).encode(), name.encode(), problem, len(problem))
        if not address:
            raise OSError(problem.value.decode(errors="replace"))
        found[stage] = address
    return found


def vectors() -> int:
    """Returns the vector instructions of the processor, as ``platform.h`` numbers them."""
    return int(library.platform_vectors())


def fused_structure(kernel: Core, rows: FusedRows) -> FusedStructure:
    """Returns the rows as a kernel takes them, for any number of runs."""
    integers: dict[str, Iterable[int]] = {f"code{stage}": code for stage, code in rows.code.items()}
    integers |= {name: rows.slots.get(name, ()) for name in _SLOTS if name in rows.slots or name != "left_out"}
    integers["drive"] = rows.drives
    counts = {"drives": len(rows.drives), "readings": len(rows.readings), "calls": int(rows.calls)}
    counts |= {f"{name}s": len(rows.slots.get(name, ())) for name in ("leaving", "arriving")}
    structure = FusedStructure(size=len(rows.initial), x=rows.x, t=rows.t, u=rows.u, x_read=rows.x_read, violation=rows.violation, **counts)
    arrays = {name: np.array(values, dtype=np.int32) for name, values in integers.items()} | reading_arrays(rows.readings)
    kept = kernel.library.kept_structure(structure, initial=np.array(rows.initial, dtype=np.float64), **arrays)
    for stage in rows.stages:
        once = stage is Stage.PREPARE
        function = rows.functions.get(stage) or function_of(kernel, getattr(kept, f"code{stage}"), kept.size, once=once)
        setattr(kept, f"stage{stage}", function)
    return kept


def reading_arrays(readings: Iterable[Reading]) -> dict[str, np.ndarray]:
    """Returns the readings as C has them: fields in their order, and the value references of all."""
    reading: list[int] = []
    number: list[int] = []
    for each in readings:
        reading += each.part, each.type, len(each.references), each.first, len(number)
        number += each.references
    return {"reading": np.array(reading, dtype=np.int32), "number": np.array(number, dtype=np.uint32)}


def report(kernel: Core) -> FusedReport:
    """Returns what fused code did in a run; an empty report where the process of the run has ended."""
    found = FusedReport(given_up=math.nan)
    if not kernel.library.is_lost:
        kernel.library.kernel_fused_report(kernel.handle, byref(found))
    return found


def workspace(kernel: Core) -> np.ndarray:
    """Returns the workspace as the last evaluation has left it; it is the kernel's own memory."""
    assert isinstance(kernel.fused, FusedStructure)
    return np.ctypeslib.as_array(kernel.library.kernel_fused_workspace(kernel.handle), shape=(kernel.fused.size,))
