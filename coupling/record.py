"""What a run leaves as data: rows over time, what their columns are, and what the run cost."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np


class Column(NamedTuple):
    """A recorded variable."""

    name: str
    """Of instance and variable together."""
    variable: str
    """Its name within its instance."""
    unit: str
    description: str = ""
    discrete: bool = False
    """Whether it changes at events only."""


class Constant(NamedTuple):
    """A parameter, which keeps its value during a run."""

    value: float
    unit: str
    description: str


@dataclass(frozen=True)
class Statistics:
    """What a run cost. Times in FMUs come from every hundredth evaluation, since measuring all of them would cost more than they do."""

    evaluations: int
    steps: int
    rejected: int
    newton_iterations: int
    factorisations: int
    events: int
    state_events: int
    time_events: int
    step_events: int
    seconds_preparing: float
    seconds_running: float
    seconds_in_fmus: float
    passes: int = 0
    """Of a co-simulation: how often all its instances stepped, repetitions included."""

    @property
    def seconds_in_master(self) -> float:
        return max(0.0, self.seconds_running - self.seconds_in_fmus)

    def __str__(self) -> str:
        return (
            f"{self.steps} steps ({self.rejected} rejected), {self.evaluations} evaluations, {self.events} events; "
            f"{self.seconds_running:.3g} s: {self.seconds_in_fmus:.3g} s in FMUs, {self.seconds_in_master:.3g} s in the master"
        )


@dataclass(frozen=True, eq=False)
class Record:
    """Rows of numbers, the time first, then a column for each recorded variable."""

    system: str
    columns: tuple[Column, ...]
    rows: np.ndarray
    statistics: Statistics
    created_energy: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Of a co-simulation: the energy in J that coupling has created so far (less than 0: lost), by port of an instance and what is
    connected with it."""
    variables: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Everything there is to record, by instance."""
    constants: Mapping[str, Constant] = field(default_factory=dict)
    """Parameters by their full names, with the values of the definition."""
    start_values: Mapping[str, float | str] = field(default_factory=dict)
    """Those of this run alone, by full names."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What was asked for, where it can be said in numbers and words."""
    beside: Mapping[str, Any] = field(default_factory=dict)
    """What else a file says that the rows were read from; it is written again."""
