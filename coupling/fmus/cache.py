"""Cache of unpacked FMUs: one folder for each content, for all runs and processes. FMUs that write into their folder have their own.

An entry is filled beside its place and renamed, and is therefore complete if it exists. Checksums of its files reveal damage, after which
the entry is filled anew. A process that uses an entry holds a shared lock on its file ``.lock`` until the process ends, however it ends. A
process that cleans needs an exclusive lock. Unfinished folders are the subject of ``leftovers.py``.
"""

from __future__ import annotations

import atexit
import os
import secrets
import sys
import tempfile
import warnings
from collections.abc import Callable, Iterator
from contextlib import suppress
from enum import Enum
from pathlib import Path
from threading import RLock

from coupling.files import cache_root, hold, own, read_file, release, remedy, remove, stranger, sweep
from coupling.fmus.archive import UnpackingFailed, sha256

if sys.platform != "win32":
    import fcntl

LIMIT = 2 * 2**30
"""Bytes that all entries may take together; above that the oldest ones are removed."""
_LOCK = ".lock"
_ATTEMPTS = 10
_SUMMED = 64 * 2**20
"""Size in bytes up to which a file is identified by its digest."""
_held: dict[Path, int] = {}
"""File descriptors of locks by entry."""
_of_process: dict[str, Path] = {}
_refused: set[Path] = set()
"""Folders of entries that other users can write, of which a warning has told."""
_lock = RLock()

Fill = Callable[[Path], None]
"""Function that writes the content into an existing empty folder."""


class Sharing(Enum):
    """Users of the unpacked files of an FMU."""

    MACHINE = "machine"
    """All processes, which only read the files."""
    PROCESS = "process"
    """One process alone: a tool that the FMU starts, or the FMU itself, may write the files."""
    ALONE = "alone"
    """One object of :class:`coupling.fmus.Fmu`."""


def cache_folder() -> Path:
    """Returns the cache folder, beside the FMUs that are built on demand."""
    return cache_root() / "fmus"


def shared_folder(digest: str, platform: str, name: str, fill: Fill) -> Path:
    """Returns the read-only folder of a content, or one of this process if the machine offers no place for it."""
    with _lock:
        try:
            found = _entry(cache_folder().absolute() / platform / digest, fill)
        except OSError:  # no room, no right to write, no locks
            found = None
        return found or folder_of_process(digest, name, fill)


def let_go(folder: Path) -> None:
    """Allows that a folder which this process no longer uses is cleaned. Its lock is an open file, and open files are limited."""
    with _lock:
        lock = _held.pop(folder, None)
        if lock is not None:
            os.close(lock)


def folder_of_process(digest: str, name: str, fill: Fill) -> Path:
    """Returns the folder of a content that this process may write into; it is removed when the process ends."""
    with _lock:
        known = _of_process.get(digest)
        if known is None or not known.is_dir():
            known = own_folder(name, fill)
            atexit.register(remove, known, os.getpid())
            _of_process[digest] = known
        return known


def own_folder(name: str, fill: Fill) -> Path:
    """Returns a new folder, which the caller has to remove. If it cannot be made or filled, UnpackingFailed is raised."""
    folder = None
    try:
        folder = own(name)
        fill(folder)
    except BaseException as error:
        if folder is not None:
            remove(folder)
        if not isinstance(error, OSError) or isinstance(error, UnpackingFailed):
            raise
        raise UnpackingFailed(
            f"'{name}' cannot be unpacked into the temporary folder '{tempfile.gettempdir()}': {error.strerror or error}; "
            f"{remedy(error, 'name another folder in the environment variable TMPDIR')}"
        ) from None
    return folder


def _entry(entry: Path, fill: Fill) -> Path | None:
    if sys.platform == "win32":
        return None
    if entry in _held:
        if _is_lock_of(_held[entry], entry):
            return entry
        os.close(_held.pop(entry))  # the cache was emptied by hand
    entry.parent.mkdir(parents=True, exist_ok=True)
    if os.statvfs(entry.parent).f_flag & os.ST_NOEXEC:
        return None
    for _ in range(_ATTEMPTS):
        if not _is_trusted(entry):
            return None
        if _hold(entry):
            if _is_whole(entry):
                return entry
            os.close(_held.pop(entry))
            _drop(entry)
        elif os.path.lexists(entry) and not (entry / _LOCK).is_file():  # else another process was faster
            _drop(entry)
        _publish(entry, fill)
    return None


def _is_trusted(entry: Path) -> bool:
    """Says whether only the user and root can have written an entry, or put it there. A warning says once that another user can."""
    folder = stranger(entry)
    if folder is not None and entry.parent not in _refused:
        _refused.add(entry.parent)
        warnings.warn(
            f"'{folder}' can be written by another user, and is not used; FMUs are unpacked anew: name a folder of your own in the environment "
            "variable JOURDAIN_CACHE",
            RuntimeWarning,
            stacklevel=2,
        )
    return folder is None


if sys.platform != "win32":

    def _hold(entry: Path) -> bool:
        """Keeps an entry from being cleaned, and says whether it exists."""
        try:
            lock = os.open(entry / _LOCK, os.O_RDONLY | os.O_NONBLOCK)
        except (FileNotFoundError, NotADirectoryError, IsADirectoryError):
            return False
        try:
            fcntl.flock(lock, fcntl.LOCK_SH)
            if not _is_lock_of(lock, entry):  # it was cleaned in between
                os.close(lock)
                return False
        except BaseException:
            os.close(lock)
            raise
        # An entry of another user can be read but not touched; it only looks older than it is.
        with suppress(OSError):
            os.utime(lock)
        _held[entry] = lock
        return True

    def _clean(folder: Path) -> None:
        """Removes the oldest entries that no process holds, and the leftovers of killed processes."""
        entries = sorted(_entries(folder))
        room = LIMIT - sum(size for _, size, _ in entries)
        for _, size, entry in entries:
            if room >= 0:
                break
            lock = os.open(entry / _LOCK, os.O_RDONLY | os.O_NONBLOCK)
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
                if _is_lock_of(lock, entry):
                    _drop(entry)
                    room += size
            except OSError:
                pass  # it is in use
            finally:
                os.close(lock)
        sweep(folder, ".")


def _is_lock_of(lock: int, entry: Path) -> bool:
    try:
        return os.path.samestat(os.fstat(lock), os.stat(entry / _LOCK))
    except OSError:
        return False


def _drop(entry: Path) -> None:
    """Removes an entry, or what stands in its place; who uses its files keeps them open."""
    gone = entry.with_name(f".{entry.name[:12]}-{secrets.token_hex(8)}")  # beside it: its own folder may be read-only
    # Another process may have dropped it at the same moment.
    with suppress(FileNotFoundError):
        entry.rename(gone)
    if gone.is_dir():
        remove(gone)
    else:
        gone.unlink(missing_ok=True)


def _inventory(folder: Path) -> str:
    """Returns the text of the lock: the size of all files, then that of each, with its digest. Large files have no digest."""
    lines, together = [], 0
    for path in sorted(each for each in folder.rglob("*") if each.is_file() and each != folder / _LOCK):
        size = path.stat().st_size
        digest = sha256(path) if size <= _SUMMED else ""
        lines.append(f"{size} {digest} {path.relative_to(folder).as_posix()}")
        together += size
    return "\n".join([str(together), *lines])


def _is_whole(entry: Path) -> bool:
    """Says whether an entry is as it was written."""
    try:
        return read_file(entry / _LOCK).decode() == _inventory(entry)
    except (OSError, UnicodeDecodeError):
        return False


def _publish(entry: Path, fill: Fill) -> None:
    """Fills an entry, unless another process is first."""
    scratch = Path(tempfile.mkdtemp(prefix=f".{entry.name[:12]}-", dir=entry.parent))
    try:
        hold(scratch)
        fill(scratch)
        (scratch / _LOCK).write_text(_inventory(scratch))
        _seal(scratch)
        try:
            scratch.rename(entry)
        except OSError:
            if not entry.is_dir():
                raise
            remove(scratch)
            return
    except BaseException:
        remove(scratch)
        raise
    finally:
        release(scratch)
    _synchronise(entry.parent)
    # The entry is there; that old ones could not be removed is for the next process to try again.
    with suppress(OSError):
        _clean(entry.parent)


def _seal(folder: Path) -> None:
    """Makes all files read-only, and writes them to the disk before the folder gets its name."""
    for each, _, files in os.walk(folder, topdown=False):
        for file in (Path(each) / name for name in files):
            _synchronise(file)
            file.chmod(0o555 if file.stat().st_mode & 0o100 else 0o444)
        _synchronise(Path(each))
        os.chmod(each, 0o555)


def _synchronise(path: Path) -> None:
    descriptor = os.open(path, os.O_RDONLY)
    try:
        os.fsync(descriptor)
    finally:
        os.close(descriptor)


def _entries(folder: Path) -> Iterator[tuple[float, int, Path]]:
    """Yields the time at which each entry was last used, its size and its path."""
    for entry in folder.iterdir():
        # Another process may remove or write it at this moment: then it is not among the old ones.
        with suppress(OSError, ValueError):
            if not entry.name.startswith("."):
                yield (entry / _LOCK).stat().st_mtime, int(read_file(entry / _LOCK).decode().partition("\n")[0]), entry
