"""The stages of a system kept by its structure: equal structures are lowered once, whatever the names of instances and the values."""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from functools import cache
from importlib.metadata import version
from pathlib import Path
from threading import RLock
from typing import Any, TypeVar

from coupling.files import read_file
from coupling.fmus import cache as folders
from coupling.fused.stored import restored, stored
from coupling.kernel.tapes.tape import OPERATIONS
from coupling.plan.build import Built

T = TypeVar("T")
_FILE = "stages"


def kept(built: Built, kind: str, make: Callable[[Built], T]) -> T:
    """Returns the result of ``make`` for a structure, which is kept; exceptions are raised, and not kept."""
    key = key_of(built, kind)
    place = folders.cache_folder(), key
    with _lock:
        found: T | None = _known.pop(place, None)
    if found is None:
        found = _stored(key, lambda: make(built))
    with _lock:
        _known[place] = found
        while len(_known) > _MOST_KNOWN:
            del _known[next(iter(_known))]
    return found


_known: dict[tuple[Path, str], Any] = {}
"""Stages that this process has used last; no code changes them."""
_MOST_KNOWN = 16
_lock = RLock()


def _stored(key: str, make: Callable[[], T]) -> T:
    made: list[T] = []

    def fill(folder: Path) -> None:
        made[:] = [make()]
        (folder / _FILE).write_bytes(stored(made[0]))

    try:
        folder = folders.shared_folder(key, "fused", "jourdain-fused", fill)
        try:
            found: T = made[0] if made else restored(read_file(folder / _FILE))
        finally:
            folders.let_go(folder)
    except OSError:
        return made[0] if made else make()  # there is no place at all
    return found


def key_of(built: Built, kind: str) -> str:
    """Returns the key of everything from which the stages follow: FMUs, connections, what is solved for, and the writer."""
    return hashlib.sha256(repr((kind, _generator(), built.structure)).encode()).hexdigest()


@cache
def _generator() -> str:
    """Returns a key that changes with the code that makes stages."""
    here = Path(__file__).parent
    sources = [path.read_bytes() for folder in (here, here.parent / "plan") for path in sorted(folder.glob("*.py"))]
    told = [version("jourdain").encode(), version("sympy").encode(), repr(OPERATIONS).encode(), *sources]
    return hashlib.sha256(b"\0".join(told)).hexdigest()
