"""What sets implicit schemes apart: at which levels constraints hold at the end of a step, and how multipliers run over it."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection, Mapping, Sequence

import numpy as np

from coupling.errors import BuildError
from coupling.live.session import Session
from coupling.schemes.base.prediction import Point


class ConstraintLevel(ABC):
    """The levels that a scheme enforces.

    Arrays have a column for each constraint. Violations have a row for positions and one for velocities; ``holonomic`` says which
    constraints exist at position level. Constraints of velocities alone determine one value of their multiplier a step, whatever the level.
    """

    unknowns: int
    """How many values of a multiplier are free in a step: 1, or 2 where those at both ends are."""
    continuous: bool = False
    """Whether multipliers begin a step with what they had at the end of the last."""
    loose: Collection[str] = ()
    refused_controls: Mapping[str, Callable[..., BuildError]]
    """Both as in :class:`Scheme`."""

    def refusal(self, session: Session) -> BuildError | None:
        """What the level asks of instances and one of them cannot do."""
        return None

    @abstractmethod
    def enforced(self, holonomic: np.ndarray) -> np.ndarray:
        """Which violations are brought to 0, as many for a multiplier as it has unknowns."""

    @abstractmethod
    def at_beginning(self, t: float, points: Sequence[Point], at_end: np.ndarray, holonomic: np.ndarray) -> np.ndarray:
        """Predicts the multipliers at the beginning of a step to a time, from the last points and the multipliers predicted at its end."""

    @abstractmethod
    def newton(self, solve: Callable[[np.ndarray], np.ndarray], violations: np.ndarray, holonomic: np.ndarray, h: float) -> np.ndarray:
        """By how much multipliers should move in a step of size h, a row for each unknown; ``solve`` finds those that accelerations need."""
