"""The glibc that a wheel's libraries need, compared with the wheel's tag; ``make wheel`` runs it: ``python -m tests.support.glibc FILE.whl``."""

from __future__ import annotations

import io
import re
import struct
import sys
import tarfile
import zipfile
from collections.abc import Iterator
from pathlib import Path

Version = tuple[int, ...]
_NEEDED_VERSIONS = 0x6FFFFFFE  # SHT_GNU_verneed
_RELATIVE = "GLIBC_ABI_DT_RELR"
"""A name that glibc has from 2.36 on, for a denser form of relocations."""
_FIRST_TAGS = {"manylinux1": (2, 5), "manylinux2010": (2, 12), "manylinux2014": (2, 17)}


def glibc_needed(library: bytes) -> Version:
    """Returns the newest version of glibc that names a 64-bit ELF file's symbols; () where it asks for none."""
    (sections,) = struct.unpack_from("<Q", library, 0x28)
    size, count = struct.unpack_from("<HH", library, 0x3A)
    headers = [struct.unpack_from("<IIQQQQIIQQ", library, sections + size * i) for i in range(count)]
    found: list[Version] = [()]
    for _, kind, _, _, place, _, linked, entries, _, _ in headers:
        if kind != _NEEDED_VERSIONS:
            continue
        names = headers[linked][4]
        for _ in range(entries):
            _, versions, _, first, following = struct.unpack_from("<HHIII", library, place)
            at = place + first
            for _ in range(versions):
                _, _, _, name, step = struct.unpack_from("<IHHII", library, at)
                text = library[names + name : library.index(b"\0", names + name)].decode()
                if text.startswith("GLIBC_2") or text == _RELATIVE:
                    found.append((2, 36) if text == _RELATIVE else _version(text.removeprefix("GLIBC_")))
                at += step
            place += following
    return max(found)


def glibc_promised(wheel: Path) -> Version:
    """Returns the oldest glibc that the tag of a wheel names; it need not have a newer one."""
    tags = wheel.stem.split("-")[-1].split(".")
    named = [_version(f"2.{found[1]}") for tag in tags if (found := re.fullmatch(r"manylinux_2_(\d+)_x86_64", tag))]
    named += [version for tag in tags for name, version in _FIRST_TAGS.items() if tag == f"{name}_x86_64"]
    if not named:
        raise SystemExit(f"the tag of '{wheel.name}' names no version of glibc; repair the wheel with auditwheel")
    return min(named)


def libraries(wheel: Path) -> Iterator[tuple[str, bytes]]:
    """Yields the names and contents of the ELF files in a wheel, and of those in its archives."""
    with zipfile.ZipFile(wheel) as archive:
        for name in archive.namelist():
            content = archive.read(name)
            inside = [(name, content)]
            if name.endswith(".tar.xz"):
                with tarfile.open(fileobj=io.BytesIO(content)) as pack:
                    inside = [(f"{name}/{member.name}", pack.extractfile(member).read()) for member in pack]  # type: ignore[union-attr]
            yield from ((path, data) for path, data in inside if data.startswith(b"\x7fELF"))


def complaints(wheel: Path) -> tuple[int, list[str]]:
    """Returns the number of libraries, and a sentence for each one that needs a newer glibc than the tag names."""
    promised, found = glibc_promised(wheel), [(name, glibc_needed(library)) for name, library in libraries(wheel)]
    return len(found), [
        f"{name} needs glibc {_text(needed)}, and the tag of the wheel names {_text(promised)}"
        for name, needed in found
        if needed > promised
    ]


def _version(text: str) -> Version:
    return tuple(map(int, text.split(".")))


def _text(version: Version) -> str:
    return ".".join(map(str, version))


def main(wheels: list[str]) -> None:
    for wheel in map(Path, wheels):
        count, sentences = complaints(wheel)
        if sentences:
            raise SystemExit("\n".join(sentences))
        print(f"{wheel.name}: {count} libraries and programs run with glibc {_text(glibc_promised(wheel))}")


if __name__ == "__main__":
    main(sys.argv[1:])
