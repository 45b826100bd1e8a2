"""The thin binding of the C kernel, a shared library that does not depend on Python."""

from __future__ import annotations

from pathlib import Path

from coupling.kernel.platform.own import OwnLibrary


def _find() -> Path:
    path = Path(__file__).with_name("_core.so")
    if not path.is_file():
        raise ImportError(
            f"the C kernel of coupling has not been built beside {__file__}; run: pip install --editable . (it needs a C compiler)"
        )
    return path


library = OwnLibrary(_find())
