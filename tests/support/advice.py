"""Sentences with a remedy, the runs that provoke them, and those with the remedy."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from coupling import Result

Run = Callable[[], Result]
Off = Callable[[Result], float]


class Advice(NamedTuple):
    """A sentence, the remedy in it, runs without and with the remedy, and how far the latter is from a reference, at most."""

    sentence: str
    remedy: str
    provoked: Run
    helped: Run
    off: Off
    at_most: float

    def try_it(self) -> None:
        text = said(self.provoked)
        assert self.sentence in text and self.remedy in text, text
        result = self.helped()
        assert result.outcome.completed and self.sentence not in str(result.outcome), result.outcome
        assert self.off(result) <= self.at_most, self.off(result)


class Cases(dict[str, Advice]):
    """Remedies to be tried, by a name."""

    def of(self, sentence: str, run: Callable[..., Result], provokes: Mapping[str, Any], off: Off, **tries: tuple[str, Any, float]) -> None:
        """Adds each remedy of a sentence by its words, the options of the run that it stands for or another run, and how far it may be off."""
        for name, (remedy, options, at_most) in tries.items():
            helped = options if callable(options) else lambda options=options: run(**options)
            self[name] = Advice(sentence, remedy, lambda: run(**provokes), helped, off, at_most)


def said(run: Run) -> str:
    """Returns all that a run or its refusal says."""
    try:
        return str(run().outcome)
    except ValueError as refused:
        return str(refused)


def ends(name: str, value: float | Callable[[], float]) -> Off:
    """Returns how far the last value is from a reference, which may be found on demand."""
    return lambda result: abs(float(result[name][-1]) - (value() if callable(value) else value))
