"""Both sides of ``links.py`` called from a loop in C, without calls from Python in between."""

from __future__ import annotations

import ctypes
import importlib.util
import shutil
import subprocess
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from ctypes import c_double, c_int, c_long, c_void_p
from dataclasses import astuple, dataclass
from pathlib import Path

import numpy as np

from coupling.live.session import Session

SOURCE = Path(__file__).with_suffix(".cpp")
# Pinocchio's CMake files need these. The first one takes the algorithms from its library, in place of templates that are compiled here.
DEFINITIONS = (
    "PINOCCHIO_ENABLE_TEMPLATE_INSTANTIATION",
    "BOOST_MPL_LIMIT_LIST_SIZE=30",
    "BOOST_MPL_LIMIT_VECTOR_SIZE=30",
    "BOOST_MPL_CFG_NO_PREPROCESSED_HEADERS",
)
NUDGE = 1e-9  # between two points, at which calls take turns

Timed = Callable[[int], float]
"""Function that returns the seconds of each of a number of calls."""


class NoCalls(Exception):
    """Calls in C are not possible; the text says why, and what to do."""


@dataclass(frozen=True)
class Link:
    gravity: tuple[float, float, float]
    length: float
    mass: float
    centre: float
    inertia: tuple[float, float, float]


class Calls:
    """The loops, compiled against Pinocchio's headers in a folder."""

    def __init__(self, folder: Path, compiler: str = "g++") -> None:
        library = folder / "calls.so"
        done = subprocess.run(_command(compiler, library), capture_output=True, text=True)
        if done.returncode:
            error = next((line for line in done.stderr.splitlines() if "error" in line), "without a word")
            raise NoCalls(f"{compiler} cannot compile {SOURCE.name}: {error}")
        self._library = ctypes.CDLL(str(library))
        self._library.derivatives_seconds.restype = self._library.accelerations_seconds.restype = c_double
        self._library.tree_new.restype = c_void_p

    def derivatives(self, session: Session, x: np.ndarray) -> Timed:
        """Returns a function that times the kernel's derivatives."""
        points, dx = _Points(x), np.zeros_like(x)
        function = c_void_p(session.kernel.library.address("kernel_derivatives"))
        kernel = c_void_p(session.kernel.handle)
        return lambda count: self._library.derivatives_seconds(function, kernel, points.table, _at(dx), c_long(count))

    @contextmanager
    def accelerations(
        self, link: Link, parents: Sequence[int], about_z: Sequence[bool], q: np.ndarray, v: np.ndarray
    ) -> Iterator[tuple[Timed, np.ndarray]]:
        """Yields a function that times Pinocchio's accelerations, and their array. An odd number of calls ends at the given point."""
        points, found = _Points(q), np.zeros_like(q)
        numbers = np.hstack([np.ravel(each) for each in astuple(link)])
        given = np.array(parents, np.int32), np.array(about_z, bool), numbers
        tree = c_void_p(self._library.tree_new(c_int(len(parents)), *map(_at, given)))
        yield lambda count: self._library.accelerations_seconds(tree, points.table, _at(v), _at(found), c_long(count)), found
        self._library.tree_free(tree)


class _Points:
    """Two points, one beside the other, as C takes them."""

    def __init__(self, values: np.ndarray) -> None:
        self._values = values.copy(), values + NUDGE
        self.table = (c_void_p * 2)(*(each.ctypes.data for each in self._values))


def _at(array: np.ndarray) -> c_void_p:
    return c_void_p(array.ctypes.data)


def _command(compiler: str, library: Path) -> list[str]:
    found = importlib.util.find_spec("pinocchio")
    if found is None or found.origin is None:
        raise NoCalls("Pinocchio is not installed: pip install pin")
    if shutil.which(compiler) is None:
        raise NoCalls(f"there is no {compiler}")
    prefix = Path(found.origin).parents[4]  # of lib/python3.x/site-packages/pinocchio/__init__.py
    headers = prefix / "include"
    eigen = [folder for folder in (headers / "eigen3", Path("/usr/include/eigen3")) if folder.is_dir()]
    if not eigen or not (headers / "pinocchio").is_dir():
        raise NoCalls(f"Pinocchio's headers and Eigen's are not both in {headers}: pip install pin cmeel-eigen")
    options = ["-std=c++17", "-O2", "-shared", "-fPIC", *(f"-D{each}" for each in DEFINITIONS), f"-I{headers}", f"-I{eigen[0]}"]
    linked = [f"-L{prefix / 'lib'}", "-lpinocchio_default", f"-Wl,-rpath,{prefix / 'lib'}"]
    return [compiler, *options, "-o", str(library), str(SOURCE), *linked]
