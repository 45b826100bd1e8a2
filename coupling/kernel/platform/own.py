"""The kernel's library as its objects see it: its functions, and the memory that goes with a call."""

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
"""Function that gives the bytes of a writable array in one piece."""


class CalledBack(NamedTuple):
    """Python functions as C calls them: by addresses, with a context as their last argument."""

    addresses: list[int | None]
    context: int | None
    kept: object
    """Objects that have to live as long as the functions may be called."""


class Library(Protocol):
    """The functions of the kernel by their names, in one process.

    Objects that C gets as addresses go through the methods, which say for how long C refers to them.
    """

    opened: dict[Path, Any]
    """Binaries of FMUs that have been opened, by their paths: kept as long as the process, unless they are loaded anew for their static
    state."""

    instances: dict[int, Any]
    """Instances of another process, by their handles."""

    is_elsewhere: bool
    """True if C is in another process."""

    memory: float | None
    """Bytes of address space that this process may add, if it has a limit."""

    @property
    def printed(self) -> str:
        """The text that the other process, if any, has printed."""

    @property
    def printed_in_run(self) -> str:
        """The same text, of the run that began last."""

    @property
    def is_lost(self) -> bool:
        """True if the other process has ended."""

    @property
    def death(self) -> Any:
        """The way in which the other process was lost."""

    def __getattr__(self, name: str) -> Any: ...

    def pointer(self, array: np.ndarray | None) -> int | None:
        """Returns the address of an array, for the next call."""

    def reference(self, structure: ctypes.Structure | ctypes.Array) -> int:
        """Returns the address of a structure, for the next call."""

    def text(self, text: bytes | None) -> ctypes.c_char_p:
        """Returns a text for C, for the next call."""

    def kept(self, array: np.ndarray) -> np.ndarray:
        """Returns the same values where C may refer to them as long as the returned array lives."""

    def kept_structure(self, structure: _S, **arrays: np.ndarray | None) -> _S:
        """Returns the same for a structure, and for arrays to which its fields point from now on."""

    def fixed(self, structure: _S) -> _S:
        """Returns a structure of ``kept_structure`` of this process, which no code changes, for C."""

    def rows(self, rows: Rows) -> RowsStructure:
        """Returns the rows as C takes them; the arrays that they point to live as long as the rows."""

    def copied(self, address: int | None, count: int) -> np.ndarray:
        """Returns a copy of so many numbers from an address that C has given."""

    def file(self, file: int) -> int:
        """Returns the number of an open file, as C knows it."""

    def address(self, name: str) -> int | None:
        """Returns the address of a function of the kernel."""

    def function_at(self, address: int, result: Any, arguments: Sequence[Any], *, at_the_end: bool = False) -> Callable[..., Any]:
        """Returns the function at an address there; ``at_the_end``: it counts as done where the process has ended."""

    def called_back(self, *functions: tuple[Any, str, Callable[..., Any]]) -> CalledBack:
        """Returns Python functions for C, each with its type and the name of the function of the kernel that calls it from another
        process."""


class OwnLibrary:
    """The kernel in this process, where a call needs only addresses."""

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
