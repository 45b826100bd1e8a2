"""Options of a run whose end is not known when it starts."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from coupling.errors import BuildError
from coupling.options.run import Run


@dataclass(frozen=True, kw_only=True)
class OpenRun(Run):
    """Options of a run that is advanced piece by piece. Its stop time is infinite until it ends."""

    is_open = True
    stop_time: float = math.inf

    def end_at(self, time: float) -> None:
        """Notes the time in s at which the run ends."""
        object.__setattr__(self, "stop_time", time)

    @property
    def rows(self) -> float:
        return 1.0

    def times(self) -> np.ndarray:
        """Times in s of the rows that are known beforehand: the start."""
        return np.array([self.start_time])

    def _check_times(self) -> None:
        if not math.isfinite(self.start_time):
            raise BuildError(f"start_time = {self.start_time:g} s must be finite")
        self._check_output_times()
        if self.output_times is not None:
            object.__setattr__(self, "output_times", np.unique(np.asarray(self.output_times, dtype=float)))

    def _check_communication(self) -> None:
        known = self.stop_time
        object.__setattr__(self, "stop_time", self.start_time)  # what is checked about the end is so at every end
        super()._check_communication()
        object.__setattr__(self, "stop_time", known)

    def _check_objects(self) -> None:
        if (self.index3 is None and self.solver == "index3") or (self.index3 and self.index3.step_size is None):
            raise BuildError("solver = 'index3' has no step_size, which follows from the end of a run; give Index3(step_size=0.001)")
        super()._check_objects()
