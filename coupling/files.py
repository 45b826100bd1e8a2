"""Files to which results, tables and pictures are written."""

from __future__ import annotations

import os
import re
import secrets
import stat
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from coupling.errors import shown

if sys.platform != "win32":
    import fcntl

_PART = re.compile(r"\.[0-9a-f]{12}\.part")
"""The end of the name of a file that is not complete yet."""


def file_path(path: str | os.PathLike[str], suffix: str, purpose: str = "written") -> Path:
    if not isinstance(path, str | os.PathLike) or "\0" in os.fspath(path):
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
        raise OSError(f"the {what} cannot be written to '{target}': {error.strerror}; choose another path") from None


def state_of(path: Path) -> tuple[int, int, int] | None:
    """Returns values that change when a file is written or replaced; None if it does not exist."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns


def open_part(target: Path) -> tuple[Path, int]:
    """Creates a file beside another one, which takes its name when it is complete; returns its path and its descriptor.

    Its name cannot be foretold, and no file or link that is there is opened. A lock tells other processes that it is in use.
    """
    part = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    file = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    with suppress(OSError):  # some file systems have no locks
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return part, file


def remove_parts(folder: Path, name: str) -> None:
    """Removes what processes that are gone have left half written, of files whose names match a pattern."""
    for part in folder.glob(f".{name}.*.part"):
        with suppress(OSError):
            if _PART.search(part.name) and _is_left(part):
                part.unlink()


def _is_left(part: Path) -> bool:
    file = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            return False
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    finally:
        os.close(file)
