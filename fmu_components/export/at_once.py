"""Tasks on several processors; after a failure or an interruption no further task begins."""

from __future__ import annotations

import math
import os
from collections.abc import Callable
from concurrent.futures import CancelledError, Future, ThreadPoolExecutor, wait
from types import TracebackType
from typing import Generic, Self, TypeVar

T = TypeVar("T")

_LOOK = 0.05
"""Seconds. Ctrl-C does not end a wait that begins just then; it is seen after it."""


def processors() -> int:
    """Returns the number of processors that this process may use. Containers and batch systems allow fewer than the machine has."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


class AtOnce(Generic[T]):
    """Threads that do tasks which were begun. The end of its context waits for running tasks, and nothing is written after it."""

    def __init__(self, most: int) -> None:
        self._threads = ThreadPoolExecutor(min(most, processors()))
        self._begun: list[Future[T]] = []
        self._last_to_begin = math.inf

    def __enter__(self) -> Self:
        return self

    def __exit__(self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None) -> None:
        if kind is not None:
            self._last_to_begin = -1
        self._threads.shutdown()

    def begin(self, task: Callable[[], T]) -> None:
        self._begun.append(self._threads.submit(self._do, len(self._begun), task))

    def results(self) -> list[T]:
        """Returns the results in the order in which the tasks were begun.

        If several tasks failed, it always raises the error of the same one: every task that was begun before a failed one runs.
        """
        while wait(self._begun, timeout=_LOOK).not_done:
            continue
        for each in self._begun:
            if (error := each.exception()) and not isinstance(error, CancelledError):
                raise error
        return [each.result() for each in self._begun]

    def _do(self, number: int, task: Callable[[], T]) -> T:
        if number > self._last_to_begin:
            raise CancelledError
        try:
            return task()
        except BaseException:
            self._last_to_begin = min(self._last_to_begin, number)
            raise
