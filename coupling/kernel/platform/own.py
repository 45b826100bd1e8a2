"""The kernel's library as its objects see it: what they call, and the memory that goes with a call."""

from __future__ import annotations

import ctypes
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple, Protocol, TypeVar

import numpy as np

if TYPE_CHECKING:
    from coupling.kernel.rows.rows import Rows, RowsStructure

_S = TypeVar("_S", bound="ctypes.Structure | ctypes.Array")


_bytes_of: Any = (ctypes.c_char * 0).from_buffer
"""Of an array that may be written to and is in one piece."""


class CalledBack(NamedTuple):
    """Python functions as C calls them: by addresses, with a context as their last argument."""

    addresses: list[int | None]
    context: int | None
    kept: object
    """What has to live as long as they may be called."""


class Library(Protocol):
    """Functions of the kernel by their names, in one process.

    Objects that C is given as addresses go through the methods, which say for how long C refers to them.
    """

    opened: dict[Path, Any]
    """Binaries of FMUs that have been opened, by their paths: kept as long as the process, unless they are loaded anew for their static state."""

    instances: dict[int, Any]
    """What instances of another process are, by their handles."""

    is_elsewhere: bool
    """Whether C is in another process."""

    memory: float | None
    """Bytes of address space that this process may add, if it has a limit."""

    @property
    def printed(self) -> str:
        """What that process, if it is another one, has printed."""

    @property
    def printed_in_run(self) -> str:
        """The same, in the run that began last."""

    @property
    def is_lost(self) -> bool:
        """Whether that process is no more."""

    @property
    def death(self) -> Any:
        """How it was lost."""

    def __getattr__(self, name: str) -> Any: ...

    def pointer(self, array: np.ndarray | None) -> int | None:
        """Where an array begins, for the next call."""

    def reference(self, structure: ctypes.Structure | ctypes.Array) -> int:
        """Where a structure begins, for the next call."""

    def text(self, text: bytes | None) -> ctypes.c_char_p:
        """A text, for the next call."""

    def kept(self, array: np.ndarray) -> np.ndarray:
        """The same values where C may refer to them as long as the array lives that is returned."""

    def kept_structure(self, structure: _S, **arrays: np.ndarray | None) -> _S:
        """The same for a structure, and for arrays to which fields of it point from now on."""

    def fixed(self, structure: _S) -> _S:
        """What ``kept_structure`` of this process has made and nobody changes."""

    def rows(self, rows: Rows) -> RowsStructure:
        """As C takes them; what it points to lives as long as the rows."""

    def copied(self, address: int | None, count: int) -> np.ndarray:
        """So many numbers from an address that C has given."""

    def file(self, file: int) -> int:
        """The number of an open file, as C knows it."""

    def address(self, name: str) -> int | None:
        """Of a function of the kernel."""

    def function_at(self, address: int, result: Any, arguments: Sequence[Any], *, at_the_end: bool = False) -> Callable[..., Any]:
        """What is at an address there; ``at_the_end``: nothing is left to be done where the process is no more."""

    def called_back(self, *functions: tuple[Any, str, Callable[..., Any]]) -> CalledBack:
        """Python functions for C, each with its type and the name of the function of the kernel that calls it from another process."""


class OwnLibrary:
    """The kernel in this process, where an address is all that a call needs."""

    is_elsewhere = is_lost = False
    printed = printed_in_run = ""
    death = None
    memory: float | None = None

    def __init__(self, path: Path) -> None:
        self._library = ctypes.CDLL(str(path))
        self.opened: dict[Path, Any] = {}
        self.instances: dict[int, Any] = {}

    def __getattr__(self, name: str) -> Any:
        found = getattr(self._library, name)
        setattr(self, name, found)  # so that it is found at once from now on
        return found

    @staticmethod
    def pointer(array: np.ndarray | None) -> int | None:
        try:
            return ctypes.addressof(_bytes_of(array))  # a quarter of the time that array.__array_interface__ takes, which knows all others
        except (TypeError, ValueError):
            return None if array is None else array.__array_interface__["data"][0]

    reference = staticmethod(ctypes.addressof)
    text = staticmethod(ctypes.c_char_p)

    @staticmethod
    def kept(array: np.ndarray) -> np.ndarray:
        return array

    @staticmethod
    def kept_structure(structure: _S, **arrays: np.ndarray | None) -> _S:
        for name, array in arrays.items():
            setattr(structure, name, OwnLibrary.pointer(array))
        keeping: Any = structure
        keeping.arrays = arrays
        return structure

    @staticmethod
    def fixed(structure: _S) -> _S:
        return structure

    @staticmethod
    def rows(rows: Rows) -> RowsStructure:
        return rows.structure

    @staticmethod
    def copied(address: int | None, count: int) -> np.ndarray:
        return np.array((ctypes.c_double * count).from_address(address)) if address else np.zeros(0)

    @staticmethod
    def file(file: int) -> int:
        return file

    def address(self, name: str) -> int | None:
        return ctypes.cast(getattr(self, name), ctypes.c_void_p).value

    @staticmethod
    def function_at(address: int, result: Any, arguments: Sequence[Any], *, at_the_end: bool = False) -> Callable[..., Any]:
        return ctypes.CFUNCTYPE(result, *arguments)(address)

    @staticmethod
    def called_back(*functions: tuple[Any, str, Callable[..., Any]]) -> CalledBack:
        made = [prototype(function) for prototype, _, function in functions]
        return CalledBack([ctypes.cast(each, ctypes.c_void_p).value for each in made], None, made)
