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
"""The words of the standards; the kernel makes an error of any other status."""
STRING = 11
"""The type of start values that are texts, numbered after those of ``fmi.h``."""


class Stepping(ctypes.Structure):
    _fields_ = [("event_mode", c_bool), ("early_return", c_bool), ("inputs", c_void_p), ("count", c_int)]


class StartStructure(ctypes.Structure):
    _fields_ = [
        ("reset", c_bool),
        *((name, c_int) for name in ("structural", "count")),
        *((name, c_void_p) for name in ("type", "reference", "value")),
        ("text", POINTER(c_char_p)),
        *((name, c_double) for name in ("tolerance", "start", "stop")),
    ]


class ViewStructure(ctypes.Structure):
    _fields_ = [
        *((name, c_uint) for name in ("first", "size", "own")),
        ("array", c_int),
        *((name, c_double) for name in ("factor", "offset")),
        ("start", c_void_p),
    ]


class MakingStructure(ctypes.Structure):
    _fields_ = [
        *((name, c_char_p) for name in ("name", "token", "resources")),
        ("stepping", POINTER(Stepping)),
        ("logs", c_bool),
        ("view", POINTER(ViewStructure)),
        ("views", c_int),
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
        "instance_open": (c_void_p, [c_void_p, POINTER(MakingStructure), c_char_p, c_size_t]),
        "instance_close": (None, [c_void_p]),
        "instance_message": (c_char_p, [c_void_p]),
        "instance_said": (c_char_p, [c_void_p]),
        "instance_handles_events": (c_bool, [c_void_p]),
        "instance_start": (c_int, [c_void_p, POINTER(StartStructure), POINTER(RefusalStructure)]),
        "instance_exit_initialization": (c_int, [c_void_p]),
        "instance_set": (c_int, [c_void_p, c_int, c_void_p, c_size_t, c_void_p]),
        "instance_get": (c_int, [c_void_p, c_int, c_void_p, c_size_t, c_void_p]),
        "instances_get": (None, [c_void_p, c_int]),
        "instance_get_states": (c_int, [c_void_p, c_void_p, c_size_t]),
        "instance_move_states": (c_int, [c_void_p, c_void_p, c_size_t]),
        "instance_get_derivatives": (c_int, [c_void_p, c_void_p, c_size_t]),
        "instance_count_states": (c_int, [c_void_p, POINTER(c_size_t)]),
        "instance_get_nominals": (c_int, [c_void_p, c_void_p, c_size_t]),
        "instance_directional": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p]),
    }
)


class StartStage(IntEnum):
    """What an instance goes through up to Initialization Mode."""

    RESETTING = 1
    CONFIGURING = 2
    SETTING = 3
    ENTERING = 4


class StartRefusal(NamedTuple):
    """What an instance did not accept at its start."""

    status: int
    stage: StartStage
    value: int
    """The number of the value among those given; -1 where it is none."""


class StartValues:
    """Start values of one instance, each a type, a reference, and a number or a text; those of one type are set together.

    The first ``structural`` of them are set before all others, in Configuration Mode.
    """

    def __init__(self, values: Sequence[tuple[int, int, float | str]], names: Sequence[str] = (), structural: int = 0) -> None:
        self.given, self.names = values, names
        types = [STRING, *dict.fromkeys(type_ for type_, _, _ in values)]
        self.structural = structural
        self.places = sorted(range(len(values)), key=lambda i: (i >= structural, types.index(values[i][0])))
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


class View(NamedTuple):
    """References under which an instance's variables are seen as elements, or in other units; see ``views.h``."""

    first: int
    size: int
    own: int
    array: bool
    factor: float = 1.0
    offset: float = 0.0
    start: Sequence[float] | None = None


class Instance:
    """One instance of an FMU; freed by ``free``, once."""

    def __init__(
        self,
        loaded: LoadedLibrary,
        name: str,
        token: str,
        resources: str | None,
        stepping: Stepping | None = None,
        *,
        views: Sequence[View] = (),
        logging: bool = False,
    ) -> None:
        problem = ctypes.create_string_buffer(4096)
        self._starts = [None if each.start is None else doubles_of(each.start) for each in views]
        rows = (
            ViewStructure(each.first, each.size, each.own, each.array, each.factor, each.offset, pointer(start))
            for each, start in zip(views, self._starts, strict=True)
        )
        how = MakingStructure(
            name.encode(),
            token.encode(),
            resources.encode() if resources else None,
            ctypes.pointer(stepping) if stepping else None,
            logging,
            (ViewStructure * len(views))(*rows),
            len(views),
        )
        self.handle = library.instance_open(loaded.handle, byref(how), problem, len(problem))
        if not self.handle:
            raise RuntimeError(problem.value.decode(errors="replace"))

    def free(self) -> None:
        if self.handle:
            library.instance_close(self.handle)
            self.handle = None

    @property
    def message(self) -> str:
        """All that it logged in the last call in which it logged anything."""
        return " ".join(library.instance_message(self.handle).decode(errors="replace").split())

    @property
    def said(self) -> str:
        """What it logged in the last call, if anything."""
        return " ".join(library.instance_said(self.handle).decode(errors="replace").split())

    @property
    def handles_events(self) -> bool:
        """Whether it runs in Co-Simulation with Event Mode, which it may have refused."""
        return library.instance_handles_events(self.handle)

    def start(self, values: StartValues, tolerance: float, start: float, stop: float, *, reset: bool = False) -> StartRefusal | None:
        """Everything up to Initialization Mode; ``reset`` where the instance has run before. None where all is well."""
        how = StartStructure(reset, values.structural, len(values), *values.pointers, values.texts, tolerance, start, stop)
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

    def derivatives(self, count: int) -> tuple[int, np.ndarray]:
        data = np.zeros(count)
        return library.instance_get_derivatives(self.handle, pointer(data), count), data

    def state_count(self, listed: int) -> int:
        """How many states there are, by the instance itself; as many as are ``listed`` where it does not tell."""
        count = c_size_t(listed)
        status = library.instance_count_states(self.handle, byref(count))
        return count.value if status <= WARNING else listed

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
        self.values = np.zeros(len(self._references))
        self.structures = (ReadingStructure * len(asked))()
        first = 0
        for reading, (instance, type_, references) in zip(self.structures, asked, strict=True):
            where = (pointer(self._references[first:]), pointer(self.values[first:])) if len(references) else (None, None)
            reading.instance, (reading.references, reading.values) = instance.handle, where
            reading.type, reading.count = type_, len(references)
            first += len(references)

    def read(self) -> tuple[list[int], np.ndarray]:
        """The status of each answer, and the values one after the other; the next reading overwrites them."""
        library.instances_get(self.structures, len(self.structures))
        return [reading.status for reading in self.structures], self.values
