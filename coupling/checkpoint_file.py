"""Checkpoints as files: a word, a header of JSON, blocks of bytes that it names, and a checksum of all. They contain no pickle."""

from __future__ import annotations

import json
import os
import struct
import sys
import zlib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, NamedTuple, NotRequired, TypedDict

import numpy as np

from coupling.errors import ResultError, shown
from coupling.files import replaced, require_file
from coupling.structured import misfit, parsed

_FAMILY, _VERSION = b"JRDCKPT", 1
_MAGIC = _FAMILY + b"%d" % _VERSION
_HEAD, _FOOT = struct.Struct("<8sQ"), struct.Struct("<I")
_REMEDY = "resume from another checkpoint, or start the run again"

PLATFORM = f"{sys.platform} {os.uname().machine}"
"""Platform whose numbers and structures the blocks contain."""


class Rows(TypedDict):
    """The rows of a file that goes with a checkpoint."""

    path: str
    count: int
    first: int
    width: int
    checksum: int | None


class Head(TypedDict):
    """The header of a checkpoint."""

    jourdain: str
    platform: str
    time: float
    interval: float
    evaluated: NotRequired[str]
    not_compiled: NotRequired[str]
    inexact: NotRequired[bool]
    restarted: NotRequired[list[str]]
    values: list[tuple[int, str, float | int | bool | str | dict[str, str]]]
    warned: list[str]
    beside: list[dict[str, Any]]
    rows: Rows | None
    blocks: list[tuple[str, int]]


class Saved(NamedTuple):
    head: dict[str, Any]
    blocks: dict[str, np.ndarray]


def write(path: Path, head: Mapping[str, Any], blocks: Mapping[str, np.ndarray]) -> None:
    """Writes a complete checkpoint or none. The file takes its name when it is complete, and is safe from a power cut when the function
    returns."""
    text = json.dumps({**head, "blocks": [[name, block.nbytes] for name, block in blocks.items()]}).encode()
    with replaced(path) as file:
        checksum = 0
        for each in (memoryview(_HEAD.pack(_MAGIC, len(text))), memoryview(text), *(block.data for block in blocks.values())):
            _write_all(file.fileno(), each)
            checksum = zlib.crc32(each, checksum)
        _write_all(file.fileno(), memoryview(_FOOT.pack(checksum)))
        os.fsync(file.fileno())
    _store_name(path.parent)


def _write_all(file: int, data: memoryview) -> None:
    while data:
        data = data[os.write(file, data) :]


def _store_name(folder: Path) -> None:
    descriptor = os.open(folder, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def read(path: Path) -> Saved:
    """Returns the content that was written. Any other file raises ResultError, whose sentence says why."""
    try:
        require_file(path)
        data = path.read_bytes()
    except OSError as error:
        raise OSError(f"'{path}' cannot be read: {error.strerror}; give the path of a checkpoint") from None
    if not data.startswith(_FAMILY) or not data[len(_FAMILY) : 8].isdigit():
        begins = "it is empty" if not data else f"it begins with {shown(data[:8])} and not with {shown(_MAGIC)}"
        raise ResultError(f"'{path}' is no checkpoint: {begins}; give a file that simulate(checkpoint=...) has written")
    if int(data[len(_FAMILY) : 8]) > _VERSION:
        raise ResultError(
            f"'{path}' is a checkpoint in version {int(data[len(_FAMILY) : 8])} of the format, and this Jourdain reads version {_VERSION}; resume with the Jourdain that wrote "
            "it, or with a later one"
        )
    if len(data) < _HEAD.size + _FOOT.size or zlib.crc32(memoryview(data)[: -_FOOT.size]) != _FOOT.unpack(data[-_FOOT.size :])[0]:
        raise ResultError(f"'{path}' is damaged: its {len(data)} bytes are not as they were written; {_REMEDY}")
    length = _HEAD.unpack_from(data)[1]
    try:
        head = parsed(data[_HEAD.size : _HEAD.size + length])
    except ValueError:
        raise ResultError(f"'{path}' is damaged: its header is none; {_REMEDY}") from None
    why = misfit(head, Head)
    sizes = [] if why else [size for _, size in head["blocks"]]
    if not why and (min(sizes, default=0) < 0 or _HEAD.size + length + sum(sizes) + _FOOT.size != len(data)):
        why = "its blocks are not as long as the file"
    if not why and not head["interval"] >= 0:
        why = f"interval = {head['interval']:g}"
    if not why and not {"asked", "kernel"} <= {name for name, _ in head["blocks"]}:
        why = "blocks 'asked' and 'kernel' are not there"
    if why:
        raise ResultError(f"'{path}' has not the content that this Jourdain expects ({why}); {_REMEDY}")
    ends = np.cumsum([_HEAD.size + length, *sizes])
    return Saved(head, {name: np.frombuffer(data, np.uint8, size, at) for (name, size), at in zip(head["blocks"], ends, strict=False)})
