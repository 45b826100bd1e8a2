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


class ByParameter(NamedTuple):
    """A parameter by which a run was differentiated."""

    name: str
    unit: str
    exact: bool
    """Whether its FMU gives derivatives by it; else its effect at given states was found by differences."""


def quotient(unit: str, by: str) -> str:
    """The unit of a derivative."""
    return f"{unit or '1'}/({by})" if by else unit


class Numbers(NamedTuple):
    """All that is recorded over time: see ``Record``."""

    rows: np.ndarray
    created_energy: Mapping[str, np.ndarray]
    derivatives: np.ndarray
    drawn: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Statistics:
    """What a run cost. Times in FMUs come from every hundredth evaluation, of those by FMUs and of those by equations, since
    measuring all of them would cost more than they do."""

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
    most_newton_iterations: int = 0
    """Of any step, for a solver with fixed steps."""
    projected: Mapping[str, float] = field(default_factory=dict)
    """For such a solver: ``velocity``, the greatest violation that a projection has removed, and ``energy``, all that projections have taken out."""
    evaluated: str = ""
    """How derivatives were found."""
    handed_over: int = 0
    """Of evaluations without the FMUs, those whose multipliers the general equations had to tell, as near a singular pose."""
    by_fmus: int = 0
    """The same, those that the FMUs had to make after all."""
    jacobians: int = 0
    """How often an implicit solver asked for the derivatives of the whole system."""

    @property
    def seconds_in_master(self) -> float:
        return max(0.0, self.seconds_running - self.seconds_in_fmus)

    def __str__(self) -> str:
        jacobians = f"{self.jacobians} Jacobians, " if self.jacobians else ""
        handed = f", except the multipliers of {self.handed_over} evaluations, which the general equations gave" if self.handed_over else ""
        return (
            f"{self.steps} steps ({self.rejected} rejected), {self.evaluations} evaluations, {jacobians}{self.events} events; "
            f"{self.seconds_running:.3g} s: {self.seconds_in_fmus:.3g} s in FMUs, {self.seconds_in_master:.3g} s in the master"
            + (f"; evaluated {self.evaluated}{handed}" if self.evaluated else "")
        )


@dataclass(frozen=True)
class Change:
    """A joint that came into force in a run, or went; changed its mode, or was hit."""

    time: float
    joint: str
    what: str
    """``added``, ``removed``, ``hit``, or a mode and the next one, such as ``sticks -> slips``."""
    impulses: Mapping[str, float]
    """By multiplier, of all joints at that time, in N.s or N.m.s; those that were removed have 0."""
    energy: float
    """J, lost by all changes at that time together; what prescribed velocities supply is not counted as won."""
    heirs: tuple[str, ...] = ()
    """Joints that repeated one that was removed, and carry its load from then on."""
    multiplier: str = ""
    """Of a joint whose mode changed, the one that is meant."""


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
    changes: tuple[Change, ...] = ()
    off: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """Rows in which joints are not in force, from the first to before the last, by instance."""
    parameters: tuple[ByParameter, ...] = ()
    derivatives: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    """Of all columns by the first parameter, then by the next."""
    constants: Mapping[str, Constant] = field(default_factory=dict)
    """Parameters by their full names, with the values of the definition."""
    start_values: Mapping[str, float | str] = field(default_factory=dict)
    """Those of this run alone, by full names."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """What was asked for, where it can be said in numbers and words."""
    scene: Mapping[str, Any] = field(default_factory=dict)
    """What a picture of the system needs beside the rows: frames, places on them and words, with names of variables."""
    drawn: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Variables of poses, and those with a range, that are not among the columns: by full name."""
    printed: Mapping[str, str] = field(default_factory=dict)
    """By instance, what its process has printed; of those that have none of their own there is nothing. Files do not have it."""
    beside: Mapping[str, Any] = field(default_factory=dict)
    """What else a file says that the rows were read from; it is written again."""


def in_force(rows: int, off: Collection[tuple[int, int]]) -> np.ndarray:
    """By row, 1 where a joint is in force and 0 where it is not."""
    found = np.ones(rows)
    for first, last in off:
        found[first:last] = 0
    return found
