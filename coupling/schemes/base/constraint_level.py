"""What sets implicit schemes apart: at which levels constraints hold at the end of a step, and how multipliers run over it."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass, field

import numpy as np

from coupling.errors import BuildError
from coupling.kernel.cosimulation.implicit import LevelStructure
from coupling.live.session import Session

Share = tuple[float, float]
"""Of the accelerations position / h^2 and velocity / h, h being the step."""


@dataclass(frozen=True, kw_only=True)
class ConstraintLevel:
    """The levels that a scheme enforces, by what its Newton steps are made of.

    Multipliers move by what these accelerations need: by ``mean`` in the middle of a step, and at its end by as much more as ``spread``
    says as they move less at its beginning. A level that has no part in that is not enforced. Constraints of velocities alone determine one
    value of their multiplier a step, whatever the level.
    """

    mean: Share
    mean_of_velocities: Share
    """That of constraints of velocities alone."""
    spread: Share = (0.0, 0.0)
    """0 where a multiplier has one free value a step."""
    tolerance: float = 5e-11
    """How well constraints hold at the end of a step, in their units."""
    continuous: bool = False
    """Whether multipliers begin a step with what they had at the end of the last."""
    loose: Collection[str] = ()
    refused_controls: Mapping[str, Callable[..., BuildError]] = field(default_factory=dict)
    """Both as in :class:`CouplingScheme`."""
    refusal: Callable[[Session], BuildError | None] = lambda session: None
    """What the level asks of instances and one of them cannot do."""

    @property
    def structure(self) -> LevelStructure:
        """For the kernel."""
        return LevelStructure((self.mean_of_velocities, self.mean), self.spread, self.continuous)

    def enforced(self, holonomic: np.ndarray) -> np.ndarray:
        """Which violations are brought to 0, as many for a multiplier as it has free values: a row of positions, and one of velocities."""
        rows = [
            (bool(mean or spread), bool(alone)) for mean, spread, alone in zip(self.mean, self.spread, self.mean_of_velocities, strict=True)
        ]
        return np.array([np.where(holonomic, *row) for row in rows])
