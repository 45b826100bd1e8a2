"""A bar that shows how far a run is, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager


@contextmanager
def progress_bar(run) -> Iterator[Callable[[float, int], None]]:  # noqa: ANN001
    """Yields a function of time and steps; it does nothing unless progress is wanted and there is a terminal."""
    if not run.progress or not sys.stderr.isatty():
        yield lambda time, steps: None
        return
    from tqdm import tqdm

    span = run.stop_time - run.start_time
    bar_format = "{desc}: {percentage:3.0f}%|{bar}| t = {n:.4g} of {total:.4g} s [{elapsed}<{remaining}{postfix}]"
    with tqdm(total=span, desc="simulating", unit="s", bar_format=bar_format) as bar:

        def show(time: float, steps: int) -> None:
            bar.set_postfix_str(f"{steps} steps", refresh=False)
            bar.update(time - run.start_time - bar.n)

        yield show
