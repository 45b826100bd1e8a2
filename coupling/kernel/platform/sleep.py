"""Sleep to a time of the monotonic clock; see ``platform_sleep_until``."""

from __future__ import annotations

from ctypes import c_double

from coupling.kernel import library
from coupling.kernel.platform.binding import declare

declare({"platform_sleep_until": (c_double, [c_double])})


def sleep_until(seconds: float) -> float:
    """Sleeps until a time of the clock of ``time.monotonic``, or until a signal comes, and returns the time then. Other threads go on."""
    return float(library.platform_sleep_until(seconds))
