"""No result is lost to a sentence about it: where the code that writes one fails, that is a sentence too."""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable
from typing import Any

from coupling.kernel.hosted import HostDied
from coupling.outcome import KEPT, Ending, Outcome


def unwritten(make: Callable[..., object], error: Exception) -> str:
    """Returns the sentence for one that could not be written."""
    where = f"{make.__module__.rpartition('.')[2]}.{make.__name__}"
    return f"a sentence about this run could not be written ({where}: {type(error).__name__}: {error}); the values are not concerned; please report it"


def sentences(make: Callable[..., str | Iterable[str]], *arguments: Any) -> list[str]:
    """Returns what ``make`` writes without empty sentences, or one sentence that says why it failed."""
    try:
        found = make(*arguments)
        return [each for each in ([found] if isinstance(found, str) else found) if each]
    except HostDied:
        raise
    except Exception as error:
        return [unwritten(make, error)]


def total(end: Callable[..., Outcome]) -> Callable[..., Outcome]:
    """Makes a function of how a run ended return an outcome even where it cannot write its sentence."""

    @functools.wraps(end)
    def ended(*arguments: Any, **named: Any) -> Outcome:
        try:
            return end(*arguments, **named)
        except HostDied:
            raise
        except Exception as error:
            return Outcome(Ending.SOLVER_FAILED, f"stopped; {unwritten(end, error)}; {KEPT}")

    return ended
