"""Measures that do to their worker what may happen to one; in a file of their own, which a new process imports quickly."""

from __future__ import annotations

import multiprocessing
import os
import signal
from pathlib import Path

from coupling import Result


def in_a_worker() -> bool:
    return multiprocessing.parent_process() is not None


def deadly(result: Result) -> float:
    """Ends the process of a worker at one point."""
    if result.parameters["rod.m"] == 2.0 and in_a_worker():
        os._exit(3)
    return result["rod.x"][-1]


def killed_once(result: Result) -> float:
    """The first worker that comes here is killed from outside."""
    flag = Path(os.environ["KILLED_ONCE"])
    if in_a_worker() and not flag.exists():
        flag.touch()
        os.kill(os.getpid(), signal.SIGKILL)
    return result["rod.x"][-1]


def interrupted(result: Result) -> float:
    """Ctrl-C is pressed as often as the file says, at one point."""
    flag = Path(os.environ["INTERRUPTED"])
    if result.parameters["rod.m"] == 2.0 and not flag.exists():
        flag.touch()
        os.kill(os.getppid() if in_a_worker() else os.getpid(), signal.SIGINT)
    return result["rod.x"][-1]
