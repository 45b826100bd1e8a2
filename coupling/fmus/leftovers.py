"""Folders that last as long as a process. Each is locked while the process lives; the next process removes unlocked ones."""

from __future__ import annotations

import os
import shutil
import stat
import sys
import tempfile
import time
from contextlib import suppress
from pathlib import Path

if sys.platform != "win32":
    import fcntl

PREFIX = "jourdain-"
"""Prefix of all such folders for temporary files, those of ``fmu_components.export.kept`` included."""
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
            if _is_left(folder):
                remove(folder)


def _is_left(folder: Path) -> bool:
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
