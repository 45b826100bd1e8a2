"""Models become FMUs, each made once for its content."""

from __future__ import annotations

import hashlib
import os
import platform
import re
import subprocess
import tempfile
import zipfile
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from functools import cache
from pathlib import Path

from tests.support.foreign import fmi1
from tests.support.foreign.c_code import HEADERS, c_code
from tests.support.foreign.description import description
from tests.support.foreign.model import Model


@cache
def _folder() -> Path:
    chosen = os.environ.get("JOURDAIN_CACHE")
    return Path(chosen) / "foreign" if chosen else Path(tempfile.mkdtemp(prefix="foreign-fmus-"))


def kept(name: str, content: str, make: Callable[[Path], None]) -> Path:
    """The file of a name that ``make`` writes, made once for each content."""
    path = _folder() / hashlib.sha256((content + platform.machine()).encode()).hexdigest()[:24] / f"{name}.fmu"
    if not path.is_file():
        path.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=path.parent) as scratch:
            made = Path(scratch) / path.name
            make(made)
            with suppress(FileExistsError):  # another worker may have been faster, and be using its file by now
                os.link(made, path)
    return path


def compiled(sources: Sequence[Path], library: Path) -> bytes:
    """A shared library that needs libc and libm alone."""
    command = ["gcc", "-std=c11", "-O0", "-fPIC", "-shared", "-w", f"-I{HEADERS}", "-o", str(library), *map(str, sources), "-lm"]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return library.read_bytes()


def native(version: int) -> str:
    return "linux64" if version < 3 else "x86_64-linux"


def export(
    model: Model,
    version: int = 3,
    without: str | None = None,
    folder: str | None = None,
    binary: bytes | None = None,
    changes: Mapping[str, str] | None = None,
) -> Path:
    """The FMU of a model; ``without`` a function that it must have, with its binary in another ``folder``, with another binary, or with ``changes``:
    texts that stand in its source or its description, and what replaces them."""
    token = hashlib.sha256(repr(model).encode()).hexdigest()[:32]
    source = c_code(model, version, token)
    xml = fmi1.description(model, token) if version == 1 else description(model, version, token)
    for old, new in (changes or {}).items():
        assert old in source or old in xml, old
        source, xml = source.replace(old, new), xml.replace(old, new)
    if without:
        assert f"{without}(" in source, without
        source = re.sub(rf"\b{without}\b", "left_out", re.sub(rf"^{without}TYPE .*$", "", source, flags=re.MULTILINE))

    def make(path: Path) -> None:
        c_file = path.with_suffix(".c")
        c_file.write_text(source)
        library = compiled([c_file], path.with_suffix(".so")) if binary is None else binary
        suffix = ".dll" if folder and "win" in folder else ".so"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr("modelDescription.xml", xml)
            archive.writestr(f"binaries/{folder or native(version)}/{model.name}{suffix}", library)

    return kept(model.name, f"{source}{xml}{folder}{binary!r}", make)
