"""Worker of a sweep, in this thread, another one, or a process: it makes chunks of runs with systems that stay built."""

from __future__ import annotations

import hashlib
import os
import pickle
import threading
from contextlib import suppress
from multiprocessing.connection import Connection

from coupling.errors import SweepError
from coupling.outcome import Ending, Outcome
from coupling.sweeps.points import Point
from coupling.sweeps.task import Row, Task
from coupling.system import System

_MOST = 4
"""Tasks of which a worker keeps the system; the one that has waited longest goes first."""
_local = threading.local()
_abandoned: list[object] = []
"""Systems of the process from which this one was forked: this process must not free their instances."""

stopped: set[int] = set()
"""Identities of tasks whose further runs do not begin in this process."""


def run_chunk(task: Task | bytes, points: list[tuple[int, Point]]) -> list[Row]:
    """Returns the rows of consecutive points, fewer if the task is stopped."""
    known, system = _kept(task)
    rows: list[Row] = []
    told: dict[object, Outcome] = {}
    for number, point in points:
        if id(known) in stopped:
            break
        row = known.run(system, number, point)
        outcome = told.setdefault(row.outcome.key, row.outcome)  # what is the same travels once
        rows.append(row._replace(outcome=outcome))
        if outcome.ending is Ending.INTERRUPTED:
            break
    return rows


def _kept(task: Task | bytes) -> tuple[Task, System]:
    kept = getattr(_local, "kept", None)
    if kept is None or _local.process != os.getpid():
        _abandoned.append(kept)
        kept = _local.kept = {}
        _local.process = os.getpid()
    key = hashlib.sha256(task).digest() if isinstance(task, bytes) else id(task)
    found = kept.pop(key, None)
    if found is None:
        known = _loaded(task) if isinstance(task, bytes) else task
        found = known, System.of(known.definition)
    kept[key] = found
    while len(kept) > _MOST:
        kept.pop(next(iter(kept)))
    return found


def _loaded(task: bytes) -> Task:
    try:
        found: Task = pickle.loads(task)
    except (AttributeError, ImportError) as error:
        raise SweepError(
            f"a worker cannot read its task: {error}; define functions at the top "
            "of a file that workers can import, not in a notebook, or choose executor='threads'"
        ) from None
    return found


def forget(task: Task) -> None:
    """Frees the systems that this thread has built for a task."""
    getattr(_local, "kept", {}).pop(id(task), None)


def end_with(parent: Connection) -> None:
    """Ends this process as soon as the other end of a pipe closes: when a sweep is stopped, or its process has died."""

    def watch() -> None:
        with suppress(OSError):
            parent.poll(None)
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()
