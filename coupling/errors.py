"""Errors that a user's mistake raises, and the form in which their texts show values."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any


class BuildError(ValueError):
    """A system that cannot be built, or run as asked; the text says why, and what to do."""


class Unprojectable(BuildError):
    """The states of a system cannot be moved onto its constraints."""

    def __init__(self, why: str) -> None:
        super().__init__(f"stabilisation='projection' cannot be used here: {why}; choose stabilisation='baumgarte'")
        self.why = why

    def __reduce__(self) -> tuple[type[Unprojectable], tuple[str]]:
        return Unprojectable, (self.why,)


class StartError(ValueError):
    """A system that cannot start; the text says which instance refuses, why, and what to do."""

    ending: object = None
    """``Ending`` of a run that was lost at its start with the process of an FMU."""


class Inconsistent(StartError):
    """An FMU whose behaviour contradicts its model description."""


class InitialStateError(ValueError):
    """A start that violates constraints; the text names each of them, by how much, and the remedy."""


class AnalysisError(ValueError):
    """An equilibrium or a linear model that does not exist, or that cannot be found; the text says why, and what to do."""


class ResultError(ValueError):
    """A file that holds no result, or a damaged one; the text says why, and what to do."""


class RunEnded(RuntimeError):
    """A run that is to go on has ended."""


class SweepError(RuntimeError):
    """A sweep that cannot go on; the text says why, and what to do."""


class NotRecorded(KeyError):
    """A name that a result or a pose does not have; unlike other KeyErrors, its text is shown as it is."""

    def __str__(self) -> str:
        return str(self.args[0])


def shown(value: Any, limit: int = 60) -> str:
    """Returns a value as Python writes it, cut to a length that fits into a sentence."""
    text = " ".join(repr(value).split())
    return text if len(text) <= limit else f"{text[: limit - 3]}..."


def listed(names: Iterable[str], limit: int = 8) -> str:
    """Returns names in quotes; names beyond the limit are only counted."""
    items = [f"'{name}'" for name in names]
    return ", ".join(items[:limit]) + (f" and {len(items) - limit} more" if len(items) > limit else "")


def with_article(word: str) -> str:
    """Returns a word after a or an."""
    return f"{'an' if word[0] in 'AEIOUaeiou' and not word.startswith('UInt') else 'a'} {word}"
