"""Texts, binary data and large whole numbers as the kernel passes them on: by numbers; ``texts.h`` describes its functions."""

from __future__ import annotations

from collections.abc import Iterable
from ctypes import c_double, c_long, c_size_t, c_void_p

import numpy as np

from coupling.checks import EXACT
from coupling.kernel import library as own_library
from coupling.kernel.platform.binding import declare
from coupling.kernel.platform.own import Library

declare({"text_number": (c_double, [c_void_p, c_size_t, c_double]), "text_copy": (c_long, [c_double, c_void_p, c_size_t])})
declare({"texts_copy": (c_long, [c_void_p, c_size_t])})


def number_of(value: str | bytes | int, library: Library = own_library) -> float:
    """Returns the number of a text, of binary data, or of a whole number, and keeps their bytes in the process of a library."""
    if isinstance(value, int):
        return float(value) if abs(value) <= EXACT else EXACT + 2 + 2 * number_of(str(value), library)
    content = np.frombuffer(value.encode() if isinstance(value, str) else value, np.uint8)
    if not content.size:
        return 0.0
    found: float = library.text_number(library.pointer(content), content.size, 0.0)
    if np.isnan(found):
        raise MemoryError(f"a text of {content.size} bytes")
    return found


def all_texts(library: Library) -> np.ndarray:
    """Returns all texts that the process of a library knows, as bytes for ``know_again``."""
    size = library.texts_copy(None, 0)
    found = np.zeros(size, np.uint8)
    if size:
        library.texts_copy(library.pointer(found), size)
    return found


def know_again(texts: np.ndarray, library: Library) -> None:
    """Makes the process of a library know the texts that another one knew: their numbers are the same."""
    content, at = texts.tobytes(), 0
    while at < len(content):
        size = int.from_bytes(content[at : at + 8], "little")
        number_of(content[at + 8 : at + 8 + size], library)
        at += 8 + size


def contents_of(numbers: Iterable[float], library: Library = own_library) -> dict[float, bytes]:
    """Returns the bytes of texts by their numbers, as far as they are known."""
    found = {}
    for number in numbers:
        size = library.text_copy(number, None, 0)
        if size > 0:
            content = np.zeros(size, np.uint8)
            library.text_copy(number, library.pointer(content), size)
            found[number] = content.tobytes()
    return found
