"""The tables of a model, which a generated module fills."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

Values = list[Any]
"""Reals, integers and Booleans by value reference, which counts from 1; time is the last."""


@dataclass(frozen=True)
class SlaveVariable:
    """One variable."""

    name: str
    type: str
    causality: str
    variability: str
    initial: str | None
    start: Any
    unit: str
    text: str
    minimum: float = -math.inf
    maximum: float = math.inf
    open_below: bool = False
    open_above: bool = False
    range: str = ""
    """The range in words, as it follows 'must be'."""

    def missing(self, value: float) -> str | None:
        """Returns the requirement that the value violates; None where it meets all."""
        above = value > self.minimum if self.open_below else value >= self.minimum
        below = value < self.maximum if self.open_above else value <= self.maximum
        if not math.isfinite(value):
            return "a finite number"
        return None if above and below else self.range

    def settable(self, running: bool) -> bool:
        """Says whether the importer may set the value, while the simulation is running or before."""
        if self.causality == "input":
            return True
        return self.causality == "parameter" and self.variability == "tunable" if running else self.start is not None

    def shown(self, value: Any) -> str:
        """The value as it stands in a sentence."""
        return f"{self.name} = {value:g}{' ' + self.unit if self.unit else ''}" if self.type == "real" else f"{self.name} = {value}"


@dataclass(frozen=True)
class SlaveEvent:
    """New values of states and discrete states, computed from all values before the event."""

    kind: str
    """``rises``, ``falls`` or ``reaches``."""
    index: int
    """Index of the relation that rises or falls, or of the instant that is reached."""
    targets: tuple[int, ...]
    update: Callable[[Values], Sequence[Any]]
    text: str


def _nothing(values: Values) -> Sequence[float]:
    return ()


@dataclass(frozen=True)
class Model:
    """All that a generated module says about its component."""

    name: str
    title: str
    token: str
    stop_time: float
    variables: tuple[SlaveVariable, ...]
    states: tuple[int, ...]
    nominal: tuple[float, ...]
    relations: tuple[int, ...]
    events: tuple[SlaveEvent, ...]
    conditions: tuple[tuple[str, tuple[int, ...], bool], ...]
    """Conditions at initialisation: the text, the variables on which it depends, and true where a violation only causes a warning.

    ``require`` gives expressions that must be positive.
    """
    evaluate: Callable[[Values], None]
    derivatives: Callable[[Values], Sequence[float]] = _nothing
    indicators: Callable[[Values], Sequence[float]] = _nothing
    """Function that returns the indicators, one per relation."""
    instants: Callable[[Values], Sequence[float]] = _nothing
    """Function that returns the instants, one per time event."""
    require: Callable[[Values], Sequence[float]] = _nothing

    def variable(self, reference: int) -> SlaveVariable:
        return self.variables[reference - 1]
