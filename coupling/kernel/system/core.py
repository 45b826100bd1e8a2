"""A system in the kernel: its values, its evaluation, its loops and its record; ``kernel.h`` describes the functions."""

from __future__ import annotations

import ctypes
import math
import os
import weakref
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import POINTER, byref, c_bool, c_double, c_int, c_long, c_void_p

import numpy as np

from coupling.kernel import library
from coupling.kernel.fmi.instance import Instance
from coupling.kernel.platform.binding import declare, require_memory
from coupling.kernel.platform.own import Library
from coupling.kernel.rows.rows import Rows, RowsStructure
from coupling.kernel.system.status import STATUSES, Failure, KernelStatistics, Status


class _Record(ctypes.Structure):
    _fields_ = [
        ("columns", c_int),
        *((name, c_void_p) for name in ("slot", "unread")),
        *((name, c_long) for name in ("rows", "capacity")),
        *((name, c_void_p) for name in ("values", "file", "texts")),
        ("error", c_int),
        ("apart", c_bool),
    ]


_i, _d, _n, _p, _b = c_int, c_double, c_long, c_void_p, c_bool
declare(
    {
        "kernel_reset": (_i, [_p]),
        "kernel_build": (_p, [POINTER(RowsStructure), _p, _p]),
        "kernel_add_jacobians": (_i, [_p, POINTER(RowsStructure)]),
        "kernel_set_record": (_i, [_p, POINTER(RowsStructure)]),
        "kernel_free": (None, [_p]),
        "kernel_use_clock": (None, [_p]),
        "kernel_slots": (POINTER(c_double), [_p]),
        "kernel_failure": (POINTER(Failure), [_p]),
        "kernel_statistics": (POINTER(KernelStatistics), [_p]),
        "kernel_set_fast": (_i, [_p, _b]),
        "kernel_set_projection": (_i, [_p, POINTER(RowsStructure), _b]),
        "kernel_set_sizes": (_i, [_p, _p]),
        "kernel_copy_peaks": (_n, [_p, _p, _b]),
        "kernel_set_quiet": (_i, [_p, _p]),
        "kernel_find_repeated": (_i, [_p, POINTER(RowsStructure), _d, _p, _p]),
        "kernel_set_damping": (None, [_p, _d]),
        "kernel_worst_scaled": (_d, [_p, POINTER(_i), POINTER(_i), POINTER(_d)]),
        "kernel_set_open": (_i, [_p, _b]),
        "kernel_loop_deficiency": (_i, [_p, _i, _b, _p, _p, POINTER(_d)]),
        "kernel_derivatives": (_i, [_p, _d, _p, _p]),
        "kernel_evaluate": (_i, [_p, _d, _p]),
        "kernel_project": (_i, [_p, _d, _p]),
        "kernel_decay": (_d, []),
        "kernel_projected_derivatives": (_i, [_p, _d, _p, _p]),
        "kernel_projected_residuals": (_i, [_p, _d, _p, _p, _p, _p]),
        "kernel_exchange": (_i, [_p, _d, _b]),
        "kernel_residuals": (_i, [_p, _d, _p, _p, _p, _p]),
        "kernel_verify": (_i, [_p, _p]),
        "kernel_indicators": (_i, [_p, _p]),
        "kernel_synchronise": (_i, [_p, _d, _p]),
        "kernel_start_events": (_i, [_p]),
        "kernel_settle": (_i, [_p, _p, POINTER(_b)]),
        "kernel_next_time": (_d, [_p]),
        "kernel_hold": (_i, [_p, _i, _p]),
        "kernel_loop_linearise": (_i, [_p, _i]),
        "kernel_set_polynomial": (None, [_p, _i, _d, _d, _d, _d]),
        "kernel_unsettle": (None, [_p]),
        "kernel_leave_last": (None, [_p]),
        "kernel_limit_values": (None, [_p, _p]),
        "kernel_time": (_d, [_p]),
        "kernel_record": (_i, [_p]),
        "kernel_take_record": (_n, [_p, POINTER(c_void_p)]),
        "kernel_free_record": (None, [c_void_p]),
        "kernel_record_kept": (POINTER(_Record), [_p]),
        "kernel_last_row": (POINTER(_d), [_p]),
        "kernel_leave_rows": (None, [_p, _b]),
        "kernel_put_rows": (_i, [_p, _n, _p]),
        "kernel_recorded_until": (_d, [_p]),
        "kernel_begin_rows_file": (_i, [_p, _i, _n, _i, _p]),
        "kernel_begin_texts_file": (_i, [_p, _i, _i, _i, _p]),
        "kernel_end_rows_file": (_n, [_p]),
        "platform_close": (None, [_i]),
        "kernel_rows_file_error": (_i, [_p]),
        "kernel_rows": (_n, [_p]),
    }
)

VALUE = ctypes.CFUNCTYPE(c_double, c_double, c_void_p)
"""The type of a function of time that the kernel calls."""


class _TimeFunction(ctypes.Structure):
    _fields_ = [("value", c_void_p), ("context", c_void_p)]


class Core:
    """A system in the kernel. Arrays that a run refers to are kept alive here."""

    def __init__(
        self,
        rows: Rows,
        instances: Sequence[Instance],
        functions: Sequence[Callable[..., float]] = (),
        library: Library = library,
    ) -> None:
        """Builds a system. ``instances`` are by their rows. ``functions`` of time are by their numbers in the rows of drives; they take an
        unused second argument. ``library`` is that of the instances."""
        self.library, self._at = library, library.pointer
        handles = (c_void_p * len(instances))(*(instance.handle for instance in instances))
        callbacks = [library.called_back((VALUE, "ask_value", function)) for function in functions]
        called = (_TimeFunction * len(callbacks))(*(_TimeFunction(*each.addresses, each.context) for each in callbacks))
        structure = library.rows(rows)
        structure.formula = library.address("formula_value")
        self.handle = library.kernel_build(byref(structure), library.reference(handles), library.reference(called))
        if not self.handle:
            raise MemoryError("the system needs more memory than there is")
        self._kept: list[object] = [rows, callbacks]
        self._running: object = None
        """Objects to which the run refers."""
        self.until: object = None
        """The condition that ends the run, kept alive here."""
        self.within: object = None
        """Reasons to end steps of Co-Simulation instances early, kept alive here."""
        self._there: list[int] = []
        """Files that are open in the process of the kernel."""
        self._parameters, self._differentiated = 0, object()
        """Number of parameters by which the rows have derivatives, and the objects to which these refer."""
        self.fused: object = None
        """Structure of the fused code that evaluates in place of the instances, kept alive here; None where they do. See ``fused.py``."""
        self.limits: np.ndarray | None = None
        """The largest absolute values of states in the present run."""
        self.fused_record: object = None
        """Structure of the fused code of the record, kept alive here."""
        self.fused_open: object = None
        """Structure of the fused code of implicit steps that hold constraints, kept alive here."""
        self.states = rows.states
        self.slots = np.ctypeslib.as_array(library.kernel_slots(self.handle), shape=(rows.slots + 1,))
        try:
            self._build_rest(rows, structure)
        except BaseException:
            self.free()
            raise

    def _build_rest(self, rows: Rows, structure: RowsStructure) -> None:
        self.library.kernel_use_clock(self.handle)
        if structure.records:
            require_memory(self.library.kernel_set_record(self.handle, byref(structure)))
            self._columns = int(rows.table("record")["columns"][0])

    def add_jacobians(self, rows: Rows) -> None:
        """Adds the Jacobians of loops that were built without: ``rows`` are the same as before, with the additions to the loops."""
        self._kept.append(rows)
        require_memory(self.library.kernel_add_jacobians(self.handle, byref(self.library.rows(rows))))

    _file = -1, 0, 0
    """File that takes rows, with the place of the first row and the bytes of each. The last number is that of the file in the process of
    the kernel."""

    def reset(self) -> None:
        """Makes the kernel what it was when it was built, its Jacobians included: settings, values, statistics and records go.

        To be called before its instances start again; the next run gives the same bits as that of a new kernel.
        """
        self._running = self.until = None
        require_memory(self.library.kernel_reset(self.handle))
        self.fused = self.fused_record = self.fused_open = None
        self.differentiate_by(0, None)

    def differentiate_by(self, parameters: int, kept: object) -> None:
        """Sets the number of derivatives that follow the values in each row; keeps the objects to which they refer."""
        self._parameters, self._differentiated = parameters, kept

    def free(self) -> None:
        if self.handle:
            self.library.kernel_free(self.handle)
            self.handle, self.slots = None, np.zeros(0)
            self._kept, self._running, self.until = [], None, None

    def set_polynomial(self, drive: int, start: float, value: float, slope: float, curve: float) -> None:
        self.library.kernel_set_polynomial(self.handle, drive, start, value, slope, curve)

    def limit_values(self, limits: np.ndarray | None) -> None:
        """Ends a run at the step after which a state's absolute value is beyond its limit; None removes the limits."""
        self.limits = None if limits is None else self.library.kept(limits)
        self.library.kernel_limit_values(self.handle, None if self.limits is None else self._at(self.limits))

    def leave_last(self) -> None:
        """Leaves time events at the end of a run to the caller, who runs more than this system."""
        self.library.kernel_leave_last(self.handle)

    def unsettle(self) -> None:
        """Reports that the inputs of instances were set from outside."""
        self.library.kernel_unsettle(self.handle)

    def hold(self, loop: int, held: Sequence[bool] | np.ndarray | None) -> None:
        """Sets which unknowns of a loop are not its own to find; without an argument, all of them are."""
        array = None if held is None else np.array(held, dtype=np.bool_)
        require_memory(self.library.kernel_hold(self.handle, loop, self._at(array)))

    def linearise(self, loop: int) -> Status:
        """Makes and factorises a loop's Jacobian at the present point, equations for held unknowns included."""
        return STATUSES[self.library.kernel_loop_linearise(self.handle, loop)]

    @property
    def time(self) -> float:
        """The time of the present point."""
        return self.library.kernel_time(self.handle)

    def set_projection(self, rows: Rows, on: bool) -> None:
        """Sets whether each step ends on the constraints."""
        require_memory(self.library.kernel_set_projection(self.handle, byref(self.library.rows(rows)), on))

    def set_sizes(self, sizes: np.ndarray | None) -> None:
        """Tells projections the sizes of states, then of the constraints of all unknowns; None where all are 1."""
        require_memory(self.library.kernel_set_sizes(self.handle, self.library.pointer(sizes)))

    @property
    def peaks(self) -> np.ndarray:
        """A copy of the greatest pivots of the run so far, by which small ones are judged."""
        kept = np.zeros(self.library.kernel_copy_peaks(self.handle, None, False))
        self.library.kernel_copy_peaks(self.handle, self._at(kept), False)
        return kept

    @peaks.setter
    def peaks(self, kept: np.ndarray) -> None:
        self.library.kernel_copy_peaks(self.handle, self._at(kept), True)

    def set_damping(self, rtol: float) -> None:
        """Sets the damping of constraints that become weak near a singular pose, by the tolerance of the run."""
        self.library.kernel_set_damping(self.handle, rtol)

    def worst_scaled(self) -> tuple[float, int, int, float]:
        """Returns the least pivot of constraints that are not redundant, states of the two bodies that cause it, and the ratio of their
        masses."""
        light, heavy, ratio = _i(), _i(), c_double()
        pivot = self.library.kernel_worst_scaled(self.handle, byref(light), byref(heavy), byref(ratio))
        return pivot, light.value, heavy.value, ratio.value

    def set_fast(self, fast: bool) -> None:
        """Sets whether loops that have a shortcut may take it."""
        self.library.kernel_set_fast(self.handle, fast)

    def set_open(self, open_: bool) -> None:
        """Sets whether loops are passed once, with their present unknowns, instead of being solved."""
        self.library.kernel_set_open(self.handle, open_)

    @property
    def recorded_until(self) -> float:
        """The time of the last row; NaN where no row exists."""
        if self.library.is_lost:
            kept = self._kept_record
            last = 0 if kept.file else kept.rows - 1
            return self.library.copied(kept.values, 1 + last * self.width)[-self.width] if kept.rows else math.nan
        return self.library.kernel_recorded_until(self.handle)

    def rows_from(self, first: int) -> np.ndarray:
        """Returns a copy of the rows in memory from that number on, the time first."""
        kept, width = self._kept_record, self.width
        count = max(0, kept.rows - first)
        return self.library.copied(kept.values + 8 * first * width, count * width).reshape(-1, width) if count else np.zeros((0, width))

    @contextmanager
    def without_rows(self) -> Iterator[None]:
        """Has states that are saved inside leave the rows to the caller: they have their number alone."""
        self.library.kernel_leave_rows(self.handle, True)
        try:
            yield
        finally:
            self.library.kernel_leave_rows(self.handle, False)

    def put_rows(self, rows: np.ndarray) -> None:
        """Replaces all rows in memory."""
        require_memory(self.library.kernel_put_rows(self.handle, len(rows), self._at(np.ascontiguousarray(rows))))

    def last_row(self) -> np.ndarray:
        """Returns a copy of the last row, the time first; empty where there is none."""
        row = self.library.kernel_last_row(self.handle)
        return np.array(row[: self.width], dtype=float) if row else np.zeros(0)

    @property
    def width(self) -> int:
        """The number of values in a row, the time included."""
        return self._columns * (1 + self._parameters) + 1

    @property
    def _kept_record(self) -> _Record:
        return _Record.from_buffer_copy(self.library.kernel_record_kept(self.handle).contents)

    def take_record(self) -> np.ndarray:
        """Returns all rows, the time first. They are handed over without being copied, and the kernel has none after that."""
        width = self.width
        if self.library.is_elsewhere:
            kept = self._kept_record
            return self.library.copied(kept.values, kept.rows * width).reshape(-1, width)
        values = c_void_p()
        rows = self.library.kernel_take_record(self.handle, byref(values))
        if not values.value:
            return np.zeros((0, width))
        memory = (c_double * (rows * width)).from_address(values.value)
        weakref.finalize(memory, self.library.kernel_free_record, values.value).atexit = False
        return np.frombuffer(memory).reshape(rows, width)

    def begin_texts_file(self, file: int, texts: Sequence[int], whole: Sequence[int]) -> None:
        """Sends texts, and the digits of whole numbers that no double holds, into an open file; before rows go into a file, whose ``texts``
        and ``whole`` numbers are such."""
        place = np.array([*texts, *whole], np.int32)
        require_memory(self.library.kernel_begin_texts_file(self.handle, self._given(file), len(texts), len(place), self._at(place)))

    def begin_rows_file(self, file: int, first: int, place: np.ndarray) -> None:
        """Sends rows into an open file from a place on, by ``place`` in another order of their numbers."""
        place = np.ascontiguousarray(place, np.int32)
        self._file = file, first, 8 * len(place)
        file = self._given(file)
        require_memory(self.library.kernel_begin_rows_file(self.handle, file, first, len(place), self._at(place)))

    def end_rows_file(self) -> int:
        """Returns how many rows the file has, which ends with them."""
        if self.library.is_lost:
            file, first, size = self._file
            rows = min(max(self._kept_record.rows, 0), (os.fstat(file).st_size - first) // size)
            os.ftruncate(file, first + rows * size)
            return rows
        rows = self.library.kernel_end_rows_file(self.handle)
        while self._there:
            self.library.platform_close(self._there.pop())
        return rows

    def _given(self, file: int) -> int:
        """Returns the number of an open file where the kernel is, which is closed there with the rows."""
        given = self.library.file(file)
        if self.library.is_elsewhere:
            self._there.append(given)
        return given

    @property
    def rows(self) -> int:
        """The number of recorded rows."""
        return self.library.kernel_rows(self.handle)

    @property
    def rows_file_error(self) -> int:
        """The number of the error for which the file has taken no more rows; 0 where it has."""
        if self.library.is_lost:
            return self._kept_record.error
        return self.library.kernel_rows_file_error(self.handle)

    @property
    def failure(self) -> Failure:
        return self.library.kernel_failure(self.handle).contents

    @property
    def statistics(self) -> KernelStatistics:
        return self.library.kernel_statistics(self.handle).contents

    def deficient(self, loop: int, passing: bool = False) -> tuple[int, float]:
        """Returns the worst rank deficiency of a loop's equations, and its time: of what is missing always, or of what was missing in
        passing."""
        time = c_double(0)
        return self.library.kernel_loop_deficiency(self.handle, loop, passing, None, None, byref(time)), time.value

    def deficiency(self, loop: int, unknowns: int, passing: bool = False) -> tuple[int, np.ndarray, np.ndarray, float]:
        """Returns the same, with the share of each unknown and each equation in it."""
        undetermined, redundant, time = np.zeros(unknowns), np.zeros(unknowns), c_double(0)
        arrays = self._at(undetermined), self._at(redundant)
        count = self.library.kernel_loop_deficiency(self.handle, loop, passing, *arrays, byref(time))
        return count, undetermined, redundant, time.value

    def set_quiet(self, quiet: np.ndarray) -> None:
        """Sets which instances no event concerns."""
        require_memory(self.library.kernel_set_quiet(self.handle, self.library.pointer(quiet)))

    def repeated(self, rows: Rows, t: float, x: np.ndarray, unknowns: int) -> list[int]:
        """Returns the unknowns of all loops whose constraints repeat others at a point; none where that is not known."""
        found = np.zeros(unknowns, dtype=bool)
        structure = byref(self.library.rows(rows))
        status = STATUSES[self.library.kernel_find_repeated(self.handle, structure, t, self._at(x), self.library.pointer(found))]
        return np.flatnonzero(found).tolist() if status is Status.DONE else []

    def derivatives(self, t: float, x: np.ndarray, dx: np.ndarray) -> Status:
        return STATUSES[self.library.kernel_derivatives(self.handle, t, self._at(x), self._at(dx))]

    def project(self, t: float, x: np.ndarray) -> Status:
        """Moves states onto the constraints."""
        return STATUSES[self.library.kernel_project(self.handle, t, self._at(x))]

    @property
    def decay(self) -> float:
        """The rate in 1/s at which states return to the projected ones."""
        return self.library.kernel_decay()

    def projected_derivatives(self, t: float, x: np.ndarray, dx: np.ndarray) -> Status:
        """Computes the derivatives at the projected states, which draw the states after them."""
        return STATUSES[self.library.kernel_projected_derivatives(self.handle, t, self._at(x), self._at(dx))]

    def projected_residuals(self, t: float, x: np.ndarray, z: np.ndarray, dx: np.ndarray, r: np.ndarray) -> Status:
        return STATUSES[self.library.kernel_projected_residuals(self.handle, t, self._at(x), self._at(z), self._at(dx), self._at(r))]

    def evaluate(self, t: float, x: np.ndarray) -> Status:
        return STATUSES[self.library.kernel_evaluate(self.handle, t, self._at(x))]

    def exchange(self, t: float, solving: bool = False) -> Status:
        return STATUSES[self.library.kernel_exchange(self.handle, t, solving)]

    def residuals(self, t: float, x: np.ndarray, z: np.ndarray, dx: np.ndarray, r: np.ndarray) -> Status:
        return STATUSES[self.library.kernel_residuals(self.handle, t, self._at(x), self._at(z), self._at(dx), self._at(r))]

    def indicators(self, z: np.ndarray) -> Status:
        return STATUSES[self.library.kernel_indicators(self.handle, self._at(z))]

    def synchronise(self, t: float, x: np.ndarray) -> Status:
        return STATUSES[self.library.kernel_synchronise(self.handle, t, self._at(x))]

    def start_events(self) -> Status:
        return STATUSES[self.library.kernel_start_events(self.handle)]

    def settle(self, x: np.ndarray) -> Status:
        """Makes discrete updates until nothing changes; x receives the states."""
        return STATUSES[self.library.kernel_settle(self.handle, self._at(x), byref(c_bool()))]

    @property
    def next_time(self) -> float:
        return self.library.kernel_next_time(self.handle)

    def record(self) -> Status:
        return STATUSES[self.library.kernel_record(self.handle)]
