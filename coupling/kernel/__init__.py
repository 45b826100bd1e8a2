"""The thin binding of the C kernel."""

from __future__ import annotations

import ctypes

from coupling.kernel import _core  # type: ignore[attr-defined]

library = ctypes.CDLL(_core.__file__)
