"""The check whether hosts can run in a sandbox here; ``sandbox.h`` describes the sandbox."""

from __future__ import annotations

import ctypes
import os
import site
import sys
import sysconfig
from ctypes import c_char_p, c_int, c_size_t
from functools import cache
from pathlib import Path
from typing import NamedTuple

from coupling.kernel import library
from coupling.kernel.platform.binding import declare

declare({"sandbox_lacks": (c_int, [c_char_p, c_size_t])})


def texts(*each: str | Path) -> ctypes.Array[c_char_p]:
    """Returns texts or paths as C takes a list of them, with a null at its end."""
    encoded = [*map(os.fsencode, each), None]
    return (c_char_p * len(encoded))(*encoded)


class Sandbox(NamedTuple):
    """The folders that a process may access, in addition to the libraries of the system."""

    readable: tuple[Path, ...]
    writable: tuple[Path, ...]
    """Folders that can be written, and read as well."""

    @property
    def paths(self) -> ctypes.Array[c_char_p]:
        """The folders as the options of a host have them."""
        return texts(*self.readable, "--", *self.writable)


@cache
def lacks() -> str:
    """Returns what this system lacks for a sandbox; empty where it has all."""
    problem = ctypes.create_string_buffer(512)
    return problem.value.decode() if library.sandbox_lacks(problem, len(problem)) else ""


def folders_of_python() -> list[Path]:
    """Returns the folders of this interpreter and of its installed packages, which a host that is a Python reads."""
    own = [sysconfig.get_path(name) for name in ("stdlib", "platstdlib")]
    installed = {*site.getsitepackages(), site.getusersitepackages()}
    return [Path(each) for each in dict.fromkeys((*own, *(each for each in sys.path if each in installed))) if Path(each).is_dir()]
