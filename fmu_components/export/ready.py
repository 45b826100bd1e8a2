"""FMUs of the catalogue from libraries that a wheel contains, without a compiler and without SymPy.

A pack holds the files of a component's FMUs except the runtime's sources, which are files of the package. Packs count while every source
of the package is the one from which they were made.
"""

from __future__ import annotations

import hashlib
import json
import tarfile
from functools import cache
from pathlib import Path

from fmu_components.export import kept, packed
from fmu_components.export.compile import runtime_files

_PACKAGE = Path(__file__).parents[1]
PACKS = _PACKAGE / "ready"
LIST = "list.json"
"""The file of :data:`PACKS` with the digests of sources, and the components with their keys."""


def ready_key(name: str, fmi: int) -> str | None:
    """Returns the key of a component's FMU; None where there is no pack of it, or where a source has changed."""
    return _components().get(name, {}).get(str(fmi))


def ready_fmu(name: str, fmi: int) -> Path | None:
    """Returns the FMU of a component in the cache, put together if necessary; None as in :func:`ready_key`."""
    key = ready_key(name, fmi)
    return None if key is None else packed.anywhere(lambda: _put_together(name, fmi, key))


def _put_together(name: str, fmi: int, key: str) -> Path:
    target = packed.place_of(name, fmi, key)
    if kept.key_of(target) != key:
        with packed.made_alone(name, target):
            packed.write(target, ready_files(name, fmi), key)
    return target


def ready_files(name: str, fmi: int) -> dict[str, bytes]:
    """Returns the files of a component's FMU by their paths in it."""
    files = {f"sources/{file}": text for file, text in runtime_files(fmi, _components()[name]["implicit"]).items()}
    with tarfile.open(PACKS / f"{name}.tar.xz") as pack:
        for member in pack:
            versions, _, path = member.name.partition("/")
            content = pack.extractfile(member)
            if versions in ("both", f"fmi{fmi}") and content is not None:
                files[path] = content.read()
    return files


def digests() -> dict[str, str]:
    """Returns the digests of all sources of the package by their paths."""
    files = sorted(path for path in _PACKAGE.rglob("*.[pch]*") if path.suffix in (".py", ".c", ".h"))
    return {path.relative_to(_PACKAGE).as_posix(): hashlib.sha256(path.read_bytes()).hexdigest() for path in files}


@cache
def _components() -> dict[str, dict]:
    try:
        found = json.loads((PACKS / LIST).read_text())
        import lzma  # noqa: F401  # some builds of Python lack it
    except (OSError, ImportError):
        return {}
    return found["components"] if found["sources"] == digests() else {}
