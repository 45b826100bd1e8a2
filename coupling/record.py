"""Record of a run as data: rows over time, their columns, and the costs of the run."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

import numpy as np

EXACT_TYPES = ("String", "Binary", "Int64", "UInt64")
"""Types whose values no double holds: a column has the numbers by which texts are known."""


class Column(NamedTuple):
    """A recorded variable."""

    name: str
    """Full name, of instance and variable together."""
    variable: str
    """Name within its instance."""
    unit: str
    description: str = ""
    discrete: bool = False
    """True if the variable changes at events only."""
    type: str = ""
    """Type of FMI 3, if it is one of ``EXACT_TYPES``."""
    items: tuple[tuple[str, int], ...] = ()
    """Names and numbers of the items of an enumeration."""


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
    """True if its FMU gives derivatives by it; otherwise its effect at given states was found by differences."""


def quotient(unit: str, by: str) -> str:
    """Returns the unit of a derivative."""
    return f"{unit or '1'}/({by})" if by else unit


class Numbers(NamedTuple):
    """All recorded values over time: see ``Record``."""

    rows: np.ndarray
    created_energy: Mapping[str, np.ndarray]
    derivatives: np.ndarray
    drawn: Mapping[str, np.ndarray]


@dataclass(frozen=True)
class Lateness:
    """Delays of a run in real time. Its points are the ends of its pieces: the times of its rows, or the ends of ``advance``."""

    points: int
    """Number of points."""
    number: int
    """Number of points that the run has reached later than the wall clock."""
    worst: float
    """Greatest delay of a point in s, from the time at which it was due until the run went on. It includes that of waking up."""
    p999: float
    """Delay in s that 99.9 % of the points do not exceed, to 1 %."""

    def __str__(self) -> str:
        return (
            f"{self.number} of {self.points} points were late; delays are at most {1e3 * self.worst:.3g} ms, "
            f"and {1e3 * self.p999:.3g} ms for 99.9 % of the points"
        )


@dataclass(frozen=True)
class Statistics:
    """Costs of a run.

    Times in FMUs come from every hundredth evaluation, of those by FMUs and of those by equations. Measuring all of them would cost more
    than the evaluations themselves.
    """

    evaluations: int
    """Number of evaluations of the whole system, including those for recording."""
    steps: int
    """Number of accepted steps."""
    rejected: int
    """Number of rejected steps."""
    newton_iterations: int
    """Number of Newton iterations of all loops, or of the steps of ``index3``."""
    factorisations: int
    """Number of factorisations in these iterations."""
    events: int
    """Number of all events."""
    state_events: int
    """Number of events at which an indicator changed its sign."""
    time_events: int
    """Number of events at a known time."""
    step_events: int
    """Number of events that FMUs requested after a step."""
    seconds_preparing: float
    """Time in s for instances and initial states."""
    seconds_running: float
    """Time in s of the integration alone."""
    seconds_in_fmus: float
    """Share of that time in s that FMUs took."""
    passes: int = 0
    """Number of passes of a co-simulation in which all its instances stepped, repetitions included."""
    most_newton_iterations: int = 0
    """Greatest number of Newton iterations in a step, for a solver with fixed steps."""
    projected: Mapping[str, float] = field(default_factory=dict)
    """Projections by a solver with fixed steps: ``velocity`` is the greatest violation that they removed, in the unit of the constraint
    per s, ``energy`` their total loss in J."""
    evaluated: str = ""
    """Method by which derivatives were found."""
    handed_over: int = 0
    """Number of evaluations without the FMUs whose multipliers needed the general equations, as near a singular pose."""
    by_fmus: int = 0
    """Number of these evaluations that the FMUs had to make after all."""
    jacobians: int = 0
    """Number of times an implicit solver asked for the derivatives of the whole system."""
    late: Lateness | None = None
    """Delays against the wall clock, if the run was in real time."""

    def __post_init__(self) -> None:
        if isinstance(self.late, Mapping):  # as files have it
            object.__setattr__(self, "late", Lateness(**self.late))

    @property
    def seconds_in_master(self) -> float:
        return max(0.0, self.seconds_running - self.seconds_in_fmus)

    def __str__(self) -> str:
        jacobians = f"{self.jacobians} Jacobians, " if self.jacobians else ""
        handed = f", except the multipliers of {self.handed_over} evaluations, which the general equations gave" if self.handed_over else ""
        return (
            f"{self.steps} steps ({self.rejected} rejected), {self.evaluations} evaluations, {jacobians}{self.events} events; "
            f"{self.seconds_running:.3g} s: {self.seconds_in_fmus:.3g} s in FMUs, {self.seconds_in_master:.3g} s in the master"
            + (f"; {_fast(self.evaluated)}{handed}" if self.evaluated else "")
            + (f"; real time: {self.late}" if self.late else "")
        )


def _fast(evaluated: str) -> str:
    """Returns the method by which derivatives were found, in words of a summary."""
    if evaluated == "by the FMUs":
        return "no fast evaluation: derivatives came from calls of the FMUs"
    return "fast evaluation: derivatives came from " + evaluated.removeprefix("by ").replace("their", "the FMUs'")


@dataclass(frozen=True)
class Change:
    """Change of a joint: it came into force or went, changed its mode, or was hit."""

    time: float
    joint: str
    what: str
    """Kind of the change: ``added``, ``removed``, ``hit``, or a mode and the next one, such as ``sticks -> slips``."""
    impulses: Mapping[str, float]
    """Impulses by multiplier, of all joints at that time, in N.s or N.m.s; joints that were removed have 0."""
    energy: float
    """Energy in J that all changes at that time together have lost. Energy supplied by prescribed velocities does not count as a gain."""
    heirs: tuple[str, ...] = ()
    """Joints that repeated one that was removed, and carry its load from then on."""
    multiplier: str = ""
    """Multiplier whose mode changed, of a joint that has several."""


@dataclass(frozen=True, eq=False)
class Record:
    """Rows of numbers, the time first, then a column for each recorded variable."""

    system: str
    columns: tuple[Column, ...]
    rows: np.ndarray
    statistics: Statistics
    created_energy: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Energy in J that the coupling of a co-simulation has created so far (less than 0: lost), by port of an instance and what is
    connected with it."""
    variables: Mapping[str, Collection[str]] = field(default_factory=dict)
    """Names of all variables that can be recorded, by instance."""
    changes: tuple[Change, ...] = ()
    off: Mapping[str, tuple[tuple[int, int], ...]] = field(default_factory=dict)
    """Rows in which joints are not in force, from the first to before the last, by instance."""
    parameters: tuple[ByParameter, ...] = ()
    derivatives: np.ndarray = field(default_factory=lambda: np.zeros((0, 0)))
    """Derivatives of all columns by the first parameter, then by the next."""
    constants: Mapping[str, Constant] = field(default_factory=dict)
    """Parameters by their full names, with the values of the definition."""
    start_values: Mapping[str, float | str] = field(default_factory=dict)
    """Start values of this run alone, by full names."""
    options: Mapping[str, Any] = field(default_factory=dict)
    """Options of the run that numbers and words can express."""
    scene: Mapping[str, Any] = field(default_factory=dict)
    """Data for a picture of the system beside the rows: frames, places on them and words, with names of variables."""
    drawn: Mapping[str, np.ndarray] = field(default_factory=dict)
    """Variables of poses, and those with a range, that are not among the columns: by full name."""
    printed: Mapping[str, str] = field(default_factory=dict)
    """Text that the process of each instance has printed; instances without their own process have none. Files do not have it."""
    texts: Mapping[float, bytes] = field(default_factory=dict)
    """Bytes of texts, of binary data, and of the digits of large whole numbers, by the numbers among the rows."""
    beside: Mapping[str, Any] = field(default_factory=dict)
    """Other data of the file that the rows were read from; they are written again."""


def in_force(rows: int, off: Collection[tuple[int, int]]) -> np.ndarray:
    """Returns 1 for each row at which a joint is in force, and 0 for the others."""
    found = np.ones(rows)
    for first, last in off:
        found[first:last] = 0
    return found
