"""Limits of the memory of a run, and periods without garbage collection."""

from __future__ import annotations

import gc
import math
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

if sys.platform != "win32":
    import resource


def free_memory() -> float:
    """Returns the bytes that this process can still have: free memory of the machine within its own limits; infinite if unknown."""
    return min(_limits(), default=math.inf)


@contextmanager
def without_collection() -> Iterator[None]:
    """Switches garbage collection off while many lasting objects are made: collection would take longer than their creation."""
    collecting = gc.isenabled()
    gc.disable()
    try:
        yield
    finally:
        if collecting:
            gc.enable()


def _limits() -> Iterator[float]:
    with suppress(OSError, ValueError, KeyError):
        lines = Path("/proc/meminfo").read_text().splitlines()
        found = {name: int(rest.split()[0]) * 1024 for name, rest in (line.split(":", 1) for line in lines)}
        yield found["MemAvailable"] + found["SwapFree"]
    with suppress(OSError, ValueError):
        group = Path("/sys/fs/cgroup")
        yield float((group / "memory.max").read_text()) - float((group / "memory.current").read_text())
    if sys.platform != "win32":
        with suppress(OSError, ValueError):
            soft, _ = resource.getrlimit(resource.RLIMIT_AS)
            pages = int(Path("/proc/self/statm").read_text().split()[0])
            if soft != resource.RLIM_INFINITY:
                yield soft - pages * os.sysconf("SC_PAGESIZE")
