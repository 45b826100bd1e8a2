"""Files that are kept: complete or absent after a power cut, and protected by a checksum against damage."""

from __future__ import annotations

import atexit
import errno
import hashlib
import io
import os
import shutil
import stat
import sys
import warnings
import zipfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from fmu_components.export.leftovers import own, remove, remove_parts, replaced

if sys.platform != "win32":
    import fcntl

_SUM = ".sha256"
_LOCK = ".lock"
_instead: dict[Path | None, Path] = {}
"""Temporary folders by the caches that they replace."""
_cleaned: set[Path] = set()
"""Folders from which this process has removed the incomplete files of others."""


def cache_folder() -> Path:
    """Returns the folder of FMUs that are built on demand: JOURDAIN_CACHE, or the user's cache folder; a temporary one if that is refused."""
    chosen = _chosen()
    if chosen is None and chosen not in _instead:
        take_temporary("there is no home folder for a cache")
    return _instead.get(chosen) or chosen or Path()


def take_temporary(why: str) -> None:
    """Takes a temporary folder of this process in place of a cache, which a warning says."""
    folder = _instead[_chosen()] = own("cache")
    atexit.register(remove, folder, os.getpid())
    warnings.warn(
        f"{why}; built files are kept in '{folder}' until this process ends: name a folder of your own in the environment variable JOURDAIN_CACHE",
        RuntimeWarning,
        stacklevel=2,
    )


def _chosen() -> Path | None:
    """Returns the folder that the user has chosen; None if there is no home folder."""
    chosen = os.environ.get("JOURDAIN_CACHE")
    if chosen:
        return Path(chosen)
    try:
        return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "jourdain"
    except RuntimeError:
        return None


def stranger(path: Path) -> Path | None:
    """Returns the place through which another user can have written a path of the cache; None if only the user and root can.

    A folder of the user's own that others may write is closed to them, as far as the path lies within it.
    """
    folders = _folders_of(path)
    return next((each for each in (path, *folders) if _is_of_others(each, each in folders)), None) if folders else None


def _folders_of(path: Path) -> Sequence[Path]:
    """Returns the folders of the cache in which a path lies, up to the cache itself."""
    root = _instead.get(_chosen()) or _chosen()
    if sys.platform == "win32" or root is None or not path.absolute().is_relative_to(root.absolute()):
        return ()
    return path.absolute().parents[: len(path.absolute().parts) - len(root.absolute().parts)]


def _is_of_others(place: Path, is_folder: bool) -> bool:
    try:
        link, found = os.lstat(place), os.stat(place)
    except OSError:  # nothing is there, or its reader is refused like this and says why
        return False
    others = found.st_mode & (stat.S_IWGRP | stat.S_IWOTH)
    if is_folder and others and found.st_uid == os.geteuid():
        os.chmod(place, stat.S_IMODE(found.st_mode) & ~others)  # as the user's own umask has left it
        others = 0
    shared = is_folder and found.st_mode & stat.S_ISVTX  # where nobody can rename what others own
    return not {link.st_uid, found.st_uid} <= {os.geteuid(), 0} or bool(others and not shared)


def _refuse_strangers(path: Path) -> None:
    if any(_is_of_others(each, True) for each in _folders_of(path)):
        raise PermissionError(errno.EACCES, "another user can write there", str(path))


def write(path: Path, content: bytes) -> None:
    """Writes a file that other processes may be reading or writing: it appears as a whole, and is on the disk before it has its name."""
    path.parent.mkdir(parents=True, exist_ok=True)
    _refuse_strangers(path)
    if path.parent not in _cleaned:
        _cleaned.add(path.parent)
        remove_parts(path.parent, "*")
    with replaced(path) as file:
        file.write(content)
        file.flush()
        os.fchmod(file.fileno(), 0o644)
        os.fsync(file.fileno())
    _synchronise(path.parent)


def write_summed(path: Path, content: bytes) -> None:
    """The same in a folder of the cache, with a checksum beside the file."""
    for each, data in ((path, content), (_sum_of(path), hashlib.sha256(content).hexdigest().encode())):
        clear_way(each, path.parent.parent)
        write(each, data)


def read_file(path: Path) -> bytes:
    """Returns the content of a file. Reading a device or a pipe may never end: it raises OSError."""
    if not path.is_file():
        raise OSError(errno.EINVAL, "no file")
    return path.read_bytes()


def read_summed(path: Path) -> bytes | None:
    """Returns the content of a file that was written with a checksum; None for a missing or changed file, and for one of another user."""
    if stranger(path) is not None:
        return None
    try:
        content, wanted = read_file(path), read_file(_sum_of(path))
    except OSError:
        return None
    return content if hashlib.sha256(content).hexdigest().encode() == wanted else None


def clear_way(path: Path, root: Path) -> None:
    """Removes what stands in the way of a file inside a folder ``root`` of the cache: a folder in its place, or a file in that of a folder."""
    _refuse_strangers(path)
    if path.is_dir() and not path.is_symlink():
        shutil.rmtree(path)
    for parent in path.parents:
        if parent == root:
            break
        if parent.exists() and not parent.is_dir():
            parent.unlink()


@contextmanager
def alone(folder: Path, root: Path) -> Iterator[None]:
    """Keeps other processes with the same task from writing into a folder of the cache. Any end of a process releases the folder.

    Without it, one process would replace the file that another has just made and begun to read.
    """
    clear_way(folder / _LOCK, root)
    folder.mkdir(parents=True, exist_ok=True)
    descriptor = os.open(folder / _LOCK, os.O_RDWR | os.O_CREAT, 0o644)
    try:
        if sys.platform != "win32":
            with suppress(OSError):  # some file systems have no locks; the file is written as a whole all the same
                fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)


def _sum_of(path: Path) -> Path:
    return path.with_name(path.name + _SUM)


def _synchronise(folder: Path) -> None:
    """Makes names last; some file systems have no way to do so for folders."""
    with suppress(OSError):
        descriptor = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(descriptor)
        finally:
            os.close(descriptor)


DIGITS = 64
"""The length of a checksum."""


def key_of(path: Path) -> str | None:
    """The key with which an archive was written; None for a missing or changed archive, and for one of another user."""
    if stranger(path) is not None:
        return None
    try:
        content = read_file(path)
    except OSError:
        return None
    digest = content[-DIGITS:]
    try:
        with zipfile.ZipFile(io.BytesIO(content)) as archive:
            comment = archive.comment
    # The last is how zipfile answers damage that looks like a newer version or another compression.
    except (zipfile.BadZipFile, ValueError, NotImplementedError):
        return None
    if hashlib.sha256(content[: -len(comment)]).hexdigest().encode() != digest or not comment.endswith(b" " + digest):
        return None
    return comment[: -DIGITS - 1].decode(errors="replace")
