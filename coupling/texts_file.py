"""Files of the texts in rows that a run under way has written, ``.jrd.texts``; docs/results.md describes them.

Rows have numbers in the place of texts. The trailer of a complete file of rows gives the bytes. Until it is written, this file beside the
rows does. It has, for each text, the number, the size in bytes, and the bytes. The last text of a killed run may be incomplete; no row
refers to it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

from coupling.exact import is_key
from coupling.files import require_file

_HEAD = struct.Struct("<dQ")
"""The number of a text, and its size. Both are 0 in a part of the file that a power cut left empty."""
_LONGEST = 2**31
"""Bytes of a text beyond which its size is damage."""


def place_of_texts(path: Path) -> Path:
    """Returns the path of the texts of a file of rows."""
    return path.with_name(f"{path.name}.texts")


def texts_as_bytes(texts: Mapping[float, bytes]) -> bytes:
    """Returns texts as the file has them."""
    return b"".join(_HEAD.pack(number, len(text)) + text for number, text in texts.items())


def texts_beside(path: Path) -> dict[float, bytes]:
    """Returns the texts beside a file of rows, up to the first that is incomplete or damaged; none if they cannot be read."""
    beside = place_of_texts(path)
    found: dict[float, bytes] = {}
    try:
        require_file(beside)
        with beside.open("rb") as file:
            while len(head := file.read(_HEAD.size)) == _HEAD.size:
                number, size = _HEAD.unpack(head)
                text = file.read(size) if is_key(number) and size <= _LONGEST else b""
                if len(text) < size or not is_key(number):
                    break
                found[number] = text
    except (OSError, MemoryError):  # without it the texts are unknown, and all else is there
        return {}
    return found
