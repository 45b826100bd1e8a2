"""FMUs of the catalogue that the cache holds, found by name: their declarations need SymPy, which takes longer to import than a pendulum to run."""

from __future__ import annotations

import hashlib
import sys
from contextlib import suppress
from functools import cache
from importlib.metadata import version
from pathlib import Path

from fmu_components.export import kept
from fmu_components.export.compile import PLATFORMS
from fmu_components.export.ready import ready_fmu

_PACKAGE = Path(__file__).parents[1]


def known_fmu(name: str, fmi: int) -> Path | None:
    """Returns the FMU of a component of the catalogue that is noted, or put together from the wheel; None where it must be built."""
    noted = _noted(name, fmi)
    if noted is not None:
        return noted
    ready = ready_fmu(name, fmi)
    if ready is not None:
        note_fmu(name, fmi, ready)
    return ready


def _noted(name: str, fmi: int) -> Path | None:
    """Returns None also where the FMU is not as it was written, or another user can have written the note."""
    note = _note(name, fmi)
    try:
        place, key = kept.read_file(note).decode().split("\n")
    except (OSError, ValueError):
        return None
    path = kept.cache_folder() / place
    return path if kept.stranger(note) is None and kept.key_of(path) == key else None


def note_fmu(name: str, fmi: int, path: Path) -> None:
    """Notes the FMU that was built, or found, for a component of the catalogue, where the cache can be written."""
    with suppress(OSError):
        kept.write(_note(name, fmi), f"{path.relative_to(kept.cache_folder())}\n{kept.key_of(path)}".encode())


def _note(name: str, fmi: int) -> Path:
    compiler = PLATFORMS["linux64"].compiler() or ""
    key = hashlib.sha256(f"{_state()} {compiler} {_age(Path(compiler))}".encode()).hexdigest()[:24]
    return kept.cache_folder() / f"catalogue-{key}" / f"{name}.fmi{fmi}"


@cache
def _state() -> str:
    """Changes with any file that an FMU is made of."""
    files = sorted(path for path in _PACKAGE.rglob("*.[pch]*") if path.suffix in (".py", ".c", ".h"))
    return repr([sys.version, version("sympy"), *((str(path), _age(path)) for path in files)])


def _age(path: Path) -> tuple[int, int] | None:
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_size, found.st_mtime_ns
