"""Properties that distinguish implicit schemes: the levels of constraints that hold at the end of a step, and the course of multipliers."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from coupling.errors import BuildError
from coupling.kernel.cosimulation.implicit import LevelStructure
from coupling.live.session import Session

Share = tuple[float, float]
"""Shares of the accelerations position / h^2 and velocity / h, h being the step."""


@dataclass(frozen=True, kw_only=True)
class ConstraintLevel:
    """The levels that a scheme enforces, as weights of its Newton steps.

    Multipliers move in proportion to the accelerations that restore the constraints. ``mean`` is the change in the middle of a step.
    ``spread`` is added at its end and subtracted at its beginning. A level without weights is not enforced. Constraints of velocities alone
    determine one value of their multiplier a step, whatever the level.
    """

    mean: Share
    mean_of_velocities: Share
    """Share for constraints of velocities alone."""
    spread: Share = (0.0, 0.0)
    """Weight of the change over a step; 0 if a multiplier has one free value a step."""
    tolerance: float = 5e-11
    """Largest violation of constraints at the end of a step, in their units."""
    continuous: bool = False
    """True if multipliers begin a step with their value at the end of the last."""
    loose: Collection[str] = ()
    refused_controls: Mapping[str, Callable[..., BuildError]] = field(default_factory=dict)
    """Loose constraints and refused controls, both as in :class:`CouplingScheme`."""
    refusal: Callable[[Session], BuildError | None] = lambda session: None
    """Function that returns the error for an instance that lacks an ability which the level needs, or None."""

    @property
    def structure(self) -> LevelStructure:
        """Structure for the kernel."""
        return LevelStructure((self.mean_of_velocities, self.mean), self.spread, self.continuous)

    def enforced(self, holonomic: np.ndarray) -> np.ndarray:
        """Returns the violations that are brought to 0: a row of positions, and one of velocities. Each multiplier has as many as it has
        free values."""
        rows = [
            (bool(mean or spread), bool(alone)) for mean, spread, alone in zip(self.mean, self.spread, self.mean_of_velocities, strict=True)
        ]
        return np.array([np.where(holonomic, *row) for row in rows])
