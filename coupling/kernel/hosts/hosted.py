"""The kernel in a host: its functions are called there, in memory that both processes see at the same address; see ``host_kernel.c``."""

from __future__ import annotations

import ctypes
import resource
import sys
import weakref
from collections.abc import Callable, Sequence
from ctypes import c_bool, c_char_p, c_double, c_int, c_long, c_size_t, c_void_p
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from coupling.kernel import library
from coupling.kernel.hosts.host import Death, DeathKind, Host, HostError
from coupling.kernel.hosts.sandbox import Sandbox
from coupling.kernel.platform.binding import declare, pointer
from coupling.kernel.platform.own import CalledBack
from coupling.kernel.rows.rows import TABLES, Rows, RowsStructure
from coupling.kernel.system.status import Failure

_S = TypeVar("_S", bound="ctypes.Structure | ctypes.Array")

_ROOM = 1 << 36
"""Most bytes of the memory that both processes see. Only the used part is taken."""
_LEAST = 1 << 26
_MEBIBYTE = 1 << 20

_BEGIN, _CALL, _ADDRESS = 1000, 1001, 1002
_VALUE, _RESTART, _STEP, _STATE, _BETWEEN, _GO_ON = range(1, 7)
"""Numbers of the questions of a host, as in C."""

_IN_PLACE = {
    "kernel_decay",
    *(f"kernel_{name}" for name in ("slots", "failure", "statistics", "time", "record_kept")),
    *(f"instance_{name}" for name in ("message", "said", "handles_events")),
}
"""Functions that only read the contents of their first argument, or nothing; they can be called here. They follow no address in it."""

_AT_THE_END = {"kernel_free", "instance_close", "library_close"}
"""Functions that need no call where the host has ended."""

declare(
    {
        "host_anchor": (c_size_t, []),
        "host_function": (c_int, [c_char_p]),
        "heap_begin": (c_void_p, [c_void_p, c_size_t]),
        "heap_take": (c_void_p, [c_void_p, c_size_t]),
        "heap_give": (None, [c_void_p, c_void_p]),
    }
)


_FUNCTION = 15
"""The word with the address of a function that is called by its signature."""
_LETTERS = {None: "n", c_int: "i", c_long: "l", c_size_t: "s", c_bool: "b", c_double: "r"}


def room_within_limits() -> int:
    """Returns the bytes of a memory that both processes see, which limits of address space and of file size allow."""
    space, _ = resource.getrlimit(resource.RLIMIT_AS)
    size, _ = resource.getrlimit(resource.RLIMIT_FSIZE)
    allowed = [_ROOM] if size == resource.RLIM_INFINITY else [_ROOM, size - _MEBIBYTE]
    if space != resource.RLIM_INFINITY:
        used = int(Path("/proc/self/statm").read_text().split()[0]) * resource.getpagesize()
        allowed.append((space - used) // 4)
    room = min(allowed) // _MEBIBYTE * _MEBIBYTE
    if room < _LEAST:
        raise HostError(
            f"its limits of address space and of file size leave {max(room, 0) >> 20} MiB of memory for what both processes see, and {_LEAST >> 20} MiB "
            "are needed; raise these limits (ulimit -v, ulimit -f)"
        )
    return room


def letter_of(kind: Any) -> str:
    """Returns the kind of a result or an argument, as a signature in C has it; a kind that is no number is an address."""
    return _LETTERS.get(kind, "p")


def _number(name: str) -> int:
    """Returns the number of a function, or a signature, in the table of functions that hosts call."""
    number: int = library.host_function(name.encode())
    if number < 0:
        raise AttributeError(f"'{name}' cannot be called in another process: add it to the table in hosts/host_calls.c")
    return number


@cache
def _kernel_memory() -> list[tuple[int, int]]:
    """Returns the first and last address of each readable piece of the kernel's file in this process."""
    pieces = [line.split(maxsplit=5) for line in Path("/proc/self/maps").read_text().splitlines()]
    ends = [tuple(int(each, 16) for each in piece[0].split("-")) for piece in pieces]
    anchor = library.host_anchor()
    (file,) = (piece[5] for piece, (first, end) in zip(pieces, ends, strict=True) if first <= anchor < end)
    return [(first, end) for piece, (first, end) in zip(pieces, ends, strict=True) if piece[5:] == [file] and piece[1].startswith("r")]


class HostDied(Exception):
    """An error: the process in which a run was has ended."""

    def __init__(self, death: Death) -> None:
        super().__init__(str(death))
        self.death = death


class HostedLibrary:
    """The kernel's functions in a host. An object is not for several threads at once."""

    is_elsewhere = True

    def __init__(
        self, memory: float | None = None, call_timeout: float | None = None, sandbox: Sandbox | None = None, python: bool = False
    ) -> None:
        room = room_within_limits()
        own, passing = room // 4, room // 16  # bytes that this process gives out, and those of them for single calls
        self.host = Host(room, memory, call_timeout, sandbox=sandbox, python=python)
        self.opened: dict[Path, Any] = {}
        self.instances: dict[int, Any] = {}
        self.limits = memory, call_timeout, sandbox, python
        self.memory = memory
        self._shown, self._ended = 0, False
        self._call, self._handle = library.host_call, self.host.handle
        self._words, self._numbers = self.host.words.word, self.host.words.real
        self._reals = (c_double * len(self._words)).from_buffer(self._words)
        """The same words, as doubles."""
        self._addresses: dict[str, int] = {}
        self._first = self._top = self.host.data
        self._passing_end, self._end = self._first + passing, self._first + room
        self._arena = library.heap_begin(self._passing_end, own - passing)
        self._passing: list[tuple[int, int, int, object]] = []
        """Copies after the next call: target, source, number of bytes, and the object that has to stay alive."""
        self._given: list[int] = []
        """Pieces of memory to which no object refers any more."""
        self._placed: dict[int, tuple[weakref.ref[Any], Any]] = {}
        self._called: weakref.WeakValueDictionary[int, _Called] = weakref.WeakValueDictionary()
        self._contexts = 0
        self._words[0], self._words[1] = self._first + own, room - own
        self._check(self._call(self._handle, _BEGIN))
        self._shift = self._words[0] - library.host_anchor()
        """The distance from a text of the kernel in this process to the same text in the host."""
        this = weakref.ref(self)
        self.host.answers(lambda what: this()._answer(what))  # type: ignore[union-attr]  # who calls is alive
        self._window = _Window()
        weakref.finalize(self._window, self.host.end).atexit = False  # what is left then may look at the memory
        weakref.finalize(self, self.host.stop)

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        if self._ended and name in _IN_PLACE:
            self._check(DeathKind.LOST)
        found = getattr(library, name)
        if name == "kernel_failure":
            found = self._legible(found)
        elif name in ("kernel_slots", "kernel_record_kept"):
            found = self._inside(found)
        elif name not in _IN_PLACE:
            found = self._forwarding(_number(name), found.restype, found.argtypes, name in _AT_THE_END)
        setattr(self, name, found)
        return found

    @property
    def is_lost(self) -> bool:
        return self.host.death is not None

    @property
    def death(self) -> Death | None:
        return self.host.death

    @property
    def printed(self) -> str:
        return self.host.printed

    @property
    def printed_in_run(self) -> str:
        return self.host.printed_in_run

    def give_up(self) -> Death:
        """Ends a process whose answers make no sense; returns what has become of it."""
        self.host.give_up()
        found = self.host.death
        assert found
        return found

    def answers(self) -> bool:
        """Says whether the process is there."""
        return self.host.is_there()

    def show_printed(self) -> None:
        """Shows on the terminal what FMUs have printed since the last call."""
        text, before = self.printed, self._shown
        self._shown = len(text)
        if len(text) != before:
            print(text[before if before < len(text) else 0 :], end="", file=sys.stderr, flush=True)

    def end(self) -> None:
        """Ends the process, and forgets what has been in it."""
        self.host.stop()
        self.opened.clear()
        self.instances.clear()
        self._ended = True
        for name in _IN_PLACE:
            self.__dict__.pop(name, None)

    # -- calls -----------------------------------------------------------------------------------------------------------------

    def _forwarding(self, number: int, kind: Any, kinds: Sequence[Any], silent: bool, address: int = 0) -> Callable[..., Any]:
        """Returns a function that calls an entry of the table in ``host_calls.c``; ``silent``: it counts as done where the process has
        ended."""
        places = tuple((place, each is c_double) for place, each in enumerate(kinds, 1))
        result = self._result(kind)
        words, reals, call, handle, word_of = self._words, self._reals, self._call, self._handle, self._word_of

        def forward(*arguments: Any) -> Any:
            passed, self._passing = self._passing, []
            for each, (place, real) in zip(arguments, places, strict=True):
                if real:
                    reals[place] = each
                else:
                    words[place] = each if type(each) is int else word_of(each, passed)
            words[0] = number
            if address:
                words[_FUNCTION] = address
            lost = call(handle, _CALL)
            if lost:
                if silent:
                    return 0
                self._check(lost)
            for back, at, size, _ in passed:
                ctypes.memmove(back, at, size)
            if passed:
                self._top = passed[0][1]
            return result()

        return forward

    def _word_of(self, given: Any, passed: list[tuple[int, int, int, object]]) -> int:
        """Returns an argument as a number; what it refers to is copied, unless both processes see it."""
        if given is None:
            return 0
        if isinstance(given, bytes):
            given = ctypes.create_string_buffer(given)
        found = getattr(given, "_obj", given)  # of byref
        if isinstance(found, ctypes.Structure | ctypes.Array) or found is not given:
            return self._passed(ctypes.addressof(found), ctypes.sizeof(found), found, passed)
        if isinstance(found, ctypes._SimpleCData):
            return found.value or 0
        if isinstance(found, ctypes._Pointer):
            return ctypes.cast(found, c_void_p).value or 0
        return int(found)

    def _passed(self, address: int, size: int, what: object, passed: list[tuple[int, int, int, object]]) -> int:
        if self._first <= address < self._end:
            return address
        for back, at, known, _ in passed:
            if back == address and known == size:
                return at
        at = self._top
        self._top += (size + 79) // 64 * 64
        if self._top > self._passing_end:
            raise MemoryError(f"a call with {size} bytes")
        ctypes.memmove(at, address, size)
        passed.append((address, at, size, what))
        return at

    def _result(self, kind: Any) -> Callable[[], Any]:
        words, reals = self._words, self._reals
        if kind is c_double:
            return lambda: reals[0]
        if kind is None:
            return lambda: None
        if kind is c_int:
            return lambda: c_int(words[0]).value
        if kind is c_bool:
            return lambda: bool(words[0] & 0xFF)
        if kind is c_long:
            return lambda: c_long(words[0]).value
        if kind is c_size_t:
            return lambda: words[0]
        if kind is c_void_p:
            return lambda: words[0] or None
        if kind is c_char_p:
            return lambda: c_char_p(self._readable(words[0])).value
        return lambda: ctypes.cast(self._readable(words[0]), kind)

    def _readable(self, address: int) -> int:
        """Returns where an address of the host can be read here: in the memory that both see, or, as its texts, in the kernel itself.

        The host is given up if the address is elsewhere: an FMU may have written it.
        """
        if not address or self._sees(address):
            return address
        here = address - self._shift
        if not any(first <= here < end for first, end in _kernel_memory()):
            raise HostDied(self.give_up())
        return here

    def _sees(self, address: int) -> bool:
        """Says whether both processes see an address, and what is read there."""
        return self._first <= address < self._end - _MEBIBYTE

    def _inside(self, told: Callable[[int], Any]) -> Callable[[int], Any]:
        """Returns a function whose result, an address, is in the memory that both see."""

        def checked(handle: int) -> Any:
            found = told(handle)
            if not self._sees(ctypes.cast(found, c_void_p).value or 0):
                raise HostDied(self.give_up())
            return found

        return checked

    def _legible(self, told: Callable[[int], Any]) -> Callable[[int], Any]:
        """Returns a function that copies a failure, with the text of what failed at its address in this process."""

        def copied(handle: int) -> Any:
            found = Failure.from_buffer_copy(told(handle).contents)
            action = c_void_p.from_buffer(found, Failure.action.offset)
            action.value = self._readable(action.value or 0)
            return ctypes.pointer(found)

        return copied

    def _check(self, lost: int) -> None:
        if lost:
            found = self.host.death
            assert found
            raise HostDied(found)

    # -- what the host asks for --------------------------------------------------------------------------------------------

    def _answer(self, what: int) -> int:
        words, numbers = self._words, self._numbers
        called = self._called.get(words[0])
        if called is None or what not in (_VALUE, _RESTART, _STEP, _STATE, _BETWEEN, _GO_ON):
            return 0
        if len(called.functions) != (4 if what in (_RESTART, _STEP, _STATE, _GO_ON) else 1):  # it asks for something else than it was given
            return 0
        function, address = called.functions[0], words[1]
        if what in (_RESTART, _STATE) and not self._sees(address):
            self.give_up()
            return 0
        if what == _VALUE:
            numbers[0] = function(numbers[0], None)
            return 1
        if what == _RESTART:
            return function(numbers[0], address, numbers[1], numbers[2], None)
        if what == _STEP:
            reached = c_double()
            done = called.functions[1](ctypes.addressof(reached), None)
            numbers[0] = reached.value
            return done
        if what == _STATE:
            return called.functions[2](numbers[0], address, None)
        if what == _GO_ON:
            return called.functions[3](numbers[0], None)
        return function(numbers[0], numbers[1], None)

    # -- memory ------------------------------------------------------------------------------------------------------------------

    def pointer(self, array: np.ndarray | None) -> int | None:
        return None if array is None else self._passed(pointer(array), array.nbytes, array, self._passing)  # type: ignore[arg-type]  # it is an array

    def reference(self, structure: ctypes.Structure | ctypes.Array) -> int:
        return self._passed(ctypes.addressof(structure), ctypes.sizeof(structure), structure, self._passing)

    def text(self, text: bytes | None) -> c_char_p:
        if text is None:
            return c_char_p()
        return c_char_p(self.reference(ctypes.create_string_buffer(text)))

    def _memory(self, address: int, size: int) -> Any:
        """Returns a copy of so many bytes, which lives as long as the returned object."""
        while self._given:
            library.heap_give(self._arena, self._given.pop())
        piece = library.heap_take(self._arena, max(size, 1))
        if not piece:
            raise MemoryError(f"{size} bytes that a host sees too")
        ctypes.memmove(piece, address, size)
        memory: Any = (ctypes.c_char * max(size, 1)).from_address(piece)
        memory.window = (
            self._window
        )  # arrays of NumPy, which hide from the collector what they refer to, may not refer to the library itself
        weakref.finalize(memory, self._given.append, piece).atexit = False
        return memory

    def copied(self, address: int | None, count: int) -> np.ndarray:
        if not count or not address:
            return np.zeros(0)
        if not (self._first <= address and 0 < count <= (self._end - address) // 8):
            raise HostDied(self.give_up())
        return np.array((c_double * count).from_address(address))

    def file(self, file: int) -> int:
        return self.host.give(file)

    def kept(self, array: np.ndarray) -> np.ndarray:
        address: int = pointer(array)  # type: ignore[assignment]  # it is an array
        if self._first <= address < self._end:
            return array
        return np.frombuffer(self._memory(address, array.nbytes), array.dtype, array.size).reshape(array.shape)

    def kept_structure(self, structure: _S, **arrays: np.ndarray | None) -> _S:
        memory = self._memory(ctypes.addressof(structure), ctypes.sizeof(structure))
        found: Any = type(structure).from_address(ctypes.addressof(memory))
        found.arrays = {name: None if array is None else self.kept(array) for name, array in arrays.items()}
        found.memory = memory
        for name, array in found.arrays.items():
            setattr(found, name, pointer(array))
        return found

    def fixed(self, structure: Any) -> Any:
        return self._once(structure, lambda: self.kept_structure(structure, **structure.arrays))

    def rows(self, rows: Rows) -> RowsStructure:
        def place() -> RowsStructure:
            here = rows.structure
            texts = [np.frombuffer(each, np.uint8) for each in (*rows.tables, rows.number, rows.real)]
            return self.kept_structure(here, **dict(zip((*TABLES, "number", "real"), texts, strict=True)))

        return self._once(rows, place)

    def _once(self, what: Any, place: Callable[[], Any]) -> Any:
        key = id(what)
        known = self._placed.get(key)
        if known is None or known[0]() is not what:
            this = weakref.ref(self)

            def forget(_: object) -> None:
                library = this()
                if library is not None:
                    library._placed.pop(key, None)

            known = self._placed[key] = weakref.ref(what, forget), place()
        return known[1]

    # -- functions ---------------------------------------------------------------------------------------------------------------

    def address(self, name: str) -> int | None:
        if name not in self._addresses:
            self._words[0] = _number(f"&{name}")
            self._check(self._call(self._handle, _ADDRESS))
            self._addresses[name] = self._words[0]
        return self._addresses[name]

    def function_at(self, address: int, result: Any, arguments: Sequence[Any], *, at_the_end: bool = False) -> Callable[..., Any]:
        signature = "".join(letter_of(each) for each in (result, *arguments))
        return self._forwarding(_number(signature), result, arguments, at_the_end, address)

    def called_back(self, *functions: tuple[Any, str, Callable[..., Any]]) -> CalledBack:
        called = _Called([function for _, _, function in functions])
        self._contexts += 1
        self._called[self._contexts] = called
        return CalledBack([self.address(name) for _, name, _ in functions], self._contexts, called)


class _Window:
    """The memory that both processes see, as long as an object refers to it."""


class _Called:
    """Functions that the host asks for."""

    def __init__(self, functions: list[Callable[..., Any]]) -> None:
        self.functions = functions
