"""The thin binding of the C kernel, a shared library that knows nothing of Python."""

from __future__ import annotations

from importlib.machinery import EXTENSION_SUFFIXES
from pathlib import Path

from coupling.kernel.platform.own import OwnLibrary


def _find() -> Path:
    for suffix in EXTENSION_SUFFIXES:
        path = Path(__file__).with_name(f"_core{suffix}")
        if path.is_file():
            return path
    raise ImportError(
        f"the C kernel of coupling has not been built beside {__file__}; run: pip install --editable . (it needs a C compiler)"
    )


library = OwnLibrary(_find())
