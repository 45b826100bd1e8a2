"""Files in the archive of an FMU: those that describe it are read, and those that it needs at run time are unpacked."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import shutil
import struct
import sys
import zipfile
import zlib
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path, PurePosixPath, PureWindowsPath

from coupling.errors import shown
from coupling.files import is_limit, remedy
from coupling.fmus.errors import FmuError

DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)  # the last: encrypted, or packed in an unusual way
_SUFFIXES = {"win32": ".dll", "cygwin": ".dll", "darwin": ".dylib"}
_NOT_NEEDED = ("documentation", "sources")


class UnpackingFailed(FmuError, OSError):
    """The files of an FMU cannot be written: room or permission is missing."""


_LIMIT = "JOURDAIN_UNPACK_LIMIT"
_MOST, _DESCRIBING, _MOST_FILES = 2.0, 1 / 8, 100_000
"""Limits of an unpacked FMU: its size in GiB, the share of that for each file that describes it, and the number of its files."""


def unpacking_limit() -> int:
    """Returns the bytes that an unpacked FMU may take, from the environment variable JOURDAIN_UNPACK_LIMIT, in GiB."""
    given = os.environ.get(_LIMIT) or str(_MOST)
    try:
        limit = float(given)
    except ValueError:
        limit = -1.0
    if not 0 < limit < 2**33:
        raise FmuError(f"{_LIMIT} = '{given}' is refused: give the GiB that an FMU may take when it is unpacked, such as 4")
    return int(limit * 2**30)


def check_size(path: Path, what: str, size: int, limit: int) -> None:
    if size > limit:
        raise FmuError(
            f"'{path}' {what} {_shown_size(size)} when unpacked, and no more than {_shown_size(limit)} may be taken; get it from a source you "
            f"trust, or raise the limit by the environment variable {_LIMIT}, in GiB (now {unpacking_limit() / 2**30:.3g})"
        )


def _shown_size(size: float) -> str:
    for unit in ("bytes", "KiB", "MiB"):
        if size < 1024:
            return f"{size:.4g} {unit}"
        size /= 1024
    return f"{size:.4g} GiB"


def read_members(path: Path, wanted: Iterable[str]) -> tuple[dict[str, bytes], list[str]]:
    """Returns the content of those ``wanted`` files of an archive that exist, and the names of all files."""
    try:
        with zipfile.ZipFile(path) as archive:
            members = {_slashed(info.filename): info for info in archive.infolist()}
            found = {name: members[name] for name in wanted if name in members}
            for name, info in found.items():
                check_size(path, f"has a {name} of", info.file_size, int(unpacking_limit() * _DESCRIBING))
            return {name: archive.read(info) for name, info in found.items()}, list(members)
    except (*DAMAGED, OSError) as error:
        raise _damaged(path, error) from None


def file_stamp(path: Path) -> tuple[int, int]:
    """Returns size and time of change of a file, by which a change of its content is noticed."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def find_library(folder: Path, version: int, identifier: str) -> Path | None:
    """Returns the binary for this platform among the unpacked files; None if it is missing."""
    suffix = _SUFFIXES.get(sys.platform, ".so")
    for name in platform_folders(version):
        binary = folder / "binaries" / name / f"{identifier}{suffix}"
        with suppress(OSError):  # an identifier may be longer than a file's name
            if binary.is_file():
                return binary
    return None


def no_binary(path: Path, version: int, identifier: str, names: Sequence[str], remedy: str) -> FmuError:
    """Returns the error on an FMU with such files that has no binary for this platform."""
    wanted = f"{shown(identifier)[1:-1]}{_SUFFIXES.get(sys.platform, '.so')}"
    inside = [name.removeprefix("binaries/") for name in names if re.fullmatch(r"binaries/[^/]+/[^/]+\.(so|dll|dylib)", name)]
    has = f"it has {', '.join(sorted(inside))}" if inside else "it has none at all"
    return FmuError(f"'{path}' has no binary {platform_folders(version)[0]}/{wanted} for this platform, {has}; {remedy}")


def platform_folders(version: int) -> list[str]:
    """Returns the folders that may hold binaries for this platform, the version's own name first."""
    system = {"win32": "windows", "cygwin": "windows", "darwin": "darwin"}.get(sys.platform, "linux")
    machine = platform.machine().lower()
    architecture = {"amd64": "x86_64", "arm64": "aarch64", "i386": "x86", "i686": "x86"}.get(machine, machine)
    if architecture == "x86_64" and sys.maxsize < 2**32:
        architecture = "x86"
    names = [f"{architecture}-{system}"]
    if architecture in ("x86", "x86_64"):
        short = {"windows": "win"}.get(system, system) + ("64" if architecture == "x86_64" else "32")
        names.insert(0 if version < 3 else 1, short)
    return names


def is_noexec(folder: Path) -> bool:
    """Says whether the folder lies on a file system from which no program may be run."""
    return hasattr(os, "statvfs") and bool(os.statvfs(folder).f_flag & os.ST_NOEXEC)


_ELF, _HEADER = b"\x7fELF\x02\x01", "<16xHHIQQQIHHHHHH"


def check_complete(library: Path) -> None:
    """Raises OSError for a binary of Linux that is shorter than its tables say; loading it would end the process."""
    size = library.stat().st_size
    with library.open("rb") as file:
        head = file.read(struct.calcsize(_HEADER))
        if not head.startswith(_ELF) or len(head) < struct.calcsize(_HEADER):
            return
        _, _, _, _, programs, sections, _, _, program_size, program_count, section_size, section_count, _ = struct.unpack(_HEADER, head)
        needed = max(programs + program_size * program_count, sections + section_size * section_count)
        for place in range(programs, programs + program_size * program_count, program_size or 1):
            file.seek(place)
            entry = file.read(40)
            if len(entry) == 40:
                offset, stored = struct.unpack("<8xQ16xQ", entry)
                needed = max(needed, offset + stored)
    if needed > size:
        raise OSError(f"the file ends after {size} bytes, and its tables name {needed}: it was cut")


def sha256(path: Path) -> str:
    """Returns the digest of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def unpack(path: Path, folder: Path, version: int, wanted: Callable[[str], bool] | None = None) -> None:
    """Writes the ``wanted`` files of an FMU into a folder; without a choice those that it needs at run time on this platform."""
    platforms = platform_folders(version)
    if version == 2:
        (folder / "resources").mkdir()  # FMI 2 has no way to say that there is none
    try:
        with zipfile.ZipFile(path) as archive:
            members = {_slashed(info.filename): info for info in archive.infolist() if info.filename and not info.is_dir()}
            for name in members:
                refuse_escape(name, path)
            needed = {name: info for name, info in members.items() if (wanted(name) if wanted else _is_needed(name, platforms))}
            check_size(path, "takes", sum(info.file_size for info in needed.values()), unpacking_limit())
            if len(needed) > _MOST_FILES:
                raise FmuError(
                    f"'{path}' holds {len(needed)} files, and no more than {_MOST_FILES} are unpacked; get it from a source you trust"
                )
            for name, info in needed.items():
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(info) as packed, target.open("wb") as file:
                    shutil.copyfileobj(packed, file)
                if info.external_attr >> 16 & 0o111:
                    target.chmod(0o700)  # a program that a link to a tool starts
    except DAMAGED as error:
        raise _damaged(path, error) from None
    except OSError as error:
        if not is_limit(error):
            raise FmuError(
                f"'{path}' holds the file {shown(name)}, which cannot be written here: {error.strerror or error}; export the FMU again, or take "
                "the file out of the archive"
            ) from None
        raise UnpackingFailed(
            f"'{path}' cannot be unpacked into '{folder}': {error.strerror}; "
            f"{remedy(error, 'name other folders in the environment variables JOURDAIN_CACHE and TMPDIR')}"
        ) from None


def _is_needed(name: str, platforms: Sequence[str]) -> bool:
    first, *others = name.split("/")
    return first not in _NOT_NEEDED and (first != "binaries" or (bool(others) and others[0] in platforms))


def refuse_escape(name: str, path: Path) -> None:
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).drive or ".." in name.split("/"):
        raise FmuError(
            f"'{path}' would write the file '{name}' outside its own folder, and is not unpacked; get it from a source you trust"
        )


def _damaged(path: Path, error: Exception) -> FmuError:
    return FmuError(f"'{path}' is not a zip archive that can be read ({error}); copy or export the FMU again")


def _slashed(name: str) -> str:
    """Returns the name of a member of an archive with slashes; some tools write the separators of Windows."""
    return name.replace("\\", "/")
