"""FMUs in hosts: libraries whose functions run in another process; ``guard.h`` describes their functions."""

from __future__ import annotations

import ctypes
from ctypes import c_char_p, c_int, c_size_t, c_void_p
from pathlib import Path

from coupling.kernel import library
from coupling.kernel.fmi.instance import LoadedLibrary
from coupling.kernel.hosts.host import Host
from coupling.kernel.hosts.sandbox import Sandbox
from coupling.kernel.platform.binding import declare

declare(
    {
        "guard_new": (c_void_p, [c_void_p]),
        "guard_free": (None, [c_void_p]),
        "guard_open": (c_void_p, [c_void_p, c_char_p, c_int, c_char_p, c_size_t]),
        "guard_instance": (c_void_p, [c_void_p, c_int]),
        "library_call": (c_char_p, [c_int, c_int]),
    }
)


class Guard:
    """The FMUs of one host; ended by ``end``, after their instances."""

    def __init__(
        self, memory: float | None = None, call_timeout: float | None = None, sandbox: Sandbox | None = None, *, python: bool = False
    ) -> None:
        self.opened: dict[Path, LoadedLibrary] = {}
        self.host = Host(memory=memory, call_timeout=call_timeout, sandbox=sandbox, python=python)
        self.memory = memory
        self.handle = library.guard_new(self.host.handle)
        if not self.handle:
            self.host.end()
            raise MemoryError("there is no memory for another process")

    def instance(self, number: int) -> int | None:
        """Returns the handle of the instance that a host calls by a number."""
        return library.guard_instance(self.handle, number - 1)

    def end(self) -> None:
        if self.handle:
            library.guard_free(self.handle)
            self.host.end()
            self.handle = None


class GuardedLibrary(LoadedLibrary):
    """The functions of an FMU's binary, in the process of a guard."""

    def __init__(self, guard: Guard, path: str, version: int) -> None:
        self.library = library
        problem = ctypes.create_string_buffer(1024)
        self.handle = library.guard_open(guard.handle, path.encode(), version, problem, len(problem))
        if not self.handle:
            raise OSError(problem.value.decode(errors="replace"))


def call_name(version: int, call: int) -> str:
    """Returns the name of a function of FMI, by its number."""
    return library.library_call(version, call).decode()
