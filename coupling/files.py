"""Files that are written, and temporary folders, under the names by which this package has them."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import TypeGuard

from coupling.errors import shown
from fmu_components.export.kept import cache_folder as cache_root
from fmu_components.export.kept import read_file, stranger
from fmu_components.export.leftovers import hold, open_part, own, release, remove, remove_parts, replaced, scratch, sweep
from fmu_components.export.remedies import is_limit, remedy, remedy_in

__all__ = [
    "cache_root",
    "file_path",
    "hold",
    "is_limit",
    "is_path",
    "open_part",
    "own",
    "read_file",
    "release",
    "remedy",
    "remedy_in",
    "remove",
    "remove_parts",
    "replaced",
    "require_file",
    "scratch",
    "state_of",
    "stranger",
    "sweep",
    "written",
]


def is_path(value: object) -> TypeGuard[str | os.PathLike[str]]:
    """Says whether a value is a path that the file system can have, and names a file."""
    name = os.fspath(value) if isinstance(value, str | os.PathLike) else b""
    try:
        return isinstance(name, str) and b"\0" not in os.fsencode(name) and bool(Path(name).name)
    except UnicodeEncodeError:
        return False


def require_file(path: Path) -> None:
    """Refuses a device, a pipe and a socket: reading them may never end."""
    mode = path.stat().st_mode
    if not (stat.S_ISREG(mode) or stat.S_ISDIR(mode)):
        raise OSError(errno.EINVAL, "it is a device, a pipe or a socket, and no file")


def file_path(path: str | os.PathLike[str], suffix: str, purpose: str = "written") -> Path:
    if not is_path(path):
        raise TypeError(f"{shown(path)} is no path; give that of the file to be {purpose}, such as 'result{suffix}'")
    return Path(path)


@contextmanager
def written(target: Path, what: str = "result") -> Iterator[None]:
    """Reports a path that cannot be written, and removes the part that was begun there."""
    before = state_of(target)
    try:
        yield
    except OSError as error:
        if target.is_file() and state_of(target) != before:
            Path(os.path.realpath(target)).unlink(missing_ok=True)
        raise OSError(f"the {what} cannot be written to '{target}': {error.strerror}; {remedy(error)}") from None


def state_of(path: Path) -> tuple[int, int, int] | None:
    """Returns values that change when a file is written or replaced; None if it does not exist."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
