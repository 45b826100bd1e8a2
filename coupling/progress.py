"""What happens beside a run: a bar on a terminal that shows how far it is, and Ctrl-C."""

from __future__ import annotations

import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from coupling.options import Run

_FORMAT = "{desc}: {percentage:3.0f}%|{bar}| {postfix[0]} [{elapsed}<{remaining}]"


def watched_by_someone() -> bool:
    """Whether there is a terminal, or a notebook."""
    return sys.stderr.isatty() or in_notebook()


def in_notebook() -> bool:
    """Whether a kernel of Jupyter runs this; IPython on a terminal has none."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def bar_of() -> Any:
    """The class of bars that suits: widgets in a notebook, or text where it has none."""
    if not in_notebook():
        from tqdm import tqdm

        return tqdm
    with warnings.catch_warnings():  # that there are no widgets
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm as notebook_tqdm
    return notebook_tqdm


def shows_progress(run: Run) -> bool:
    """Whether a bar is wanted and there is a terminal or a notebook for it."""
    return bool(run.progress) and watched_by_someone()


@contextmanager
def noticed() -> Iterator[Callable[[], bool]]:
    """Yields whether Ctrl-C was pressed, for those whom an exception at any place would leave in the midst of something.

    A second Ctrl-C is raised at once all the same.
    """
    pressed = False

    def press(*_: object) -> None:
        nonlocal pressed
        if pressed:
            raise KeyboardInterrupt
        pressed = True

    in_main = threading.current_thread() is threading.main_thread()
    before = signal.getsignal(signal.SIGINT) if in_main else None
    if before is signal.default_int_handler:
        signal.signal(signal.SIGINT, press)
    try:
        yield lambda: pressed
    finally:
        if before is signal.default_int_handler:
            signal.signal(signal.SIGINT, signal.default_int_handler)


@contextmanager
def watched(run: Run) -> Iterator[Callable[[float, int], None]]:
    """Yields a function of time and steps, to be called often: it moves the bar, and raises KeyboardInterrupt where Ctrl-C was pressed.

    An exception in the midst of a callback from C would be lost. A second Ctrl-C is raised at once all the same, for callbacks that
    do not come back.
    """
    with noticed() as pressed, _bar(run) as show:

        def look(time: float, steps: int) -> None:
            show(time, steps)
            if pressed():
                raise KeyboardInterrupt

        yield look


@contextmanager
def _bar(run: Run) -> Iterator[Callable[[float, int], None]]:
    """A function that does nothing unless progress is wanted and there is somebody to see it."""
    span = run.stop_time - run.start_time
    if not shows_progress(run) or span <= 0:
        yield lambda time, steps: None
        return
    with bar_of()(total=span, desc="simulating", bar_format=_FORMAT, postfix=[""]) as bar:

        def show(time: float, steps: int) -> None:
            bar.postfix[0] = f"t = {time:.4g} of {run.stop_time:.4g} s, {steps} steps"
            bar.update(min(time - run.start_time, span) - bar.n)

        yield show
