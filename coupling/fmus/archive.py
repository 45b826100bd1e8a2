"""The files in the archive that an FMU is: reading those that describe it, and unpacking those that it needs at run time."""

from __future__ import annotations

import hashlib
import platform
import re
import shutil
import sys
import zipfile
import zlib
from collections.abc import Iterable
from pathlib import Path, PurePosixPath, PureWindowsPath

from coupling.fmus.errors import FmuError

_DAMAGED = (zipfile.BadZipFile, zlib.error, EOFError, RuntimeError)  # the last: encrypted, or packed in an unusual way
_SUFFIXES = {"win32": ".dll", "cygwin": ".dll", "darwin": ".dylib"}
_NOT_NEEDED = ("documentation", "sources")


def read_members(path: Path, wanted: Iterable[str]) -> tuple[dict[str, bytes], list[str]]:
    """The content of those files of an archive that are ``wanted`` and there, and the names of all."""
    try:
        with zipfile.ZipFile(path) as archive:
            names = {_slashed(name): name for name in archive.namelist()}
            return {name: archive.read(names[name]) for name in wanted if name in names}, list(names)
    except (*_DAMAGED, OSError) as error:
        raise _damaged(path, error) from None


def file_stamp(path: Path) -> tuple[int, int]:
    """Size and time of change of a file, by which a change of its content is noticed."""
    status = path.stat()
    return status.st_size, status.st_mtime_ns


def find_library(path: Path, folder: Path, version: int, identifier: str) -> Path:
    """The binary for this platform among the unpacked files."""
    suffix = _SUFFIXES.get(sys.platform, ".so")
    for name in platform_folders(version):
        binary = folder / "binaries" / name / f"{identifier}{suffix}"
        if binary.is_file():
            return binary
    raise _no_binary(path, version, f"{identifier}{suffix}")


def _no_binary(path: Path, version: int, wanted: str) -> FmuError:
    with zipfile.ZipFile(path) as archive:
        names = [_slashed(name) for name in archive.namelist()]
    inside = [name.removeprefix("binaries/") for name in names if re.fullmatch(r"binaries/[^/]+/[^/]+\.(so|dll|dylib)", name)]
    has = f"it has {', '.join(sorted(inside))}" if inside else "it has none at all"
    remedy = "export it for this platform"
    if any(name.startswith("sources/") and name.endswith((".c", ".cpp", ".cc")) for name in names):
        remedy += f", or build it from the sources inside: fmpy compile '{path}'"
    return FmuError(f"'{path}' has no binary {platform_folders(version)[0]}/{wanted} for this platform, {has}; {remedy}")


def platform_folders(version: int) -> list[str]:
    """The folders that may hold binaries for this platform, the version's own name first."""
    system = {"win32": "windows", "cygwin": "windows", "darwin": "darwin"}.get(sys.platform, "linux")
    machine = platform.machine().lower()
    architecture = {"amd64": "x86_64", "arm64": "aarch64", "i386": "x86", "i686": "x86"}.get(machine, machine)
    if architecture == "x86_64" and sys.maxsize < 2**32:
        architecture = "x86"
    names = [f"{architecture}-{system}"]
    if architecture in ("x86", "x86_64"):
        short = {"windows": "win"}.get(system, system) + ("64" if architecture == "x86_64" else "32")
        names.insert(0 if version == 2 else 1, short)
    return names


def sha256(path: Path) -> str:
    """The digest of a file's content."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def unpack(path: Path, folder: Path, version: int) -> None:
    """Writes what the FMU needs at run time on this platform into a folder."""
    platforms = platform_folders(version)
    if version == 2:
        (folder / "resources").mkdir()  # FMI 2 has no way to say that there is none
    try:
        with zipfile.ZipFile(path) as archive:
            members = {_slashed(info.filename): info for info in archive.infolist() if not info.is_dir()}
            for name in members:
                _refuse_escape(name, path)
            for name, info in members.items():
                first, *others = name.split("/")
                if first in _NOT_NEEDED or (first == "binaries" and others[0] not in platforms):
                    continue
                target = folder / name
                target.parent.mkdir(parents=True, exist_ok=True)
                with archive.open(info) as packed, target.open("wb") as file:
                    shutil.copyfileobj(packed, file)
                if info.external_attr >> 16 & 0o111:
                    target.chmod(0o700)  # a program that a link to a tool starts
    except _DAMAGED as error:
        raise _damaged(path, error) from None


def _refuse_escape(name: str, path: Path) -> None:
    if PurePosixPath(name).is_absolute() or PureWindowsPath(name).drive or ".." in name.split("/"):
        raise FmuError(
            f"'{path}' would write the file '{name}' outside its own folder, and is not unpacked; get it from a source you trust"
        )


def _damaged(path: Path, error: Exception) -> FmuError:
    return FmuError(f"'{path}' is not a zip archive that can be read ({error}); copy or export the FMU again")


def _slashed(name: str) -> str:
    """The name of a member of an archive; some tools write Windows' separators."""
    return name.replace("\\", "/")
