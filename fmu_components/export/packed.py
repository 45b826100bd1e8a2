"""Archives of FMUs: packed the same way every time, and kept in the cache."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TypeVar

from fmu_components.export import kept
from fmu_components.export.compile import ExportError
from fmu_components.export.remedies import is_read_only, refused_place

T = TypeVar("T")

_EARLIEST = (1980, 1, 1, 0, 0, 0)
_LARGE = 400_000
"""Bytes of a file from which the last per cent would take most of the time."""


def write(path: Path, files: Mapping[str, bytes], key: str) -> None:
    """Packs the files reproducibly. The archive's comment holds the key of the content and a checksum; it appears only with a whole file."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.comment = _comment(key, "0" * kept.DIGITS)
        for name in sorted(files, key=lambda n: (n != "modelDescription.xml", n)):
            entry = zipfile.ZipInfo(name, _EARLIEST)
            entry.compress_type = zipfile.ZIP_DEFLATED
            entry.external_attr = 0o644 << 16
            archive.writestr(entry, files[name], compresslevel=9 if len(files[name]) < _LARGE else 6)
    content = packed.getvalue()[: -len(_comment(key, "0" * kept.DIGITS))]
    if kept.key_of(path) != key:  # another process may have been faster, and be using its file by now
        kept.write(path, content + _comment(key, hashlib.sha256(content).hexdigest()))


def _comment(key: str, digest: str) -> bytes:
    return f"{key} {digest}".encode()


def place_of(name: str, fmi: int, key: str) -> Path:
    """Returns the path in the cache of a component's FMU with this key."""
    return kept.cache_folder() / key[:24] / f"fmi{fmi}" / f"{name}.fmu"


@contextmanager
def made_alone(name: str, target: Path) -> Iterator[None]:
    """Lets one process at a time make a component's FMU at its place in the cache; turns a file system's refusal into a sentence."""
    root = kept.cache_folder()
    with refusals(name):
        kept.clear_way(target, root)
        with kept.alone(target.parents[1], root):
            yield


class ReadOnly(ExportError):
    """A cache that refuses all files."""


@contextmanager
def refusals(name: str) -> Iterator[None]:
    """Turns a refusal of the file system into a sentence on the FMU that was to be built."""
    try:
        yield
    except OSError as error:
        kind = ReadOnly if is_read_only(error) else ExportError
        raise kind(f"the FMU of '{name}' cannot be kept in {refused_place(error, kept.cache_folder())}") from None


def anywhere(make: Callable[[], T]) -> T:
    """Returns the result of a function that writes into the cache, or into a temporary folder if the cache is read-only."""
    try:
        return make()
    except ReadOnly as error:
        kept.take_temporary(str(error).partition(";")[0])
        return make()
