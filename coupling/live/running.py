"""A single run of a session: its options, and the data that belong to this run alone."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from coupling.live.checkpoints import CheckpointWriter, Way
from coupling.live.derivatives.parameters import Parameter
from coupling.live.pausing import Pause
from coupling.options import Run
from coupling.plan.definition import Value


@dataclass(kw_only=True, eq=False)
class Running:
    """A run from its start to its end. The next run of the session has another one."""

    run: Run
    values: Mapping[tuple[int, str], Value] = field(default_factory=dict)
    """Start values of the run, by the number of an instance and the name of its variable."""
    repeats: bool = False
    """Repeated steps find the multipliers that cannot be solved for at a point."""
    assembling: bool = False
    """The start need not make sense yet, and nothing is solved there."""
    parameters: Sequence[Parameter] = ()
    """The parameters by which the run is differentiated."""
    checkpoints: CheckpointWriter | None = None
    """The writer of checkpoints, if the run writes some."""
    rows_file: Path | None = None
    """The file that takes the rows, if memory does not."""
    pause: Pause = field(default_factory=Pause)
    """The place at which the run pauses next."""
    way: Way = field(default=Way(), init=False)
    """The way in which the derivatives are found."""
    evaluated_before: tuple[int, int] = field(default=(0, 0), init=False)
    """Evaluations before the integration began, by the FMUs and by their equations."""
    length: float | None = field(default=None, init=False)
    """The size of the mechanism in m, once it has been asked for."""
    said: dict[int, str] = field(default_factory=dict, init=False)
    """Warnings of instances at the start, by their numbers."""
    held: dict[tuple[int, str], Value] = field(default_factory=dict, init=False)
    """Inputs and parameters that the user of a run has set in instances, as start values."""
    raised: BaseException | None = field(default=None, init=False)
    """The exception that a function of time raised, or a signal during the run."""

    def warn(self, part: int, said: str) -> None:
        """Keeps the warning of an instance."""
        self.said[part] = said

    def hold(self, values: Mapping[tuple[int, str], Value]) -> None:
        """Keeps inputs and parameters that the user has set."""
        self.held |= values

    def fail(self, error: BaseException) -> None:
        """Keeps an exception until the kernel has returned, which cannot pass it on."""
        self.raised = error
