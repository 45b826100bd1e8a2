"""The kernel's functions with Python types; what they do is said in ``kernel.h`` and ``instance.h``."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_long, c_uint, c_void_p
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from coupling.kernel import library
from coupling.kernel.rows import Rows, RowsStructure
from coupling.kernel.runge_kutta import RungeKuttaStructure, TableauStructure

OK, WARNING, DISCARD, ERROR, FATAL = range(5)
STATUS = ("ok", "warning", "discard", "error", "fatal", "pending")
_CALLBACK = ctypes.CFUNCTYPE(c_double, c_double)


class Status(IntEnum):
    """How a call of the kernel ended."""

    DONE = 0
    RETRY = 1
    STEP_TOO_SMALL = 2
    NO_MEMORY = 3
    FMU_FAILED = 4
    NOT_FINITE = 5
    NOT_SOLVED = 6
    CONTRADICTORY = 7
    CHATTERING = 8
    UNSETTLED = 9
    TERMINATED = 10
    PAUSED = 11


class Failure(ctypes.Structure):
    _fields_ = [
        ("kind", c_int),
        ("instance", c_int),
        ("status", c_int),
        ("action", c_char_p),
        ("references", POINTER(c_uint)),
        ("count", c_int),
        ("index", c_int),
        ("slot", c_int),
        ("time", c_double),
    ]


class Statistics(ctypes.Structure):
    _fields_ = [
        *((name, c_long) for name in ("evaluations", "newton_iterations", "factorisations", "events", "time_events", "state_events")),
        ("step_events", c_long),
        ("sampled", c_long),
        ("sampled_seconds", c_double),
        ("fmu_seconds", c_double),
    ]


class Stepping(ctypes.Structure):
    _fields_ = [("event_mode", c_bool), ("early_return", c_bool), ("inputs", c_void_p), ("count", c_int)]


def _declare() -> None:
    none = None
    d, i, n, p, b, s = c_double, c_int, c_long, c_void_p, c_bool, c_char_p
    signatures: dict[str, tuple[object, list[object]]] = {
        "library_open": (p, [s, i, s, ctypes.c_size_t]),
        "library_missing": (s, [p, b]),
        "library_close": (none, [p]),
        "instance_open": (p, [p, s, s, s, POINTER(Stepping), s, ctypes.c_size_t]),
        "instance_close": (none, [p]),
        "instance_message": (s, [p]),
        "instance_switch_on": (i, [p, c_uint]),
        "instance_enter_initialization": (i, [p, d, d, d]),
        "instance_exit_initialization": (i, [p]),
        "instance_set": (i, [p, i, p, ctypes.c_size_t, p]),
        "instance_get": (i, [p, i, p, ctypes.c_size_t, p]),
        "instance_set_string": (i, [p, c_uint, s]),
        "instance_get_states": (i, [p, p, ctypes.c_size_t]),
        "instance_move_states": (i, [p, p, ctypes.c_size_t]),
        "instance_get_nominals": (i, [p, p, ctypes.c_size_t]),
        "instance_directional": (i, [p, p, ctypes.c_size_t, p, ctypes.c_size_t, p, p]),
        "kernel_build": (p, [POINTER(RowsStructure), POINTER(p), POINTER(p)]),
        "kernel_couple": (i, [p, POINTER(RowsStructure)]),
        "kernel_add_jacobians": (i, [p, POINTER(RowsStructure)]),
        "kernel_set_record": (i, [p, POINTER(RowsStructure)]),
        "kernel_free": (none, [p]),
        "kernel_use_clock": (none, [p]),
        "kernel_slots": (POINTER(c_double), [p]),
        "kernel_failure": (POINTER(Failure), [p]),
        "kernel_statistics": (POINTER(Statistics), [p]),
        "kernel_set_fast": (i, [p, b]),
        "kernel_set_lost_share": (none, [p, d]),
        "kernel_set_open": (i, [p, b]),
        "kernel_loop_deficiency": (i, [p, i, p, p, POINTER(d), POINTER(b)]),
        "kernel_derivatives": (i, [p, d, p, p]),
        "kernel_evaluate": (i, [p, d, p]),
        "kernel_exchange": (i, [p, d, b]),
        "kernel_residuals": (i, [p, d, p, p, p, p]),
        "kernel_verify": (i, [p, p]),
        "kernel_indicators": (i, [p, p]),
        "kernel_synchronise": (i, [p, d, p]),
        "kernel_start_events": (i, [p]),
        "kernel_settle": (i, [p, p, POINTER(b)]),
        "kernel_next_time": (d, [p]),
        "kernel_complete_step": (i, [p, POINTER(b)]),
        "kernel_hold": (i, [p, i, p]),
        "kernel_loop_linearise": (i, [p, i]),
        "kernel_loop_solve_linear": (none, [p, i, p]),
        "kernel_evaluate_point": (i, [p, d]),
        "kernel_complete": (i, [p]),
        "kernel_set_careful": (none, [p, b]),
        "kernel_set_align": (none, [p, b]),
        "kernel_set_ready": (none, [p]),
        "kernel_polynomials": (POINTER(d), [p]),
        "kernel_coupling_counts": (none, [p, POINTER(n), POINTER(n), POINTER(d), POINTER(d)]),
        "kernel_passed": (d, [p, i]),
        "kernel_announce": (none, [p]),
        "kernel_set_polynomial": (none, [p, i, d, d, d, d]),
        "kernel_unsettle": (none, [p]),
        "kernel_leave_last": (none, [p]),
        "kernel_set_degree": (none, [p, i]),
        "kernel_get_outputs": (i, [p]),
        "kernel_hand_over": (i, [p, POINTER(d)]),
        "kernel_note_inputs": (none, [p, b]),
        "kernel_step": (i, [p, d, d, b]),
        "kernel_explicit_step": (i, [p, d, i, b, b]),
        "kernel_save": (i, [p, i]),
        "kernel_restore": (i, [p, i]),
        "kernel_point": (i, [p, d, POINTER(b)]),
        "kernel_add_up": (none, [p, d]),
        "kernel_begin_course": (i, [p, d, d, d, i, b, b, n, p]),
        "kernel_follow": (i, [p, n]),
        "kernel_time": (d, [p]),
        "kernel_course_steps": (n, [p]),
        "kernel_record": (i, [p]),
        "kernel_recorded": (n, [p, POINTER(POINTER(d))]),
        "kernel_begin_run": (i, [p, POINTER(TableauStructure), d, p, d, d, d, d, n, p]),
        "kernel_restart": (i, [p, d, p]),
        "kernel_advance": (i, [p, n]),
        "kernel_runge_kutta": (POINTER(RungeKuttaStructure), [p]),
        "kernel_roughest": (i, [p, POINTER(i), POINTER(d)]),
        "kernel_stiffness": (n, [p, POINTER(i), POINTER(d)]),
    }
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


_declare()


def _references(values: Sequence[int]) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.uintc)


def _doubles(values: object) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.float64)


def pointer(array: np.ndarray | None) -> int | None:
    """Where an array begins, for a call during which it stays alive."""
    return None if array is None else array.ctypes.data


def _complete(result: int) -> None:
    if result:
        raise MemoryError("the system needs more memory than there is")


class LoadedLibrary:
    """The functions of an FMU's binary."""

    def __init__(self, path: str, version: int) -> None:
        problem = ctypes.create_string_buffer(1024)
        self.handle = library.library_open(path.encode(), version, problem, len(problem))
        if not self.handle:
            raise OSError(problem.value.decode(errors="replace"))

    def check(self, kind: str) -> None:
        """Refuses a library that lacks what Model Exchange (``me``) or Co-Simulation (``cs``) needs."""
        missing = library.library_missing(self.handle, kind == "cs")
        if missing:
            raise OSError(f"the function {missing.decode()} is missing")


class Instance:
    """One instance of an FMU; freed by ``free``, once."""

    def __init__(self, loaded: LoadedLibrary, name: str, token: str, resources: str | None, stepping: Stepping | None = None) -> None:
        problem = ctypes.create_string_buffer(1024)
        where = resources.encode() if resources else None
        how = byref(stepping) if stepping else None
        self.handle = library.instance_open(loaded.handle, name.encode(), token.encode(), where, how, problem, len(problem))
        if not self.handle:
            raise RuntimeError(problem.value.decode(errors="replace"))

    def free(self) -> None:
        if self.handle:
            library.instance_close(self.handle)
            self.handle = None

    @property
    def message(self) -> str:
        """The last that it logged."""
        return library.instance_message(self.handle).decode(errors="replace")

    def switch_on(self, reference: int) -> int:
        return library.instance_switch_on(self.handle, reference)

    def enter_initialization(self, tolerance: float, start: float, stop: float) -> int:
        return library.instance_enter_initialization(self.handle, tolerance, start, stop)

    def exit_initialization(self) -> int:
        return library.instance_exit_initialization(self.handle)

    def set(self, type_: int, references: Sequence[int], values: Sequence[float]) -> int:
        keys, data = _references(references), _doubles(values)
        return library.instance_set(self.handle, type_, pointer(keys), len(keys), pointer(data))

    def set_string(self, reference: int, text: str) -> int:
        return library.instance_set_string(self.handle, reference, text.encode())

    def get(self, type_: int, references: Sequence[int]) -> tuple[int, np.ndarray]:
        keys, data = _references(references), np.zeros(len(references))
        return library.instance_get(self.handle, type_, pointer(keys), len(keys), pointer(data)), data

    def nominals(self, count: int) -> tuple[int, np.ndarray]:
        data = np.ones(count)
        return library.instance_get_nominals(self.handle, pointer(data), count), data

    def states(self, count: int) -> tuple[int, np.ndarray]:
        data = np.zeros(count)
        return library.instance_get_states(self.handle, pointer(data), count), data

    def move_states(self, x: np.ndarray) -> int:
        values = _doubles(x)
        return library.instance_move_states(self.handle, pointer(values), len(values))

    def directional(self, unknowns: Sequence[int], known: int) -> tuple[int, np.ndarray]:
        """Derivatives with respect to one known."""
        rows, column, seed, result = _references(unknowns), _references([known]), np.ones(1), np.zeros(len(unknowns))
        status = library.instance_directional(self.handle, pointer(rows), len(rows), pointer(column), 1, pointer(seed), pointer(result))
        return status, result


class CouplingCounts(NamedTuple):
    passes: int
    discarded: int
    earliest: float
    """An event within the last step, where everybody has to go back to it."""
    seconds: float
    """Spent in steps, by those that were timed."""


class Kernel:
    """A system in the kernel. Arrays that a run refers to are kept alive here."""

    def __init__(self, rows: Rows, instances: Sequence[Instance], functions: Sequence[Callable[[float], float]] = ()) -> None:
        """``instances`` by their rows; ``functions`` of time by their numbers in the rows of drives."""
        handles = (c_void_p * len(instances))(*(instance.handle for instance in instances))
        callbacks = [_CALLBACK(function) for function in functions]
        addresses = (c_void_p * len(callbacks))(*(ctypes.cast(callback, c_void_p) for callback in callbacks))
        structure = rows.structure
        self.handle = library.kernel_build(byref(structure), handles, addresses)
        if not self.handle:
            raise MemoryError("the system needs more memory than there is")
        self._kept: list[object] = [rows, callbacks]
        self._running: object = None
        """What the run refers to."""
        self.states = rows.states
        self.slots = np.ctypeslib.as_array(library.kernel_slots(self.handle), shape=(rows.slots + 1,))
        try:
            self._build_rest(rows, structure)
        except BaseException:
            self.free()
            raise

    def _build_rest(self, rows: Rows, structure: RowsStructure) -> None:
        library.kernel_use_clock(self.handle)
        if structure.records:
            _complete(library.kernel_set_record(self.handle, byref(structure)))
            self._columns = int(rows.table("record")["columns"][0])
        if structure.couplings:
            _complete(library.kernel_couple(self.handle, byref(structure)))
            coupling = rows.table("coupling")[0]
            inputs, first, at = int(coupling["inputs"]), int(coupling["first_end"]), int(coupling["arriving"])
            self.ends = self.slots[first : first + inputs]
            self._arriving = rows.numbers[at : at + inputs] if inputs else np.zeros(0, np.intc)
            block = np.ctypeslib.as_array(library.kernel_polynomials(self.handle), shape=(3, inputs + 1))
            self.value, self.slope, self.curve = block[:, :inputs]

    def add_jacobians(self, rows: Rows) -> None:
        """Those of loops that were built without: ``rows`` are the same as before, with what has come to the loops."""
        self._kept.append(rows)
        _complete(library.kernel_add_jacobians(self.handle, byref(rows.structure)))

    def free(self) -> None:
        if self.handle:
            library.kernel_free(self.handle)
            self.handle, self.slots = None, np.zeros(0)

    def set_polynomial(self, drive: int, start: float, value: float, slope: float, curve: float) -> None:
        library.kernel_set_polynomial(self.handle, drive, start, value, slope, curve)

    def leave_last(self) -> None:
        """Leaves time events at the end of a run to whoever runs more than this system."""
        library.kernel_leave_last(self.handle)

    def unsettle(self) -> None:
        """To be called where somebody else has set inputs of the instances."""
        library.kernel_unsettle(self.handle)

    # -- Co-Simulation -------------------------------------------------------------------------------------------------

    def set_careful(self) -> None:
        """Has states saved before each step where they can be, so that one that is discarded can be made smaller."""
        library.kernel_set_careful(self.handle, True)

    def announce(self) -> None:
        """Says that there was an event since the last point."""
        library.kernel_announce(self.handle)

    def set_align(self, align: bool) -> None:
        """Whether all instances go back where one of them meets an event within a step."""
        library.kernel_set_align(self.handle, align)

    def set_ready(self) -> None:
        """To be called when Co-Simulation instances have left Initialization Mode."""
        library.kernel_set_ready(self.handle)

    def hold(self, loop: int, held: Sequence[bool] | np.ndarray | None) -> None:
        """Which unknowns of a loop are not its own to find; without an argument, all of them are."""
        array = None if held is None else np.array(held, dtype=np.bool_)
        _complete(library.kernel_hold(self.handle, loop, pointer(array)))

    def linearise(self, loop: int) -> Status:
        """Makes and factorises a loop's Jacobian at the present point, equations for held unknowns included."""
        return Status(library.kernel_loop_linearise(self.handle, loop))

    def solve_linear(self, loop: int, right: np.ndarray) -> np.ndarray:
        """By the loop's last Jacobian; where this lacks rank, the solution of least length."""
        result = np.array(right, dtype=float)
        library.kernel_loop_solve_linear(self.handle, loop, pointer(result))
        return result

    @property
    def arriving(self) -> np.ndarray:
        """A copy of what arrives at the inputs of all Co-Simulation instances."""
        return self.slots[self._arriving]

    @property
    def counts(self) -> CouplingCounts:
        passes, discarded, earliest, seconds = c_long(), c_long(), c_double(), c_double()
        library.kernel_coupling_counts(self.handle, byref(passes), byref(discarded), byref(earliest), byref(seconds))
        return CouplingCounts(passes.value, discarded.value, earliest.value, seconds.value)

    def hand_over(self) -> tuple[Status, float]:
        moved = c_double()
        return Status(library.kernel_hand_over(self.handle, byref(moved))), moved.value

    def get_outputs(self) -> Status:
        return Status(library.kernel_get_outputs(self.handle))

    def evaluate_point(self, t: float) -> Status:
        return Status(library.kernel_evaluate_point(self.handle, t))

    def complete(self) -> Status:
        return Status(library.kernel_complete(self.handle))

    def note_inputs(self, restart: bool) -> None:
        library.kernel_note_inputs(self.handle, restart)

    def step(self, t: float, h: float, degree: int, last_word: bool) -> Status:
        """All Co-Simulation instances by the polynomials in ``value``, ``slope`` and ``curve``."""
        library.kernel_set_degree(self.handle, degree)
        return Status(library.kernel_step(self.handle, t, h, last_word))

    def explicit_step(self, h: float, order: int, in_turn: bool, last_word: bool) -> Status:
        return Status(library.kernel_explicit_step(self.handle, h, order, in_turn, last_word))

    def save(self, which: int = 0) -> Status:
        return Status(library.kernel_save(self.handle, which))

    def restore(self, which: int = 0) -> Status:
        return Status(library.kernel_restore(self.handle, which))

    def point(self, t: float) -> tuple[Status, bool]:
        event = c_bool()
        return Status(library.kernel_point(self.handle, t, byref(event))), event.value

    def passed(self, bond: int) -> float:
        """The energy in J that has gone through a bond so far, to and fro."""
        return library.kernel_passed(self.handle, bond)

    def add_up(self, h: float) -> None:
        library.kernel_add_up(self.handle, h)

    def begin_course(self, start: float, step: float, stop: float, order: int, in_turn: bool, variable: bool, times: np.ndarray) -> Status:
        self._running = times
        return Status(library.kernel_begin_course(self.handle, start, step, stop, order, in_turn, variable, len(times), pointer(times)))

    def follow(self, steps: int) -> Status:
        return Status(library.kernel_follow(self.handle, steps))

    @property
    def course(self) -> tuple[float, int]:
        """The time that an explicit course has come to, and in how many steps."""
        return self.time, library.kernel_course_steps(self.handle)

    @property
    def time(self) -> float:
        """Of the present point."""
        return library.kernel_time(self.handle)

    # -- the rest --------------------------------------------------------------------------------------------

    def set_lost_share(self, share: float) -> None:
        """Below which share of its greatest size a pivot of a loop's equations is taken as lost."""
        library.kernel_set_lost_share(self.handle, share)

    def set_fast(self, fast: bool) -> None:
        """Whether loops that have a shortcut may take it."""
        library.kernel_set_fast(self.handle, fast)

    def set_open(self, open_: bool) -> None:
        """Whether loops are passed once, with their unknowns as they are, instead of being solved."""
        library.kernel_set_open(self.handle, open_)

    def recorded(self) -> np.ndarray:
        """A copy of all rows, the time first."""
        values = POINTER(c_double)()
        rows = library.kernel_recorded(self.handle, byref(values))
        if rows == 0:
            return np.zeros((0, self._columns + 1))
        return np.ctypeslib.as_array(values, shape=(rows, self._columns + 1)).copy()

    @property
    def failure(self) -> Failure:
        return library.kernel_failure(self.handle).contents

    @property
    def statistics(self) -> Statistics:
        return library.kernel_statistics(self.handle).contents

    @property
    def runge_kutta(self) -> RungeKuttaStructure:
        return library.kernel_runge_kutta(self.handle).contents

    @property
    def present(self) -> np.ndarray:
        """A copy of the state that a Runge-Kutta method has reached."""
        return np.array(self.runge_kutta.x[: self.states], dtype=float)

    def roughest(self) -> tuple[int, int, float]:
        """How often the most often rejected step was rejected, which state was to blame, and when."""
        state, time = c_int(-1), c_double(0)
        count = library.kernel_roughest(self.handle, byref(state), byref(time))
        return count, state.value, time.value

    def stiffness(self) -> tuple[int, int, float]:
        """How many steps stability has limited, the state that was most to blame, and since when."""
        state, time = c_int(-1), c_double(0)
        count = library.kernel_stiffness(self.handle, byref(state), byref(time))
        return count, state.value, time.value

    def deficiency(self, loop: int, unknowns: int) -> tuple[int, np.ndarray, np.ndarray, float, bool]:
        """The worst rank deficiency of a loop's equations, who takes part in it, when it was, and whether it came with the motion."""
        undetermined, redundant, time, passing = np.zeros(unknowns), np.zeros(unknowns), c_double(0), c_bool()
        arrays = pointer(undetermined), pointer(redundant)
        count = library.kernel_loop_deficiency(self.handle, loop, *arrays, byref(time), byref(passing))
        return count, undetermined, redundant, time.value, passing.value

    def derivatives(self, t: float, x: np.ndarray, dx: np.ndarray) -> Status:
        return Status(library.kernel_derivatives(self.handle, t, pointer(x), pointer(dx)))

    def evaluate(self, t: float, x: np.ndarray) -> Status:
        return Status(library.kernel_evaluate(self.handle, t, pointer(x)))

    def exchange(self, t: float, solving: bool = False) -> Status:
        return Status(library.kernel_exchange(self.handle, t, solving))

    def residuals(self, t: float, x: np.ndarray, z: np.ndarray, dx: np.ndarray, r: np.ndarray) -> Status:
        return Status(library.kernel_residuals(self.handle, t, pointer(x), pointer(z), pointer(dx), pointer(r)))

    def indicators(self, z: np.ndarray) -> Status:
        return Status(library.kernel_indicators(self.handle, pointer(z)))

    def synchronise(self, t: float, x: np.ndarray) -> Status:
        return Status(library.kernel_synchronise(self.handle, t, pointer(x)))

    def start_events(self) -> Status:
        return Status(library.kernel_start_events(self.handle))

    def settle(self, x: np.ndarray) -> Status:
        """Discrete updates until nothing changes; x receives the states."""
        return Status(library.kernel_settle(self.handle, pointer(x), byref(c_bool())))

    def complete_step(self) -> tuple[Status, bool]:
        wanted = c_bool()
        return Status(library.kernel_complete_step(self.handle, byref(wanted))), wanted.value

    @property
    def next_time(self) -> float:
        return library.kernel_next_time(self.handle)

    def record(self) -> Status:
        return Status(library.kernel_record(self.handle))

    def begin_run(
        self,
        tableau: TableauStructure,
        rtol: float,
        atol: np.ndarray,
        largest: float,
        first: float,
        start: float,
        stop: float,
        times: np.ndarray,
    ) -> Status:
        self._running = tableau, times
        return Status(
            library.kernel_begin_run(
                self.handle, byref(tableau), rtol, pointer(atol), largest, first, start, stop, len(times), pointer(times)
            )
        )

    def restart(self, t: float, x: np.ndarray) -> Status:
        return Status(library.kernel_restart(self.handle, t, pointer(x)))

    def advance(self, steps: int) -> Status:
        return Status(library.kernel_advance(self.handle, steps))
