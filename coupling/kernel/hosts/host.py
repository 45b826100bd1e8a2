"""Hosts: processes of their own in which FMUs may do anything; ``channel.h`` describes their functions."""

from __future__ import annotations

import ctypes
import os
import sys
from collections.abc import Callable
from ctypes import POINTER, byref, c_char_p, c_double, c_int, c_long, c_size_t, c_uint32, c_uint64, c_void_p
from enum import IntEnum
from pathlib import Path
from typing import NamedTuple

from coupling.files import remedy_in
from coupling.kernel import library
from coupling.kernel.hosts.sandbox import Sandbox, texts
from coupling.kernel.platform.binding import declare

PROGRAM = Path(library._name).with_name("jourdain-host")
_IN_PYTHON = Path(__file__).with_name("in_python.py")

_PING = 1
"""Number of the operation, as in C."""

ANSWERS = ctypes.CFUNCTYPE(c_int, c_void_p, c_int)
LOOKS = ctypes.CFUNCTYPE(c_int, c_double)


class DeathKind(IntEnum):
    """The way in which a host was lost."""

    LIVES = 0
    SIGNALLED = 1
    EXITED = 2
    """Ended by exit."""
    LEFT = 3
    """Ended by _exit."""
    TIMED_OUT = 4
    INTERRUPTED = 5
    LOST = 6
    """The cause is unknown."""
    DAMAGED = 7
    """It was ended because it had overwritten memory that both processes see."""


class DeathStructure(ctypes.Structure):
    _fields_ = [
        *((name, c_int) for name in ("kind", "signal", "code")),
        ("seconds", c_double),
        *((name, c_int) for name in ("version", "call")),
        ("instance", c_void_p),
        ("time", c_double),
    ]


class OptionsStructure(ctypes.Structure):
    _fields_ = [
        ("program", POINTER(c_char_p)),
        ("core", c_char_p),
        ("room", c_size_t),
        *((name, c_double) for name in ("memory", "call_timeout")),
        ("sandbox", POINTER(c_char_p)),
    ]


class CallStructure(ctypes.Structure):
    """The part of a channel that is a call or its answer."""

    _fields_ = [
        *((name, c_int) for name in ("op", "asks", "status", "answers")),
        ("size", c_size_t),
        ("word", c_uint64 * 16),
        ("real", c_double * 8),
    ]


declare(
    {
        "host_start": (c_void_p, [POINTER(OptionsStructure), c_char_p, c_size_t]),
        "host_call": (c_int, [c_void_p, c_int]),
        "host_answers": (None, [c_void_p, ANSWERS, c_void_p]),
        "host_death": (POINTER(DeathStructure), [c_void_p]),
        "host_printed": (c_long, [c_void_p, POINTER(c_char_p)]),
        "host_words": (POINTER(CallStructure), [c_void_p]),
        "host_data": (c_void_p, [c_void_p]),
        "host_process": (c_int, [c_void_p]),
        "host_spins": (c_uint32, [c_void_p]),
        "host_give": (c_int, [c_void_p, c_int]),
        "host_stop": (None, [c_void_p]),
        "host_give_up": (None, [c_void_p]),
        "host_limit": (None, [c_void_p, c_double]),
        "host_end": (None, [c_void_p]),
        "host_look": (None, [LOOKS]),
        "host_signals": (None, [c_void_p * 4]),
        "hosts_forget": (None, []),
        "library_call": (c_char_p, [c_int, c_int]),
    }
)
os.register_at_fork(after_in_child=library.hosts_forget)


class HostError(OSError):
    """A host that does not start."""


class Death(NamedTuple):
    """The loss of a host, with the call of an FMU; ``call`` is -1 where the host was in none."""

    kind: DeathKind
    signal: int
    code: int
    seconds: float
    version: int
    call: int
    instance: int
    time: float

    @property
    def function(self) -> str:
        """The name of that call; empty where the host was in none."""
        return library.library_call(self.version, self.call).decode() if self.call >= 0 else ""


class Host:
    """A process of its own; ended by ``end``, once."""

    def __init__(
        self,
        room: int = 1 << 26,
        memory: float | None = None,
        call_timeout: float | None = None,
        core: str = library._name,
        sandbox: Sandbox | None = None,
        python: bool = False,
    ) -> None:
        """``python``: the process is this interpreter in this environment, for FMUs that take Python from their process."""
        if not os.access(PROGRAM, os.X_OK):
            raise HostError(
                f"'{PROGRAM}' is missing, or is not to be run; build it with pip install --editable . (it needs a C compiler), or run the FMU in "
                "this process"
            )
        paths = None if sandbox is None else sandbox.paths
        program = texts(*((sys.executable, "-u", _IN_PYTHON, os.pathsep.join(sys.path)) if python else (PROGRAM,)))
        options = OptionsStructure(program, os.fsencode(core), room, memory or 0.0, call_timeout or 0.0, paths)
        problem = ctypes.create_string_buffer(2048)
        self.handle = library.host_start(byref(options), problem, len(problem))
        if not self.handle:
            said = problem.value.decode(errors="replace").strip()
            raise HostError(said + remedy_in(said))
        self.words = library.host_words(self.handle).contents
        """The call, and after it the answer."""
        self._answers: object = None
        self._printed_before = ""

    def call(self, op: int) -> DeathKind:
        return DeathKind(library.host_call(self.handle, op))

    def is_there(self) -> bool:
        """Says whether the process is there, by a call; a process that another one has started is not."""
        return self.call(_PING) is DeathKind.LIVES

    def answers(self, answer: Callable[[int], int]) -> None:
        """Sets the function whose results the host gets when it asks back."""
        self._answers = ANSWERS(lambda _, what: answer(what))
        library.host_answers(self.handle, self._answers, None)

    @property
    def data(self) -> int:
        """The address of the memory that both processes see."""
        return library.host_data(self.handle)

    @property
    def process(self) -> int:
        return library.host_process(self.handle)

    @property
    def death(self) -> Death | None:
        found = library.host_death(self.handle).contents
        if not found.kind:
            return None
        where = found.version, found.call, found.instance or 0, found.time
        return Death(DeathKind(found.kind), found.signal, found.code, found.seconds, *where)

    @property
    def printed(self) -> str:
        """All text that the process has printed, or the last mebibyte of it."""
        text = c_char_p()
        length = library.host_printed(self.handle, byref(text))
        return ctypes.string_at(text, length).decode(errors="replace")

    def begin_run(self) -> None:
        """Counts text from here on as printed in a run."""
        self._printed_before = self.printed

    @property
    def printed_in_run(self) -> str:
        """The text printed in the run, as far as it is still there."""
        return self.printed.removeprefix(self._printed_before)

    def give(self, file: int) -> int:
        """Returns the number of the same open file in the host, which is to close it."""
        number = library.host_give(self.handle, file)
        if number < 0 and self.death is None:
            raise OSError(f"the process {self.process} cannot take another open file")
        return number

    def stop(self) -> None:
        """Ends the process. Its memory holds zeros until ``end``: code that still reads there does no harm."""
        if self.handle:
            library.host_stop(self.handle)

    def give_up(self) -> None:
        """Ends a process that has overwritten what both processes see."""
        library.host_give_up(self.handle)

    def limit(self, call_timeout: float | None) -> None:
        """Limits the time of each call from now on."""
        library.host_limit(self.handle, call_timeout or 0.0)

    def end(self) -> None:
        if self.handle:
            library.host_end(self.handle)
            self.handle = None


def listen(interrupted: Callable[[float], bool]) -> None:
    """Sets the function that is asked again and again during a call whether to give it up; it gets the seconds so far. An exception of a
    signal handler ends the call in any case."""
    global _look
    _look = LOOKS(interrupted)
    library.host_look(_look)


_SIGNALS = ("PyGILState_Ensure", "PyErr_CheckSignals", "PyErr_Clear", "PyGILState_Release")
"""Functions by which C makes Python call the handlers of signals that have come."""
library.host_signals((c_void_p * 4)(*(ctypes.cast(getattr(ctypes.pythonapi, name), c_void_p).value for name in _SIGNALS)))


_look: object = None
