"""Files that results, tables and pictures are written to."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from coupling.errors import shown


def file_path(path: str | os.PathLike[str], suffix: str, purpose: str = "written") -> Path:
    if not isinstance(path, str | os.PathLike) or "\0" in os.fspath(path):
        raise TypeError(f"{shown(path)} is no path; give that of the file to be {purpose}, such as 'result{suffix}'")
    return Path(path)


@contextmanager
def written(target: Path, what: str = "result") -> Iterator[None]:
    """Says where nothing can be written, and removes what was begun there."""
    before = state_of(target)
    try:
        yield
    except OSError as error:
        if target.is_file() and state_of(target) != before:
            Path(os.path.realpath(target)).unlink(missing_ok=True)
        raise OSError(f"the {what} cannot be written to '{target}': {error.strerror}; choose another path") from None


def state_of(path: Path) -> tuple[int, int, int] | None:
    """What is other once a file has been written or replaced; None where there is none."""
    try:
        found = path.stat()
    except OSError:
        return None
    return found.st_ino, found.st_size, found.st_mtime_ns
