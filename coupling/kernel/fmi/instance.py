"""FMUs in the kernel: their libraries and instances; ``instance.h`` describes their functions."""

from __future__ import annotations

import ctypes
from collections.abc import Mapping, Sequence
from ctypes import POINTER, byref, c_bool, c_char_p, c_double, c_int, c_size_t, c_uint, c_void_p
from enum import IntEnum
from typing import Any, NamedTuple, TypeGuard

import numpy as np

from coupling.checks import EXACT
from coupling.kernel import library
from coupling.kernel.fmi.texts import number_of
from coupling.kernel.platform.binding import declare, doubles_of, pointer, references_of
from coupling.kernel.platform.own import Library

OK, WARNING, DISCARD, ERROR, FATAL = range(5)
STATUS = ("ok", "warning", "discard", "error", "fatal", "pending")
"""The words of the standards; the kernel makes an error of any other status."""
STRING, BINARY = 11, 12
"""The types of texts and binary data, as in ``fmi.h``."""


class Stepping(NamedTuple):
    """The options with which a Co-Simulation instance is made; ``inputs`` are the references that intermediate updates will set."""

    event_mode: bool
    early_return: bool
    inputs: np.ndarray


class SteppingStructure(ctypes.Structure):
    _fields_ = [("event_mode", c_bool), ("early_return", c_bool), ("inputs", c_void_p), ("count", c_int)]


class StartStructure(ctypes.Structure):
    _fields_ = [
        ("reset", c_bool),
        *((name, c_int) for name in ("structural", "count")),
        *((name, c_void_p) for name in ("type", "reference", "value")),
        *((name, c_double) for name in ("tolerance", "start", "stop")),
    ]


class ViewStructure(ctypes.Structure):
    _fields_ = [
        *((name, c_uint) for name in ("first", "size", "own")),
        ("array", c_int),
        *((name, c_double) for name in ("factor", "offset")),
        ("start", c_void_p),
    ]


class VectorStructure(ctypes.Structure):
    _fields_ = [
        ("reference", c_uint),
        *((name, c_int) for name in ("vector", "place")),
        *((name, c_double) for name in ("factor", "offset")),
    ]


class SizeLimitStructure(ctypes.Structure):
    _fields_ = [("reference", c_uint), ("most", c_uint), ("name", ctypes.c_char * 120)]


class MakingStructure(ctypes.Structure):
    _fields_ = [
        *((name, c_char_p) for name in ("name", "token", "resources")),
        ("stepping", c_void_p),
        ("logs", c_bool),
        ("view", c_void_p),
        ("element", c_void_p),
        ("limit", c_void_p),
        *((name, c_int) for name in ("views", "elements", "limits")),
    ]


class RefusalStructure(ctypes.Structure):
    _fields_ = [("stage", c_int), ("index", c_int)]


class ReadingStructure(ctypes.Structure):
    _fields_ = [
        *((name, c_void_p) for name in ("instance", "references", "values")),
        *((name, c_int) for name in ("type", "count", "status")),
    ]


_READING: np.dtype[Any] = np.dtype(ReadingStructure)

declare(
    {
        "library_open": (c_void_p, [c_char_p, c_int, c_char_p, c_size_t]),
        "library_missing": (c_char_p, [c_void_p, c_bool]),
        "library_close": (None, [c_void_p]),
        "library_watch": (None, [c_void_p]),
        "library_is_changed": (c_bool, [c_void_p]),
        "library_has_threads": (c_bool, [c_void_p]),
        "library_is_loaded": (c_bool, [c_char_p]),
        "instance_open": (c_void_p, [c_void_p, POINTER(MakingStructure), c_char_p, c_size_t]),
        "instance_close": (None, [c_void_p]),
        "instance_message": (c_char_p, [c_void_p]),
        "instance_said": (c_char_p, [c_void_p]),
        "instance_handles_events": (c_bool, [c_void_p]),
        "instance_effects": (c_int, [c_void_p]),
        "instance_start": (c_int, [c_void_p, POINTER(StartStructure), POINTER(RefusalStructure)]),
        "instance_exit_initialization": (c_int, [c_void_p]),
        "instance_set": (c_int, [c_void_p, c_int, c_void_p, c_size_t, c_void_p]),
        "instance_get": (c_int, [c_void_p, c_int, c_void_p, c_size_t, c_void_p]),
        "instance_get_variables": (c_int, [c_void_p, c_int, c_void_p, c_size_t, c_void_p]),
        "instance_read_late": (None, [c_void_p]),
        "instance_read_anew": (None, [c_void_p]),
        "instances_get": (None, [c_void_p, c_int]),
        "instance_get_states": (c_int, [c_void_p, c_void_p, c_size_t]),
        "instance_move_states": (c_int, [c_void_p, c_void_p, c_size_t]),
        "instance_get_derivatives": (c_int, [c_void_p, c_void_p, c_size_t]),
        "instance_count_states": (c_int, [c_void_p, POINTER(c_size_t)]),
        "instance_get_nominals": (c_int, [c_void_p, c_void_p, c_size_t]),
        "instance_directional": (c_int, [c_void_p, c_void_p, c_size_t, c_void_p, c_size_t, c_void_p, c_void_p]),
    }
)


_BEYOND = 1000
"""Number of states beyond the listed ones that an instance may write without harm, when it is checked."""


class StartStage(IntEnum):
    """A stage of an instance's start, up to Initialization Mode."""

    RESETTING = 1
    CONFIGURING = 2
    SETTING = 3
    ENTERING = 4


class StartRefusal(NamedTuple):
    """A refusal of an instance at its start."""

    status: int
    stage: StartStage
    value: int
    """Number of the value among those given; -1 where no value was refused."""


class StartValues:
    """Start values of one instance, each a type, a reference, and a value; those of one type are set together.

    The first ``structural`` of them are set before all others, in Configuration Mode.
    """

    def __init__(
        self, values: Sequence[tuple[int, int, float | int | str | bytes]], names: Sequence[str] = (), structural: int = 0
    ) -> None:
        self.given, self.names = list(values), names
        types = [STRING, *dict.fromkeys(type_ for type_, _, _ in values)]
        self.structural = structural
        self.places = sorted(range(len(values)), key=lambda i: (i >= structural, types.index(values[i][0])))
        """Numbers of the values among those given, in the order in which they are set."""
        ordered = [values[i] for i in self.places]
        self.arrays = (
            np.array([type_ for type_, _, _ in ordered], dtype=np.intc),
            references_of([reference for _, reference, _ in ordered]),
            doubles_of([0.0 if is_kept(value) else value for _, _, value in ordered]),
        )
        self.texts = [(i, value) for i, (_, _, value) in enumerate(ordered) if is_kept(value)]
        self._made: tuple[Library, StartStructure] | None = None

    def change(self, numbers: Mapping[str, float]) -> None:
        """Gives values of some names other numbers, where C has them already; not those of another process, which has copies."""
        for name, number in numbers.items():
            i = self.names.index(name)
            type_, reference, _ = self.given[i]
            self.given[i] = type_, reference, number
            self.arrays[2][self.places.index(i)] = number

    def structure(self, library: Library) -> StartStructure:
        """Returns the values as C takes them, in the process of a library."""
        if self._made is None or self._made[0] is not library:
            types, references, values = self.arrays
            for i, text in self.texts:
                values[i] = number_of(text, library)
            made = StartStructure(structural=self.structural, count=len(self.places))
            self._made = library, library.kept_structure(made, type=types, reference=references, value=values)
        return self._made[1]


def is_kept(value: object) -> TypeGuard[int | str | bytes]:
    """Says whether the kernel knows a value by the number of its text: no double holds it."""
    return type(value) is not float and (isinstance(value, str | bytes) or (isinstance(value, int) and abs(value) > EXACT))


def refused(values: StartValues, status: int, refusal: RefusalStructure) -> StartRefusal:
    """Returns the refusal that C reports."""
    return StartRefusal(status, StartStage(refusal.stage), values.places[refusal.index] if refusal.index >= 0 else -1)


class LoadedLibrary:
    """The functions of an FMU's binary."""

    users = 0
    """Instances that have not been freed."""

    def __init__(self, path: str, version: int, library: Library = library) -> None:
        """Opens a binary; ``library`` is that of the process that opens it."""
        self.library = library
        problem = ctypes.create_string_buffer(1024)
        self.handle = self.library.library_open(path.encode(), version, problem, len(problem))
        if not self.handle:
            raise OSError(problem.value.decode(errors="replace"))

    def check(self, kind: str) -> None:
        """Refuses a library that lacks what Model Exchange (``me``) or Co-Simulation (``cs``) needs."""
        missing = self.library.library_missing(self.handle, kind == "cs")
        if missing:
            raise OSError(f"the function {missing.decode()} is missing")

    def watch(self) -> None:
        """Remembers the static state of a library that has just been opened."""
        self.library.library_watch(self.handle)

    @property
    def is_changed(self) -> bool:
        """Returns whether its static state differs from that at its opening."""
        return self.library.library_is_changed(self.handle)

    def close(self) -> None:
        """Closes it where it has no users; its code stays where threads were begun, which may be its own."""
        if not self.users and not self.library.library_has_threads(self.handle):
            self.library.library_close(self.handle)
            self.handle = None


class View(NamedTuple):
    """References under which an instance's variables are seen as elements, or in other units; see ``views.h``."""

    first: int
    size: int
    own: int
    array: bool
    factor: float = 1.0
    offset: float = 0.0
    start: Sequence[float] | None = None


class Element(NamedTuple):
    """A variable that a function of the standard gives as an element of a vector; see ``views.h``."""

    reference: int
    vector: int
    """0 for the states, 1 for their derivatives, 2 for the event indicators."""
    place: int
    factor: float = 1.0
    offset: float = 0.0


class SizeLimit(NamedTuple):
    """The most bytes that a binary variable may have; ``name`` is for messages."""

    reference: int
    most: int
    name: str


class Instance:
    """An instance of an FMU; freed by ``free``, once."""

    def __init__(
        self,
        loaded: LoadedLibrary,
        name: str,
        token: str,
        resources: str | None,
        stepping: Stepping | None = None,
        *,
        views: Sequence[View] = (),
        elements: Sequence[Element] = (),
        limits: Sequence[SizeLimit] = (),
        logging: bool = False,
    ) -> None:
        problem = ctypes.create_string_buffer(4096)
        self.library = library = loaded.library
        starts = [None if each.start is None else doubles_of(each.start) for each in views]
        rows = (
            ViewStructure(each.first, each.size, each.own, each.array, each.factor, each.offset, library.pointer(start))
            for each, start in zip(views, starts, strict=True)
        )
        view = (ViewStructure * len(views))(*rows)
        element = (VectorStructure * len(elements))(*(VectorStructure(*each) for each in elements))
        limit = (SizeLimitStructure * len(limits))(
            *(SizeLimitStructure(each.reference, each.most, each.name.encode()[:119]) for each in sorted(limits))
        )
        how = MakingStructure(library.text(name.encode()), library.text(token.encode()), logs=logging)
        how.views, how.elements, how.limits = len(views), len(elements), len(limits)
        how.element, how.limit = library.reference(element), library.reference(limit)
        how.resources = library.text(resources.encode() if resources else None)
        how.view = library.reference(view)
        if stepping:
            event_mode, early_return, inputs = stepping
            asked = SteppingStructure(event_mode, early_return, library.pointer(inputs), len(inputs))
            how.stepping = library.reference(asked)
        self.handle = library.instance_open(loaded.handle, byref(how), problem, len(problem))
        if not self.handle:
            raise RuntimeError(problem.value.decode(errors="replace"))
        self._loaded = loaded
        loaded.users += 1

    def free(self) -> None:
        if self.handle:
            self.library.instance_close(self.handle)
            self.handle = None
            self._loaded.users -= 1

    @property
    def message(self) -> str:
        """All messages of the last call in which the instance logged any."""
        return " ".join(self.library.instance_message(self.handle).decode(errors="replace").split())

    @property
    def said(self) -> str:
        """The messages of the last call, if any."""
        said = self.library.instance_said(self.handle)
        return " ".join(said.decode(errors="replace").split()) if said else ""

    @property
    def effects(self) -> int:
        """Side effects on settings of its process so far, as bits of ``effects.h``."""
        return self.library.instance_effects(self.handle)

    @property
    def handles_events(self) -> bool:
        """True if the instance runs in Co-Simulation with Event Mode, which it may have refused."""
        return self.library.instance_handles_events(self.handle)

    def start(self, values: StartValues, tolerance: float, start: float, stop: float, *, reset: bool = False) -> StartRefusal | None:
        """Starts the instance up to Initialization Mode; ``reset`` where it has run before. Returns None where all is well."""
        how = values.structure(self.library)
        how.reset, how.tolerance, how.start, how.stop = reset, tolerance, start, stop
        refusal = RefusalStructure()
        status = self.library.instance_start(self.handle, byref(how), byref(refusal))
        return None if status <= WARNING else refused(values, status, refusal)

    def exit_initialization(self) -> int:
        return self.library.instance_exit_initialization(self.handle)

    def set(self, type_: int, references: Sequence[int], values: Sequence[float]) -> int:
        keys, data = references_of(references), doubles_of(values)
        return self.library.instance_set(self.handle, type_, self.library.pointer(keys), len(keys), self.library.pointer(data))

    def get(self, type_: int, references: Sequence[int] | np.ndarray) -> tuple[int, np.ndarray]:
        keys, data = references_of(references), np.zeros(len(references))
        return self.library.instance_get(self.handle, type_, self.library.pointer(keys), len(keys), self.library.pointer(data)), data

    def variables(self, references: Sequence[int]) -> tuple[int, np.ndarray]:
        """Returns real values as the variables have them, also where a function of the standard gives them as a vector."""
        keys, data = references_of(references), np.zeros(len(references))
        where = self.library.pointer(keys), len(keys), self.library.pointer(data)
        return self.library.instance_get_variables(self.handle, 0, *where), data

    def read_late(self) -> None:
        """Makes the derivatives be asked for before variables are read, from now on."""
        self.library.instance_read_late(self.handle)

    def read_anew(self) -> None:
        """Makes the time be set before variables are read, from now on."""
        self.library.instance_read_anew(self.handle)

    def nominals(self, count: int) -> tuple[int, np.ndarray]:
        data = np.ones(count)
        return self.library.instance_get_nominals(self.handle, self.library.pointer(data), count), data

    def states(self, count: int) -> tuple[int, np.ndarray]:
        data = np.zeros(count)
        return self.library.instance_get_states(self.handle, self.library.pointer(data), count), data

    def writes_states(self, count: int) -> int:
        """Returns how many states it writes where so many are asked for, or at least how many if they are far more."""
        data = np.full(count + _BEYOND, np.nan)
        self.library.instance_get_states(self.handle, self.library.pointer(data), count)
        written = np.flatnonzero(~np.isnan(data))
        return max(count, int(written[-1]) + 1 if len(written) else 0)

    def derivatives(self, count: int) -> tuple[int, np.ndarray]:
        data = np.zeros(count)
        return self.library.instance_get_derivatives(self.handle, self.library.pointer(data), count), data

    def state_count(self, listed: int) -> int:
        """Returns the number of states by the instance itself; as many as are ``listed`` where it does not give it."""
        count = c_size_t(listed)
        status = self.library.instance_count_states(self.handle, byref(count))
        return count.value if status <= WARNING else listed

    def move_states(self, x: np.ndarray) -> int:
        values = doubles_of(x)
        return self.library.instance_move_states(self.handle, self.library.pointer(values), len(values))

    def directional(self, unknowns: Sequence[int], known: int) -> tuple[int, np.ndarray]:
        """Returns derivatives by one known."""
        rows, column, seed, result = references_of(unknowns), references_of([known]), np.ones(1), np.zeros(len(unknowns))
        status = self.library.instance_directional(
            self.handle,
            self.library.pointer(rows),
            len(rows),
            self.library.pointer(column),
            1,
            self.library.pointer(seed),
            self.library.pointer(result),
        )
        return status, result


class Readings:
    """Values that many instances are asked for in one call, as often as wanted."""

    def __init__(self, asked: Sequence[tuple[Instance, int, Sequence[int] | np.ndarray]]) -> None:
        self._library = found = asked[0][0].library if asked else library
        self._references = found.kept(references_of([reference for _, _, references in asked for reference in references]))
        self.values = found.kept(np.zeros(len(self._references)))
        self.structures = found.kept_structure((ReadingStructure * len(asked))())
        first = 0
        for reading, (instance, type_, references) in zip(self.structures, asked, strict=True):
            where = (pointer(self._references[first:]), pointer(self.values[first:])) if len(references) else (None, None)
            reading.instance, (reading.references, reading.values) = instance.handle, where
            reading.type, reading.count = type_, len(references)
            first += len(references)
        self.statuses = np.frombuffer(memoryview(self.structures), _READING)["status"]

    def read(self) -> tuple[np.ndarray, np.ndarray]:
        """Returns the status of each answer, and the values one after the other; the next reading overwrites both."""
        self._library.instances_get(self.structures, len(self.structures))
        return self.statuses, self.values
