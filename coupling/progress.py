"""A bar that shows how far a run is, and a summary behind it, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from coupling.options import Run
    from coupling.result import Result

_FORMAT = "{desc}: {percentage:3.0f}%|{bar}| {postfix[0]} [{elapsed}<{remaining}]"


def _wanted(run: Run) -> bool:
    return bool(run.progress) and sys.stderr.isatty()


@contextmanager
def progress_bar(run: Run) -> Iterator[Callable[[float, int], None]]:
    """Yields a function of time and steps; it does nothing unless progress is wanted and there is a terminal."""
    span = run.stop_time - run.start_time
    if not _wanted(run) or span <= 0:
        yield lambda time, steps: None
        return
    from tqdm import tqdm

    with tqdm(total=span, desc="simulating", bar_format=_FORMAT, postfix=[""]) as bar:

        def show(time: float, steps: int) -> None:
            bar.postfix[0] = f"t = {time:.4g} of {run.stop_time:.4g} s, {steps} steps"
            bar.update(min(time - run.start_time, span) - bar.n)

        yield show


def show_summary(run: Run, result: Result) -> None:
    """How a run went, behind its bar."""
    if _wanted(run):
        print(result.summary(), file=sys.stderr)
