"""FMUs in the kernel: their libraries and instances; what they do is said in ``instance.h``."""

from __future__ import annotations

import ctypes
from collections.abc import Sequence
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p
from enum import IntEnum
from typing import NamedTuple

import numpy as np

from coupling.kernel import library
from coupling.kernel.binding import declare, doubles_of, pointer, references_of

OK, WARNING, DISCARD, ERROR, FATAL = range(5)
STATUS = ("ok", "warning", "discard", "error", "fatal", "pending")
STRING = 11
"""The type of start values that are texts, numbered after those of ``fmi.h``."""


class Stepping(ctypes.Structure):
    _fields_ = [("event_mode", c_bool), ("early_return", c_bool), ("inputs", c_void_p), ("count", c_int)]


class StartStructure(ctypes.Structure):
    _fields_ = [
        *((name, c_bool) for name in ("reset", "switches")),
        ("switch_on", c_uint),
        ("count", c_int),
        *((name, c_void_p) for name in ("type", "reference", "value")),
        ("text", POINTER(c_char_p)),
        *((name, c_double) for name in ("tolerance", "start", "stop")),
    ]


class RefusalStructure(ctypes.Structure):
    _fields_ = [("stage", c_int), ("index", c_int)]


class ReadingStructure(ctypes.Structure):
    _fields_ = [
        *((name, c_void_p) for name in ("instance", "references", "values")),
        *((name, c_int) for name in ("type", "count", "status")),
    ]


declare(
    {
        "library_open": (c_void_p, [c_char_p, c_int, c_char_p, c_size_t]),
        "library_missing": (c_char_p, [c_void_p, c_bool]),
        "library_close": (None, [c_void_p]),
        "instance_open": (c_void_p, [c_void_p, c_char_p, c_char_p, c_char_p, POINTER(Stepping), c_char_p, c_size_t]),
        "instance_close": (None, [c_void_p]),
        "instance_message": (c_char_p, [c_void_p]),
        "instance_handles_events": (c_bool, [c_void_p]),
        "instance_start": (c_int, [c_void_p, POINTER(StartStructure), POINTER(RefusalStructure)]),
        "instance_exit_initialization": (c_int, [c_void_p]),
        "instance_set": (c_int, [c_void_p, c_int, c_void_p, c_size_t, c_void_p]),
        "instance_get": (c_int, [c_void_p, c_int, c_void_p, c_size_t, c_void_p]),
        "instances_get": (None, [c_void_p, c_int]),
        "instance_get_states": (c_int, [c_void_p, c_void_p, c_size_t]),
        "instance_move_states": (c_int, [c_void_p, c_void_p, c_size_t]),
        "instance_get_nominals": (c_int, [c_void_p, c_void_p, c_size_t]),
        "instance_directional": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p]),
    }
)


class StartStage(IntEnum):
    """What an instance goes through up to Initialization Mode."""

    RESETTING = 1
    SWITCHING = 2
    SETTING = 3
    ENTERING = 4


class StartRefusal(NamedTuple):
    """What an instance did not accept at its start."""

    status: int
    stage: StartStage
    value: int
    """The number of the value among those given; -1 where it is none."""


class StartValues:
    """Start values of one instance, each a type, a reference, and a number or a text; those of one type are set together."""

    def __init__(self, values: Sequence[tuple[int, int, float | str]], names: Sequence[str] = ()) -> None:
        self.given, self.names = values, names
        types = [STRING, *dict.fromkeys(type_ for type_, _, _ in values)]
        self.places = sorted(range(len(values)), key=lambda i: types.index(values[i][0]))
        """The number among those given of each value in the order in which they are set."""
        ordered = [values[i] for i in self.places]
        self._arrays = (
            np.array([type_ for type_, _, _ in ordered], dtype=np.intc),
            references_of([reference for _, reference, _ in ordered]),
            doubles_of([0.0 if isinstance(value, str) else value for _, _, value in ordered]),
        )
        texts = (value.encode() if isinstance(value, str) else None for _, _, value in ordered)
        self.pointers = [pointer(array) for array in self._arrays]
        self.texts = (c_char_p * len(ordered))(*texts)

    def __len__(self) -> int:
        return len(self.places)


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

    @property
    def handles_events(self) -> bool:
        """Whether it runs in Co-Simulation with Event Mode, which it may have refused."""
        return library.instance_handles_events(self.handle)

    def start(
        self, values: StartValues, tolerance: float, start: float, stop: float, *, switch: int | None = None, reset: bool = False
    ) -> StartRefusal | None:
        """Everything up to Initialization Mode; ``switch`` is turned on before. ``reset`` where the instance has run before.

        None where all is well.
        """
        how = StartStructure(reset, switch is not None, switch or 0, len(values), *values.pointers, values.texts, tolerance, start, stop)
        refusal = RefusalStructure()
        status = library.instance_start(self.handle, byref(how), byref(refusal))
        if status <= WARNING:
            return None
        return StartRefusal(status, StartStage(refusal.stage), values.places[refusal.index] if refusal.index >= 0 else -1)

    def exit_initialization(self) -> int:
        return library.instance_exit_initialization(self.handle)

    def set(self, type_: int, references: Sequence[int], values: Sequence[float]) -> int:
        keys, data = references_of(references), doubles_of(values)
        return library.instance_set(self.handle, type_, pointer(keys), len(keys), pointer(data))

    def get(self, type_: int, references: Sequence[int] | np.ndarray) -> tuple[int, np.ndarray]:
        keys, data = references_of(references), np.zeros(len(references))
        return library.instance_get(self.handle, type_, pointer(keys), len(keys), pointer(data)), data

    def nominals(self, count: int) -> tuple[int, np.ndarray]:
        data = np.ones(count)
        return library.instance_get_nominals(self.handle, pointer(data), count), data

    def states(self, count: int) -> tuple[int, np.ndarray]:
        data = np.zeros(count)
        return library.instance_get_states(self.handle, pointer(data), count), data

    def move_states(self, x: np.ndarray) -> int:
        values = doubles_of(x)
        return library.instance_move_states(self.handle, pointer(values), len(values))

    def directional(self, unknowns: Sequence[int], known: int) -> tuple[int, np.ndarray]:
        """Derivatives with respect to one known."""
        rows, column, seed, result = references_of(unknowns), references_of([known]), np.ones(1), np.zeros(len(unknowns))
        status = library.instance_directional(self.handle, pointer(rows), len(rows), pointer(column), 1, pointer(seed), pointer(result))
        return status, result


class Readings:
    """Values that many instances are asked for in one call, as often as wanted."""

    def __init__(self, asked: Sequence[tuple[Instance, int, Sequence[int] | np.ndarray]]) -> None:
        self._references = references_of([reference for _, _, references in asked for reference in references])
        self._values = np.zeros(len(self._references))
        self._readings = (ReadingStructure * len(asked))()
        first = 0
        for reading, (instance, type_, references) in zip(self._readings, asked, strict=True):
            where = (pointer(self._references[first:]), pointer(self._values[first:])) if len(references) else (None, None)
            reading.instance, (reading.references, reading.values) = instance.handle, where
            reading.type, reading.count = type_, len(references)
            first += len(references)

    def read(self) -> tuple[list[int], np.ndarray]:
        """The status of each answer, and the values one after the other; the next reading overwrites them."""
        library.instances_get(self._readings, len(self._readings))
        return [reading.status for reading in self._readings], self._values
