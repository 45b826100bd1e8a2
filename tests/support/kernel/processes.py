"""Leftovers of processes: children, shared memories and pipes."""

from __future__ import annotations

import os
import time
from pathlib import Path


def children() -> list[int]:
    """Returns the children of this process, including those that have ended and were not waited for."""
    return sorted(int(each) for task in Path("/proc/self/task").iterdir() for each in (task / "children").read_text().split())


def gone(process: int, patience: float = 0.0) -> bool:
    """Says whether a process has gone, or does so within some seconds."""
    end = time.monotonic() + patience
    while True:
        try:
            os.kill(process, 0)
        except ProcessLookupError:
            return True
        state = Path(f"/proc/{process}/stat")
        if state.exists() and state.read_text().rpartition(")")[2].split()[0] == "Z" and _parent(process) != os.getpid():
            return True  # whoever should take it off the list of processes is not us
        if time.monotonic() >= end:
            return False
        time.sleep(0.01)


def _parent(process: int) -> int:
    return int(Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()[1])


def shared_memories() -> int:
    """Returns the number of memories for hosts that this process has mapped or holds open."""
    return Path("/proc/self/maps").read_text().count("memfd:jourdain") + sum("memfd:jourdain" in each for each in _open())


def pipes() -> int:
    """Returns the number of ends of pipes and of sockets that this process holds."""
    return sum(each.startswith(("pipe:", "socket:")) for each in _open())


def _open() -> list[str]:
    names = (f"/proc/self/fd/{each}" for each in os.listdir("/proc/self/fd"))
    return [os.readlink(name) for name in names if os.path.lexists(name)]
