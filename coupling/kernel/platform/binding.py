"""The basis of all parts of the binding: signatures, and arrays as C sees them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import numpy as np

from coupling.kernel import library


def declare(signatures: Mapping[str, tuple[object, Sequence[object]]]) -> None:
    """Tells ctypes the result and the arguments of functions."""
    for name, (result, arguments) in signatures.items():
        function = getattr(library, name)
        function.restype, function.argtypes = result, arguments


def references_of(values: Sequence[int] | np.ndarray) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.uintc)


def doubles_of(values: object) -> np.ndarray:
    return np.ascontiguousarray(values, dtype=np.float64)


pointer = library.pointer  # for what is calculated in this process in any case


def require_memory(result: int) -> None:
    """Raises where the kernel ran out of memory."""
    if result:
        raise MemoryError("the system needs more memory than there is")
