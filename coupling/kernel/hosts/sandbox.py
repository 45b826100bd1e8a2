"""The check whether hosts can run in a sandbox here; ``sandbox.h`` describes the sandbox."""

from __future__ import annotations

import ctypes
import os
from ctypes import c_char_p, c_int, c_size_t
from functools import cache
from pathlib import Path
from typing import NamedTuple

from coupling.kernel import library
from coupling.kernel.platform.binding import declare

declare({"sandbox_lacks": (c_int, [c_char_p, c_size_t])})


class Sandbox(NamedTuple):
    """The folders that a process may access, in addition to the libraries of the system."""

    readable: tuple[Path, ...]
    writable: tuple[Path, ...]
    """Folders that can be written, and read as well."""

    @property
    def paths(self) -> ctypes.Array[c_char_p]:
        """The folders as the options of a host have them."""
        each = [*map(os.fsencode, self.readable), b"--", *map(os.fsencode, self.writable), None]
        return (c_char_p * len(each))(*each)


@cache
def lacks() -> str:
    """Returns what this system lacks for a sandbox; empty where it has all."""
    problem = ctypes.create_string_buffer(512)
    return problem.value.decode() if library.sandbox_lacks(problem, len(problem)) else ""
