"""The course of a sweep: the distribution of points to workers, and the treatment of workers that die."""

from __future__ import annotations

import ast
import sys
from collections import deque
from collections.abc import Callable, Generator, Iterator
from concurrent.futures import ProcessPoolExecutor
from itertools import islice
from pathlib import Path
from typing import Any

from coupling.errors import SweepError
from coupling.outcome import Ending, Outcome
from coupling.progress import noticed
from coupling.sweeps.executors import SweepExecutor
from coupling.sweeps.points import Point
from coupling.sweeps.task import Row, Task
from coupling.sweeps.worker import forget, run_chunk

_SECONDS = 0.25
"""Approximate seconds of a chunk: the loss if a worker dies, and a hundred times the cost of sending it."""
_AHEAD = 4
"""Chunks for each worker that are under way."""

Numbered = tuple[int, Point]


def rows_here(task: Task, points: Iterator[Numbered], under_way: Callable[[str], None]) -> Generator[Row, None, None]:
    """Yields the rows of runs one after the other, in this process, until one is interrupted. ``under_way`` gets the text of each run."""
    try:
        for point in points:
            under_way(task.told(*point))
            row = run_chunk(task, [point])[0]
            if row.outcome.ending is Ending.INTERRUPTED:
                return
            yield row
    finally:
        forget(task)


def rows_of(
    runner: SweepExecutor, task: Task, points: Iterator[Numbered], count: int | None, under_way: Callable[[str], None]
) -> Generator[Row, None, None]:
    """Yields the rows as they arrive, in any order. ``under_way`` gets the text of the runs that have taken longest so far.

    Ctrl-C ends the sweep. A worker that dies ends it as well if the executor cannot be made again.
    """
    course = _Course(runner, task, points, count)
    with noticed() as pressed:
        try:
            while course.goes_on() and not pressed():
                under_way(course.longest())
                yield from course.next_rows()
            yield from course.stop()
        except KeyboardInterrupt:
            yield from course.stop()
        finally:
            course.stop()
            runner.close()


class _Course:
    def __init__(self, runner: SweepExecutor, task: Task, points: Iterator[Numbered], count: int | None) -> None:
        self.runner, self.task, self.points = runner, task, points
        self.left = count
        """Number of points that no worker has yet; None if unknown."""
        self.size = 1
        self.under_way: dict[Any, list[Numbered]] = {}
        """Points by their futures, those that were sent first at the beginning."""
        self.suspects: deque[Numbered] = deque()
        """Points of chunks whose worker has died: they run one by one to find the one that kills."""
        self.again: set[int] = set()
        """Numbers of these points."""
        self.came = 0

    def goes_on(self) -> bool:
        """Gives out work; returns False if all work is done."""
        while not self.runner.broken and len(self.under_way) < (1 if self.suspects else _AHEAD * self.runner.workers):
            chunk = [self.suspects.popleft()] if self.suspects else list(islice(self.points, self.size))
            if not chunk:
                break
            if self.left is not None:
                self.left -= len(chunk)
            try:
                self.under_way[self.runner.submit(chunk)] = chunk
            except Exception as error:
                if not self.runner.lost(error):
                    raise
                self.under_way[_Failed(error)] = chunk
                break
        return bool(self.under_way)

    def longest(self) -> str:
        """Returns the text of the runs that were sent first, and have not come back."""
        chunk = next(iter(self.under_way.values()))
        (first, point), (last, _) = chunk[0], chunk[-1]
        return self.task.told(first, point) if first == last else f"runs {first} to {last}"

    def next_rows(self) -> list[Row]:
        failed = [each for each in self.under_way if isinstance(each, _Failed)]
        rows: list[Row] = []
        lost: list[list[Numbered]] = []
        for future in failed or self.runner.wait(list(self.under_way)):
            chunk = self.under_way.pop(future)
            error = future.exception()
            if error is None:
                rows += self._received(future.result(), chunk)
            elif self.runner.lost(error):
                lost.append(chunk)
            else:
                raise error
        return rows + (self._after_death(lost) if lost else [])

    def _received(self, rows: list[Row], chunk: list[Numbered]) -> list[Row]:
        rows = [row for row in rows if row.outcome.ending is not Ending.INTERRUPTED]
        self.came += len(rows)
        each = sum(row.seconds for row in rows) / max(1, len(rows))
        if len(chunk) >= self.size and not self.suspects:
            size = min(_SECONDS / max(each, 1e-6), 4 * len(chunk))
            fair = size if self.left is None else self.left / (2 * self.runner.workers)
            self.size = max(1, int(min(size, fair)))
        return rows

    def _after_death(self, lost: list[list[Numbered]]) -> list[Row]:
        """Returns the row of a run that was alone when its worker died, and puts the other lost runs back."""
        rows: list[Row] = []
        if not self.runner.survives:  # what was under way is lost with the one that died, but what had come back
            for future, chunk in self.under_way.items():
                if not isinstance(future, _Failed) and future.done() and not future.cancelled() and future.exception() is None:
                    rows += self._received(future.result(), chunk)
                else:
                    lost.append(chunk)
            self.under_way.clear()
        points = sorted((point for chunk in lost for point in chunk), key=lambda point: point[0])
        if not self.runner.renew():
            self.runner.broken = True
            return rows
        if not self.came and not self.again:
            self._check_workers()
        if len(points) == 1 and points[0][0] in self.again:
            self.came += 1
            return [*rows, self._killer(*points[0])]
        self.suspects.extend(points)
        self.again |= {number for number, _ in points}
        return rows

    def _killer(self, number: int, point: Point) -> Row:
        remedy = "simulate it alone, in a process of its own, to see the behaviour of its FMUs"
        sentence = f"{self.task.told(number, point)} ended the process of its worker; {remedy}"
        return Row(number, Outcome(Ending.WORKER_LOST, sentence), float("nan"), {}, {})

    def _check_workers(self) -> None:
        """Raises SweepError if the workers cannot begin: each new process runs the script once more."""
        file = getattr(sys.modules.get("__main__"), "__file__", None)
        if file and isinstance(self.runner.executor, ProcessPoolExecutor) and not _is_guarded(Path(file)):
            raise SweepError(
                f"the processes ended before their first run: each of them begins by running '{Path(file).name}', and reaches the sweep again; put "
                "the statements of the script below  if __name__ == \"__main__\":  or choose executor='threads'"
            )
        try:
            self.runner.executor.submit(int).result()
        except Exception as error:
            if not self.runner.lost(error):
                raise
            raise SweepError(
                "the processes ended before their first run; see their standard error output for the cause, or choose executor='threads'"
            ) from None

    def stop(self) -> list[Row]:
        """Gives up the running points, and returns the rows that have come in the meantime."""
        futures = {future: chunk for future, chunk in self.under_way.items() if not isinstance(future, _Failed)}
        self.under_way = {}
        if not futures:
            return []
        self.runner.stop([future for future in futures if not future.done()])
        came = [each for each in futures if each.done() and not each.cancelled() and each.exception() is None]
        return [row for each in came for row in self._received(each.result(), futures[each])]


class _Failed:
    """Replacement for a future that a broken executor has not given."""

    def __init__(self, error: Exception) -> None:
        self.error = error

    def exception(self) -> Exception:
        return self.error

    def result(self) -> list[Row]:
        raise self.error


def _is_guarded(file: Path) -> bool:
    try:
        tree = ast.parse(file.read_text())
    except (OSError, SyntaxError, ValueError):
        return True
    return any(isinstance(node, ast.Name) and node.id == "__name__" for node in ast.walk(tree))
