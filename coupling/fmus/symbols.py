"""Symbols of a binary that the loading process must provide, read from the file before it is loaded."""

from __future__ import annotations

import re
import struct
from collections.abc import Iterator
from pathlib import Path

_ELF = b"\x7fELF\x02\x01"
_SECTIONS_AT, _SECTION_COUNT_AT, _SECTION, _SECTION_SIZE = 0x28, 0x3C, struct.Struct("<4xI16xQQI"), 64
_SYMBOL, _DYNAMIC = struct.Struct("<I2xH16x"), struct.Struct("<qQ")
_OF_DYNAMIC, _OF_SYMBOLS, _NEEDED, _UNDEFINED = 6, 11, 1, 0
_PYTHON = re.compile(rb"_?Py[A-Z_]")


def needs_python(library: Path) -> bool:
    """Says whether a binary takes Python from its process: its functions are undefined, and it names no library of Python.

    A file that is no whole binary of Linux needs none: loading it gives the reason.
    """
    content = library.read_bytes()
    if not content.startswith(_ELF):
        return False
    try:
        undefined, libraries = _undefined(content)
    except (struct.error, IndexError, ValueError):
        return False
    return any(map(_PYTHON.match, undefined)) and not any(each.startswith(b"libpython") for each in libraries)


def _undefined(content: bytes) -> tuple[list[bytes], list[bytes]]:
    """Returns the undefined symbols of a binary, and the names of the libraries that it needs."""
    (start,) = struct.unpack_from("<Q", content, _SECTIONS_AT)
    (count,) = struct.unpack_from("<H", content, _SECTION_COUNT_AT)
    sections = [_SECTION.unpack_from(content, start + i * _SECTION_SIZE) for i in range(count)]
    undefined: list[bytes] = []
    libraries: list[bytes] = []
    for kind, offset, size, link in sections:
        if kind not in (_OF_SYMBOLS, _OF_DYNAMIC):
            continue
        table, texts = content[offset : offset + size], sections[link][1]
        if kind == _OF_SYMBOLS:
            undefined += _texts(content, texts, (name for name, section in _SYMBOL.iter_unpack(table) if section == _UNDEFINED))
        else:
            libraries += _texts(content, texts, (value for tag, value in _DYNAMIC.iter_unpack(table) if tag == _NEEDED))
    return undefined, libraries


def _texts(content: bytes, table: int, places: Iterator[int]) -> Iterator[bytes]:
    """Yields texts that end with a zero, by their places in a table."""
    for place in places:
        yield content[table + place : content.index(b"\0", table + place)]
