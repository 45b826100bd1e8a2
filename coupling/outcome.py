"""Outcome of a run: a sentence with its remedy, warnings and notes."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import Enum
from typing import TypedDict

from coupling.markup import BAD, DOUBTFUL, GOOD, Markup, badge, framed, marked, noted

KEPT = "The result holds everything up to there"


class Ending(Enum):
    COMPLETED = "completed"
    TERMINATED = "ended by an FMU"
    UNTIL = "ended by until"
    PAUSED = "paused"
    INTERRUPTED = "interrupted"
    OUT_OF_TIME = "max_seconds have passed"
    FMU_FAILED = "an FMU failed"
    NOT_FINITE = "a value was not finite"
    BEYOND_LIMIT = "a state passed its value limit"
    STEP_TOO_SMALL = "the step size became too small"
    TOO_MANY_STEPS = "too many steps"
    LATE = "late for the wall clock"
    NOT_SOLVED = "equations could not be solved"
    CONTRADICTORY = "contradictory equations"
    CHATTERING = "events without end"
    SOLVER_FAILED = "the solver failed"
    INCONSISTENT = "an FMU contradicts its own description"
    REFUSED = "refused at its start"
    MEASURE_FAILED = "a measure failed"
    STORAGE_FAILED = "rows could not be written"
    PROCESS_DIED = "the process of an FMU ended"
    TIMED_OUT = "a call of an FMU took too long"
    WORKER_LOST = "the process of its worker ended"


_EARLY = (Ending.TERMINATED, Ending.INTERRUPTED, Ending.OUT_OF_TIME)
"""Endings that may be intended."""


class Counts(TypedDict, total=False):
    """Counts of a solver or scheme, as fields of ``Statistics``."""

    steps: int
    rejected: int
    jacobians: int
    newton_iterations: int
    most_newton_iterations: int
    factorisations: int
    projected: Mapping[str, float]


@dataclass
class Outcome:
    """Outcome of a run: ``print`` it, or ask it: ``if result.outcome.completed``."""

    ending: Ending
    """Kind of the end."""
    sentence: str
    """End of the run with its time, its reason and the remedy."""
    warnings: list[str] = field(default_factory=list)
    """Warnings on a run that continued."""
    notes: list[str] = field(default_factory=list)
    """Notes on facts that may be intended: units that were converted, inputs that nothing gives."""
    stabilisation: str = ""
    """Stabilisation that held the constraints, and the reason; empty without constraints."""
    counts: Counts = field(default_factory=Counts, repr=False, compare=False)
    """Counts of the solver or scheme."""

    @property
    def completed(self) -> bool:
        return self.ending is Ending.COMPLETED

    @property
    def as_asked(self) -> bool:
        """True if the run ended where its user asked: at its stop time, or by ``until``."""
        return self.ending in (Ending.COMPLETED, Ending.UNTIL)

    @property
    def key(self) -> tuple[object, ...]:
        """Returns the values by which two outcomes are compared."""
        return self.ending, self.sentence, *self.warnings, None, *self.notes, self.stabilisation

    def _repr_html_(self) -> str:
        """Shows the outcome, its warnings and its notes in notebooks."""
        good = GOOD if self.as_asked else DOUBTFUL if self.ending in _EARLY else BAD
        told = [*(noted(each, DOUBTFUL) for each in self.warnings), *(noted(each, "#8a97a5") for each in self.notes)]
        return framed(Markup(f"{badge(self.ending.value, good)} {marked(self.sentence)}"), *told, self.stabilisation)

    def __str__(self) -> str:
        return "\n".join([self.sentence, *(f"Warning: {each}" for each in self.warnings), *(f"Note: {each}" for each in self.notes)])
