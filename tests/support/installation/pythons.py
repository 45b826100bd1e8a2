"""The interpreters of this machine that may run Jourdain."""

from __future__ import annotations

import os
import re
import subprocess
from functools import cache
from pathlib import Path

OLDEST = (3, 11)
_PROBE = "import sys, venv; print(*sys.version_info[:2], sys.implementation.name)"


@cache
def pythons() -> dict[str, Path]:
    """Returns one interpreter of each version from 3.11 on, by names such as ``3.12``; looks in PATH and the usual places."""
    folders = [Path(folder) for folder in os.environ.get("PATH", "").split(os.pathsep) if folder]
    folders += [Path("/usr/bin"), Path("/usr/local/bin"), *Path("/opt/python").glob("*/bin")]
    folders += Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv").glob("versions/*/bin")
    folders += (Path.home() / ".local/share/uv/python").glob("cpython-*/bin")
    found: dict[str, Path] = {}
    for path in (path for folder in folders for path in sorted(folder.glob("python3*"))):
        if re.fullmatch(r"python3(\.\d+)?", path.name):
            version = _version(path)
            if version is not None and version >= OLDEST:
                found.setdefault(".".join(map(str, version)), path)
    return found


def _version(path: Path) -> tuple[int, ...] | None:
    """Returns None for what does not start, such as a shim of a version that is not chosen, and for other implementations."""
    try:
        told = subprocess.run([path, "-c", _PROBE], capture_output=True, text=True, timeout=60, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    *numbers, name = told.stdout.split()
    return tuple(map(int, numbers)) if name == "cpython" else None
