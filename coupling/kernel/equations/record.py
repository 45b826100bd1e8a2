"""Rows of the record by fused code, as ``fused_record.h`` describes them."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from ctypes import POINTER, byref, c_int, c_void_p
from dataclasses import dataclass

import numpy as np

from coupling.kernel.equations.fused import Reading, Stage, reading_arrays
from coupling.kernel.platform.binding import declare, require_memory
from coupling.kernel.system.core import Core
from coupling.kernel.tapes.machine import function_of

_STAGES = {Stage.PREPARE: "prepare", Stage.AFTER: "after"}


class FusedRecordStructure(ctypes.Structure):
    _fields_ = [
        *((name, c_void_p) for name in ("prepare", "after", "prepare_code", "after_code", "initial")),
        *((name, c_int) for name in ("size", "x", "t", "u", "z", "drives", "readings", "columns")),
        *((name, c_void_p) for name in ("drive", "reading", "number", "column")),
    ]


declare({"kernel_set_fused_record": (c_int, [c_void_p, POINTER(FusedRecordStructure)])})


@dataclass(frozen=True, kw_only=True)
class FusedRecordRows:
    """The contents of ``FusedRecordRows`` of the kernel."""

    functions: Mapping[Stage, int]
    code: Mapping[Stage, np.ndarray]
    initial: np.ndarray
    x: int
    t: int
    u: int
    z: int
    drives: Sequence[int]
    readings: Sequence[Reading]
    columns: Sequence[int]


def record_structure(kernel: Core, rows: FusedRecordRows) -> FusedRecordStructure:
    """Returns the rows as a kernel takes them, for any number of runs."""
    structure = FusedRecordStructure(
        **{name: getattr(rows, name) for name in ("x", "t", "u", "z")},
        size=len(rows.initial),
        drives=len(rows.drives),
        readings=len(rows.readings),
        columns=len(rows.columns),
    )
    integers = {"drive": rows.drives, "column": rows.columns}
    arrays = {name: np.array(values, dtype=np.int32) for name, values in integers.items()} | reading_arrays(rows.readings)
    for stage, name in _STAGES.items():
        arrays[f"{name}_code"] = np.array(rows.code.get(stage, ()), dtype=np.int32)
    kept = kernel.library.kept_structure(structure, initial=np.array(rows.initial, dtype=np.float64), **arrays)
    for stage, name in _STAGES.items():
        setattr(
            kept,
            name,
            rows.functions.get(stage) or function_of(kernel, getattr(kept, f"{name}_code"), kept.size, once=stage is Stage.PREPARE),
        )
    return kept


def fuse_record(kernel: Core, structure: FusedRecordStructure | None) -> None:
    """Makes fused code compute the rows between events from now on, or the instances again."""
    kernel.fused_record = structure
    require_memory(kernel.library.kernel_set_fused_record(kernel.handle, None if structure is None else byref(structure)))
