"""Trials of damaged files in processes of their own, many in each: a crash or a hang ends one process, and the next trial begins another."""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import traceback
import warnings
from collections.abc import Callable, Iterator, Sequence

from coupling import AnalysisError, BuildError, FmuError, InitialStateError, ResultError, StartError

ANSWERS = (AnalysisError, BuildError, FmuError, InitialStateError, ResultError, StartError)
"""The errors that are part of the interface: each is a sentence."""
SECONDS = 20
"""Time after which a trial hangs."""


def answer(attempt: Callable[[], object]) -> str:
    """Returns what is wrong with how an attempt ends; nothing where it succeeds, or is refused by a sentence."""
    try:
        attempt()
    except ANSWERS as error:
        text = str(error)
        return f"no sentence: {type(error).__name__}: {text!r}" if "\n" in text or len(text) < 20 else ""
    except OSError as error:  # of a path that is in the file
        return "" if len(str(error)) > 20 and error.errno is None else f"no answer: {error!r}"
    except Exception as error:
        return f"no answer: {type(error).__name__}: {error}"
    return ""


def offences(trial: Callable[[int], str], seeds: Sequence[int], seconds: int = SECONDS) -> Iterator[tuple[int, str]]:
    """Yields the seeds whose trial is answered wrongly, with what is wrong."""
    left = list(seeds)
    while left:
        done, told, status = _batch(trial, left, seconds)
        yield from told
        if done < len(left) and os.WIFSIGNALED(status):
            yield left[done], f"the process was ended by {signal.Signals(os.WTERMSIG(status)).name}"
        elif done < len(left):
            yield left[done], f"the process ended with {os.waitstatus_to_exitcode(status)}"
        left = left[done + 1 :]


def _batch(trial: Callable[[int], str], seeds: Sequence[int], seconds: int) -> tuple[int, list[tuple[int, str]], int]:
    """Makes trials until one ends its process: how many were made, what was wrong, and how the process ended."""
    reading, writing = os.pipe()
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.close(reading)
        faulthandler.disable()
        signal.signal(signal.SIGALRM, signal.SIG_DFL)
        warnings.simplefilter("ignore")
        try:
            for seed in seeds:
                signal.alarm(seconds)
                os.write(writing, trial(seed).replace("\n", " ").encode(errors="replace")[:2000] + b"\n")
        except BaseException:
            traceback.print_exc()
        finally:
            os._exit(0)
    os.close(writing)
    with open(reading, "rb") as pipe:
        lines = pipe.read().decode(errors="replace").split("\n")[:-1]
    _, status = os.waitpid(child, 0)
    return len(lines), [(seed, line) for seed, line in zip(seeds, lines, strict=False) if line], status
