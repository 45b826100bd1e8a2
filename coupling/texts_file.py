"""Files of the texts in rows that a run under way has written, ``.jrd.texts``; docs/results.md describes them.

Rows have numbers in the place of texts. The trailer of a complete file of rows gives the bytes. Until it is written, this file beside the
rows does. It has, for each text, the number, the size in bytes, and the bytes. The last text of a killed run may be incomplete; no row
refers to it.
"""

from __future__ import annotations

import struct
from collections.abc import Mapping
from pathlib import Path

_HEAD = struct.Struct("<dQ")
"""The number of a text, and its size."""


def place_of_texts(path: Path) -> Path:
    """Returns the path of the texts of a file of rows."""
    return path.with_name(f"{path.name}.texts")


def texts_as_bytes(texts: Mapping[float, bytes]) -> bytes:
    """Returns texts as the file has them."""
    return b"".join(_HEAD.pack(number, len(text)) + text for number, text in texts.items())


def texts_beside(path: Path) -> dict[float, bytes]:
    """Returns the texts beside a file of rows; none if they cannot be read."""
    try:
        content = place_of_texts(path).read_bytes()
    except OSError:  # without it the texts are unknown, and all else is there
        return {}
    found, at = {}, 0
    while at + _HEAD.size <= len(content):
        number, size = _HEAD.unpack_from(content, at)
        at += _HEAD.size + size
        if at > len(content):
            break
        found[number] = content[at - size : at]
    return found
