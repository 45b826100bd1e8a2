"""Protection of results from errors in messages: where the code that writes a sentence fails, another sentence reports that."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

from coupling.kernel.hosts.hosted import HostDied
from coupling.outcome import KEPT, Ending, Outcome

Found = TypeVar("Found")


def unwritten(make: Callable[..., object], error: Exception) -> str:
    """Returns the sentence for one that could not be written."""
    where = f"{str(getattr(make, '__module__', '')).rpartition('.')[2]}.{getattr(make, '__name__', type(make).__name__)}"
    try:
        why = f"{type(error).__name__}: {error}"
    except Exception:  # of its own __str__
        why = type(error).__name__
    return f"a sentence about this run could not be written ({where}: {why}), but the rows are kept; please report it"


def sentences(make: Callable[..., str | Iterable[str]], *arguments: Any) -> list[str]:
    """Returns what ``make`` writes without empty sentences; where it fails, those before, and one that says why."""
    written: list[str] = []
    try:
        found = make(*arguments)
        for each in [found] if isinstance(found, str) else found:
            if each:
                written.append(each)
    except HostDied:
        raise
    except Exception as error:
        written.append(unwritten(make, error))
    return written


def attempted(said: list[str], otherwise: Found, make: Callable[..., Found], *arguments: Any) -> Found:
    """Returns what ``make`` finds out about a run; where it fails, ``otherwise``, and ``said`` gets a sentence that says why."""
    try:
        return make(*arguments)
    except HostDied:
        raise
    except Exception as error:
        said.append(unwritten(make, error))
        return otherwise


def total(end: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """Makes a function of how a run ended return an outcome even where it cannot write its sentence."""

    @functools.wraps(end)
    def ended(*arguments: Any, **named: Any) -> Outcome:
        try:
            return end(*arguments, **named)
        except HostDied:
            raise
        except Exception as error:
            return Outcome(Ending.SOLVER_FAILED, f"stopped; {unwritten(end, error)}. {KEPT}")

    return ended
