"""The thin binding of the C kernel."""

from __future__ import annotations

import ctypes

from coupling.kernel import _core

library = ctypes.CDLL(_core.__file__)
