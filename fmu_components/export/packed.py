"""Archives of FMUs: packed the same way every time, and kept in the cache."""

from __future__ import annotations

import hashlib
import io
import zipfile
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path

from fmu_components.export import kept
from fmu_components.export.compile import ExportError

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
    try:
        kept.clear_way(target, root)
        with kept.alone(target.parents[1], root):
            yield
    except OSError as error:
        raise ExportError(
            f"the FMU of '{name}' cannot be kept in '{root}': {error.strerror or error}; make room there, or name "
            "another folder in the environment variable JOURDAIN_CACHE"
        ) from None
