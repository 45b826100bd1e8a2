"""Executors of a sweep: this process, threads, processes, any executor of ``concurrent.futures``, or a client of Dask."""

from __future__ import annotations

import errno
import multiprocessing
import os
import pickle
import signal
import sys
from collections.abc import Collection
from concurrent.futures import FIRST_COMPLETED, Executor, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from contextlib import suppress
from multiprocessing.connection import Connection
from typing import Any

from coupling.checks import is_word
from coupling.errors import BuildError, listed, shown
from coupling.files import remedy
from coupling.plan.drives import FunctionDrive
from coupling.sweeps.points import Point
from coupling.sweeps.task import Task
from coupling.sweeps.worker import end_with, run_chunk, stopped

_WANTED = "choose 'threads', 'processes', a number of processes, an executor of concurrent.futures, or a client of Dask"

_MOST = 10_000
"""Most processes of a sweep."""
_SECONDS = 0.1
"""Seconds between two checks of Ctrl-C."""


class SweepExecutor:
    """Executor that the user gave, which is left as it is."""

    survives = False
    """True if other workers go on when one of them dies."""

    def __init__(self, executor: Any, task: Task) -> None:
        if isinstance(executor, ProcessPoolExecutor) and getattr(multiprocessing.current_process(), "_inheriting", False):
            sys.exit(1)  # a process that begins by running a script comes here where that has no guard; who has started it says so
        self.executor, self.task = executor, task
        self.workers = _workers(executor)
        self.broken = False
        """True if the executor has ended with one of its workers."""
        self.load = self._load()

    def _load(self) -> Task | bytes:
        """Returns the task as it travels with each chunk; threads take it as it is."""
        if isinstance(self.executor, ThreadPoolExecutor):
            _check_threads(self.task)
            return self.task
        try:
            return pickle.dumps(self.task)
        except Exception as error:
            if isinstance(self.executor, ProcessPoolExecutor):
                raise BuildError(_unsendable(self.task, error)) from None
            return self.task  # an executor may have a pickle of its own

    def submit(self, points: list[tuple[int, Point]]) -> Any:
        return self.executor.submit(run_chunk, self.load, points)

    def wait(self, futures: Collection[Any]) -> Collection[Any]:
        """Returns the futures that are done. It ends after a while even without any, which lets Ctrl-C be noticed."""
        return wait(futures, timeout=_SECONDS, return_when=FIRST_COMPLETED).done

    def lost(self, error: BaseException) -> bool:
        """Says whether an error means that a worker has died."""
        return isinstance(error, BrokenProcessPool)

    def renew(self) -> bool:
        """Says whether workers exist again after one has died, and the others with it."""
        return False

    def stop(self, futures: Collection[Any]) -> None:
        """Begins no further run, and waits for the running ones."""
        stopped.add(id(self.task))
        try:
            for future in futures:
                future.cancel()
            with suppress(Exception):
                wait(futures)
        finally:
            stopped.discard(id(self.task))

    def close(self) -> None:
        """Leaves the executor as it was."""


class Threads(SweepExecutor):
    def __init__(self, workers: int, task: Task) -> None:
        super().__init__(ThreadPoolExecutor(workers), task)

    def close(self) -> None:
        self.executor.shutdown(cancel_futures=True)


class Processes(SweepExecutor):
    """New interpreters, since forks would share living FMUs with this one; they end with this process, however it ends."""

    def __init__(self, workers: int, task: Task) -> None:
        self._reader: Connection | None = None
        self._writer: Connection | None = None
        super().__init__(self._pool(workers), task)

    def _pool(self, workers: int) -> ProcessPoolExecutor:
        context = multiprocessing.get_context("spawn")
        try:
            self._reader, self._writer = context.Pipe(duplex=False)
            return ProcessPoolExecutor(workers, mp_context=context, initializer=_begin, initargs=(self._reader,))
        # Without /dev/shm there are no semaphores, which Python says by any of these errors; the sweep is refused by a sentence.
        except (OSError, ImportError, NotImplementedError) as error:
            self._end()
            refused = error if isinstance(error, OSError) else OSError(errno.ENOENT, "no semaphores")
            advice = remedy(refused, "make '/dev/shm' a folder that you may write to")
            raise BuildError(f"the processes of the sweep cannot be started: {refused.strerror}; {advice}, or choose 'threads'") from None

    def renew(self) -> bool:
        self.close()
        self.executor = self._pool(self.workers)
        return True

    def stop(self, futures: Collection[Any]) -> None:
        """Ends the processes, in the midst of their runs."""
        for future in futures:
            future.cancel()
        self._end()

    def _end(self) -> None:
        for each in (self._writer, self._reader):
            if each is not None:
                each.close()

    def close(self) -> None:
        self.executor.shutdown(cancel_futures=True)
        self._end()


class Dask(SweepExecutor):
    """A client of ``dask.distributed``, whose cluster the user has made."""

    survives = True

    def _load(self) -> Task | bytes:
        """Returns the task with functions of scripts and notebooks, because workers do not have these."""
        import cloudpickle

        packed: bytes = cloudpickle.dumps(self.task)
        return packed

    def submit(self, points: list[tuple[int, Point]]) -> Any:
        return self.executor.submit(run_chunk, self.load, points, pure=False)

    def wait(self, futures: Collection[Any]) -> Collection[Any]:
        from distributed import wait as wait_for

        with suppress(TimeoutError):
            done: Collection[Any] = wait_for(list(futures), timeout=_SECONDS, return_when="FIRST_COMPLETED").done
            return done
        return ()

    def lost(self, error: BaseException) -> bool:
        return type(error).__name__ == "KilledWorker"

    def renew(self) -> bool:
        """Returns True: Dask's scheduler starts workers anew by itself."""
        return True

    def stop(self, futures: Collection[Any]) -> None:
        self.executor.cancel(list(futures))


def executor_of(executor: Any, task: Task) -> SweepExecutor | None:
    """Returns the executor that a user means; None for this process."""
    if executor is None:
        return None
    if is_word(executor, ("threads",)):
        return Threads(_processors(), task)
    if is_word(executor, ("processes",)):
        return Processes(_processors(), task)
    if isinstance(executor, int) and not isinstance(executor, bool) and 1 <= executor <= _MOST:
        return Processes(executor, task)
    if hasattr(executor, "scheduler_info") and hasattr(executor, "submit"):
        return Dask(executor, task)
    if isinstance(executor, Executor):
        return SweepExecutor(executor, task)
    raise BuildError(f"executor = {shown(executor)} is refused: {_WANTED}; left out, the runs are made here, one after the other")


def _begin(parent: Connection) -> None:
    """Prepares a worker process. It ignores Ctrl-C: the process that has started it notices the key, and then ends it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    end_with(parent)


def _processors() -> int:
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def _workers(executor: Any) -> int:
    if hasattr(executor, "nthreads"):
        return sum(executor.nthreads().values()) or 1
    return int(getattr(executor, "_max_workers", None) or _processors())


def _check_threads(task: Task) -> None:
    kinds = [(each.name, file.fmu) for each in task.definition.instances for file in (each.fmu, each.stepped)]
    once = dict.fromkeys(name for name, fmu in kinds for each in (fmu.model_exchange, fmu.co_simulation) if each and each.once_per_process)
    if once:
        raise BuildError(
            f"{listed(once)} can be instantiated only once in a process, and threads cannot run the system side by side; "
            "choose executor='processes'"
        )


def _unsendable(task: Task, error: Exception) -> str:
    """Names the function that cannot travel to other processes."""
    functions = {
        **{f"the function that drives '{name}'": drive for name, drive in task.definition.drives if isinstance(drive, FunctionDrive)},
        **{f"the function that drives '{name}'": each for name, each in task.drives.items()},
        **{f"the measure '{name}'": each for name, each in task.measures},
    }
    for what, each in functions.items():
        try:
            pickle.dumps(each)
        except Exception:
            return f"{what} cannot be sent to other processes; define it by 'def' at the top of a module, take one of jourdain.measures, or choose 'threads'"
    return f"the system cannot be sent to other processes: {error}; choose executor='threads'"
