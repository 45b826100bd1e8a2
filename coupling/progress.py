"""Progress bar on a terminal, Ctrl-C and SIGTERM during a run."""

from __future__ import annotations

import _signal  # type: ignore[import-not-found]  # whose calls make no members of an enumeration
import signal
import sys
import threading
import time
import warnings
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext, suppress
from itertools import count
from typing import Any

from coupling.options import Run

_FORMAT = "{desc}: {percentage:3.0f}%|{bar}| {postfix[0]} [{elapsed}<{remaining}]"


def watched_by_someone() -> bool:
    """Says whether a terminal or a notebook shows the output."""
    return sys.stderr.isatty() or in_notebook()


def in_notebook() -> bool:
    """Says whether a kernel of Jupyter runs this process; IPython on a terminal has none."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def bar_of() -> Any:
    """Returns the class of bars that suits: widgets in a notebook, or text if it has no widgets."""
    if not in_notebook():
        from tqdm import tqdm

        return tqdm
    with warnings.catch_warnings():  # that there are no widgets
        warnings.simplefilter("ignore")
        from tqdm.auto import tqdm as notebook_tqdm
    return notebook_tqdm


@contextmanager
def moved_bar(**options: Any) -> Iterator[Callable[[Callable[[Any], object]], None]]:
    """Yields a function that changes a bar. If a terminal or a notebook has gone, the bar ends, and the code inside goes on."""
    bar, gone = bar_of()(**options), False

    def move(change: Callable[[Any], object]) -> None:
        nonlocal gone
        try:
            if not gone:
                change(bar)
        except Exception:
            gone = True

    try:
        yield move
    finally:
        with suppress(Exception):
            bar.close()


_built = count(1)


@contextmanager
def building_shown(name: str) -> Iterator[None]:
    """Shows on a terminal which FMU is being built, and its number in this process."""
    if not watched_by_someone():
        yield
        return
    with moved_bar(desc=f"building FMU {next(_built)}: {name}", bar_format="{desc}", leave=False):
        yield


def shows_progress(run: Run) -> bool:
    """Says whether a bar is wanted and a terminal or a notebook can show it."""
    return bool(run.progress) and watched_by_someone()


def show_at_end(run: Run, summary: Callable[[], str]) -> None:
    """Prints a summary at the end of a bar. A terminal that has gone in the meantime does not lose the result."""
    if shows_progress(run):
        with suppress(Exception):
            print(summary(), file=sys.stderr)


_PATIENCE = 1.0
"""Seconds that a call of an FMU in another process may go on after Ctrl-C."""


class _Notice:
    """State of Ctrl-C for one block of :func:`noticed`."""

    def __init__(self, presses: int) -> None:
        self.presses = presses
        self._first = time.monotonic()

    def press(self, *_: object) -> None:
        self.presses += 1
        if self.presses == 1:
            self._first = time.monotonic()
        elif time.monotonic() - _asked > _PATIENCE / 10:  # else it came in a callback from C, where an exception would be lost
            raise KeyboardInterrupt

    @property
    def urgent(self) -> bool:
        return self.presses > 1 or (self.presses > 0 and time.monotonic() - self._first > _PATIENCE)


_noticing: list[_Notice] = []
"""Blocks that notice Ctrl-C now, the innermost last."""


def ctrl_c_noticed() -> bool:
    """Says whether Ctrl-C was pressed in a block that notices it, for code that waits inside."""
    return any(each.presses for each in _noticing)


_asked = 0.0
"""Time in s at which :func:`ends_calls` was last asked."""


def ends_calls(lasted: float) -> bool:
    """Says whether the call of an FMU in another process is to be ended, after so many seconds, by that process.

    The caller asks often during the wait. Ctrl-C and SIGTERM leave the call a second; a second Ctrl-C leaves it no time.
    """
    global _asked
    _asked = time.monotonic()
    return any(each.urgent for each in _noticing) or (_taken is not None and _taken.ends(lasted))


@contextmanager
def noticed(running: bool = True) -> Iterator[Callable[[], bool]]:
    """Yields a function that says whether Ctrl-C was pressed, for code that an exception must not interrupt.

    Such code is ``running`` if it leaves a result. A second Ctrl-C is raised at once in any case. SIGTERM counts if
    :func:`softly_terminated` has taken it over.
    """
    in_main = threading.current_thread() is threading.main_thread()
    notice = _Notice(int(in_main and running and _taken is not None and _taken.begin()))
    before = _signal.getsignal(signal.SIGINT) if in_main else None
    if before is signal.default_int_handler:
        _signal.signal(signal.SIGINT, notice.press)
    if in_main:
        _noticing.append(notice)
    try:
        yield lambda: notice.presses > 0
    finally:
        if in_main:
            _noticing.remove(notice)
        if before is signal.default_int_handler:
            _signal.signal(signal.SIGINT, signal.default_int_handler)


class _Taken:
    """SIGTERM, taken over from the system, which would end the process at once."""

    def __init__(self) -> None:
        self.came, self._at = False, 0.0
        self._ran = False
        """True if a run has begun whose results are worth writing."""

    def ends(self, lasted: float) -> bool:
        """Says whether a call that has lasted for so many seconds is to be ended, also if no run notices the signal any more."""
        return self.came and min(lasted, time.monotonic() - self._at) > _PATIENCE

    def begin(self) -> bool:
        """Registers a run that notices the signal, and says whether it has come already."""
        self._ran = True
        return self.came

    def __call__(self, *_: object) -> None:
        self.came, self._at = True, time.monotonic()
        if _noticing:
            _noticing[-1].press()
        elif not self._ran:
            raise KeyboardInterrupt


_taken: _Taken | None = None


@contextmanager
def softly_terminated(wanted: bool = True) -> Iterator[Callable[[], bool]]:
    """Ends the code inside at SIGTERM as at Ctrl-C, with the results so far; yields a function that says whether the signal has come.

    It replaces only the default handler: a program that has set its own handler keeps it.
    """
    global _taken
    in_main = threading.current_thread() is threading.main_thread()
    if not (wanted and in_main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL):
        yield lambda: False
        return
    _taken = taken = _Taken()
    signal.signal(signal.SIGTERM, taken)
    try:
        yield lambda: taken.came
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        _taken = None


def terminated_after(wanted: bool) -> AbstractContextManager[None]:
    """Does the same, and raises the signal again afterwards: it ends the process after the code inside has written its results."""
    return _terminated_after() if wanted else nullcontext()


@contextmanager
def _terminated_after() -> Iterator[None]:
    with softly_terminated() as came:
        try:
            yield
        finally:
            if came():
                signal.signal(signal.SIGTERM, signal.SIG_DFL)
                signal.raise_signal(signal.SIGTERM)


class TimeIsUp(KeyboardInterrupt):
    """The end of a run after ``max_seconds``, which ends it as Ctrl-C does."""


def _limited(run: Run, look: Callable[[float, int], None]) -> Callable[[float, int], None]:
    """Returns a function that also raises TimeIsUp ``max_seconds`` from now."""
    if run.max_seconds is None:
        return look
    end = time.perf_counter() + run.max_seconds

    def limited(at: float, steps: int) -> None:
        look(at, steps)
        if time.perf_counter() >= end:
            raise TimeIsUp

    return limited


def _look_for_ctrl_c(at: float, steps: int) -> None:
    if _noticing and _noticing[-1].presses:
        raise KeyboardInterrupt


@contextmanager
def watched(run: Run) -> Iterator[Callable[[float, int], None]]:
    """Yields a function of time and steps, to be called often: it moves the bar, and raises KeyboardInterrupt where Ctrl-C was pressed.

    An exception in the midst of a callback from C would be lost. A second Ctrl-C is raised at once all the same, for callbacks that
    do not come back.
    """
    if run.is_open:  # which waits between its pieces; whoever advances it notices Ctrl-C
        yield _limited(run, _look_for_ctrl_c)
        return
    with noticed() as pressed, _bar(run) if shows_progress(run) else nullcontext(_show_nothing) as show:

        def look(time: float, steps: int) -> None:
            show(time, steps)
            if pressed():
                raise KeyboardInterrupt

        yield _limited(run, look)


def _show_nothing(time: float, steps: int) -> None:
    """Shows nothing, because no progress is wanted or no terminal shows it."""


def _no_pace(reached: float) -> str:
    """Returns no text, because the run does not wait for the clock."""
    return ""


def _pace() -> Callable[[float], str]:
    """Returns a function that says how many simulated seconds a second has brought so far."""
    began: list[float] = []

    def told(reached: float) -> str:
        began[:] = began or [reached, time.monotonic()]
        spent = time.monotonic() - began[1]
        return f", {(reached - began[0]) / spent:.2f} x real time" if spent > 0.1 else ""

    return told


@contextmanager
def _bar(run: Run) -> Iterator[Callable[[float, int], None]]:
    span = run.stop_time - run.start_time
    if span <= 0:
        yield _show_nothing
        return
    paced = _pace() if run.real_time else _no_pace
    with moved_bar(total=span, desc="simulating", bar_format=_FORMAT, postfix=[""]) as move:

        def show(time: float, steps: int) -> None:
            def change(bar: Any) -> None:
                bar.postfix[0] = f"t = {time:.4g} of {run.stop_time:.4g} s, {steps} steps{paced(time)}"
                bar.update(min(time - run.start_time, span) - bar.n)

            move(change)

        yield show
