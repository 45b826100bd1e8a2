"""Temporary folders and incomplete files. Each is locked while its process lives; the next process removes unlocked ones."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import stat
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from io import BufferedRandom
from pathlib import Path

if sys.platform != "win32":
    import fcntl

PREFIX = "jourdain-"
"""Prefix of all such folders for temporary files."""
_PART = re.compile(r"\.[0-9a-f]{12}\.part")
"""End of the name of an incomplete file."""
_FRESH = 10.0
"""Seconds after which the maker of a folder has locked it."""
_LOCKLESS = 7 * 24 * 3600.0
"""Seconds after which a folder is left over where file systems have no locks."""
_held: dict[Path, int] = {}
"""File descriptors of locks, by folder."""
_swept: set[int] = set()
"""Number of this process, once it has removed the folders that others have left; a child has another number."""


def own(name: str) -> Path:
    """Returns a new folder for temporary files of this process."""
    if os.getpid() not in _swept:
        _swept.add(os.getpid())
        sweep(Path(tempfile.gettempdir()), PREFIX)
    folder = Path(tempfile.mkdtemp(prefix=f"{PREFIX}{name}-")).resolve()
    hold(folder)
    return folder


@contextmanager
def scratch() -> Iterator[Path]:
    """A folder for temporary files, which is removed at the end."""
    folder = own("build")
    try:
        with _named(folder / "a file"):
            yield folder
    finally:
        remove(folder)


@contextmanager
def _named(place: Path) -> Iterator[None]:
    """Gives errors within the name of their place: those of writing to an open file have none."""
    try:
        yield
    except OSError as error:
        if error.errno is not None and error.filename is None:
            error.filename = str(place)
        raise


def hold(folder: Path) -> None:
    """Says that a folder is in use, until it is removed or the process ends."""
    if sys.platform != "win32":
        _held[folder] = os.open(folder, os.O_RDONLY)
        with suppress(OSError):  # some file systems have no locks; then its age counts
            fcntl.flock(_held[folder], fcntl.LOCK_SH)


def release(folder: Path) -> None:
    """Releases a folder that is no longer in use."""
    if folder in _held:
        os.close(_held.pop(folder))


def remove(folder: Path, owner: int | None = None) -> None:
    """Removes a folder, also one that is read-only; not in a child process, which inherits the duty of its ``owner``."""
    if owner is None or os.getpid() == owner:
        for each, _, _ in os.walk(folder):
            # A later run removes the rest; this run must not fail, since its work is done.
            with suppress(OSError):
                os.chmod(each, 0o700)
        shutil.rmtree(folder, ignore_errors=True)
        release(folder)


def sweep(parent: Path, prefix: str) -> None:
    """Removes the folders of ended processes, except unreadable ones and those of other users."""
    for folder in parent.glob(f"{prefix}*"):
        with suppress(OSError):
            if _is_left_folder(folder):
                remove(folder)


def _is_left_folder(folder: Path) -> bool:
    found = folder.lstat()
    age = time.time() - found.st_mtime
    if sys.platform == "win32" or not stat.S_ISDIR(found.st_mode) or found.st_uid != os.geteuid() or age < _FRESH:
        return False
    descriptor = os.open(folder, os.O_RDONLY | os.O_NOFOLLOW)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    except BlockingIOError:
        return False
    except OSError:
        return age > _LOCKLESS
    finally:
        os.close(descriptor)


def open_part(target: Path) -> tuple[Path, int]:
    """Creates a file beside another one, which takes its name when it is complete; returns its path and its descriptor.

    Its name cannot be foretold, and no file or link that is there is opened. A lock tells other processes that it is in use.
    """
    part = target.with_name(f".{target.name}.{secrets.token_hex(6)}.part")
    file = os.open(part, os.O_RDWR | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC | os.O_NOFOLLOW, 0o666)
    with suppress(OSError):  # some file systems have no locks
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
    return part, file


@contextmanager
def replaced(target: Path) -> Iterator[BufferedRandom]:
    """Opens a file that replaces another one once it is complete. An incomplete one is removed."""
    part, descriptor = open_part(target)
    try:
        with _named(target), open(descriptor, "w+b") as file:
            yield file
        part.replace(target)
    except BaseException:
        part.unlink(missing_ok=True)
        raise


def remove_parts(folder: Path, name: str) -> None:
    """Removes incomplete files that ended processes have left, of files whose names match a pattern."""
    for part in folder.glob(f".{name}.*.part"):
        with suppress(OSError):
            if _PART.search(part.name) and _is_left_part(part):
                part.unlink()


def _is_left_part(part: Path) -> bool:
    file = os.open(part, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        found = os.fstat(file)
        if not stat.S_ISREG(found.st_mode) or found.st_uid != os.geteuid():
            return False
        fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return True
    finally:
        os.close(file)
