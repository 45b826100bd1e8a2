"""Options of implicit steps of fixed size."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import ClassVar

from coupling.errors import BuildError
from coupling.kernel.runs.index3 import METHODS
from coupling.options.calls import OptionObject, option_object
from coupling.options.numbers import check_word, number

AUGMENTED = "augmented-lagrangian"


@option_object("solver")
@dataclass(frozen=True, kw_only=True, repr=False)
class Index3(OptionObject):
    """The solver ``index3``: implicit steps of fixed size that end on the constraints, ``simulate(solver=Index3(step_size=0.01))``."""

    MAIN: ClassVar[str] = "index3"

    step_size: float | None = None
    """Seconds of each step; by default a 500th of the run."""
    metric: str = "mass"
    """Metric in which velocities are projected: ``mass`` or ``tangent``."""
    velocity_level: str = "stepped"
    """Treatment of constraints of velocities alone: ``stepped`` ones hold within the iteration; ``projected`` ones are left to the
    projection, of first order."""
    method: str = "trapezoidal"
    """The time rule: ``trapezoidal``, ``generalised-alpha`` or ``trbdf2``."""
    spectral_radius: float = 0.8
    """Spectral radius (dimensionless) of ``generalised-alpha`` at infinite frequency, at least 0 and less than 1."""
    newton_limit: int = 10
    """The most Newton iterations of a step."""
    newton_tolerance: float = 1e-10
    """The relative change at which an iteration ends."""
    iteration: str = "bordered"
    """Iteration of a step: ``bordered`` solves for states and multipliers together. ``augmented-lagrangian`` is that of the method's paper:
    penalties iterate the multipliers, and both projections give the reactions."""
    penalty: float = 1e6
    """Penalty of the augmented Lagrangian, which should be much more than 4 m/h^2."""
    iterations: int = 10
    """The most passes of the augmented Lagrangian in a step, and of each of its projections."""

    def __post_init__(self) -> None:
        check_word("metric", self.metric, ("mass", "tangent"))
        check_word("velocity_level", self.velocity_level, ("stepped", "projected"))
        check_word("method", self.method, METHODS)
        check_word("iteration", self.iteration, ("bordered", AUGMENTED))
        if self.step_size is not None:
            step = number("step_size", self.step_size)
            if not 0 < step < math.inf:
                raise BuildError(f"step_size = {step:g} s is refused: it must be greater than 0 and finite")
            object.__setattr__(self, "step_size", step)
        radius = number("spectral_radius", self.spectral_radius)
        if radius != Index3.spectral_radius and self.method != "generalised-alpha":
            raise BuildError(f"spectral_radius = {radius:g} is for method='generalised-alpha', not for '{self.method}'; leave it out")
        if not 0 <= radius < 1:
            raise BuildError(f"spectral_radius = {radius:g} is refused: it must be at least 0 and less than 1; 0.8 is the default")
        limit = number("newton_limit", self.newton_limit)
        if not limit >= 1 or limit % 1 != 0:
            raise BuildError(f"newton_limit = {limit:g} is refused: it must be a whole number of at least 1")
        tolerance = number("newton_tolerance", self.newton_tolerance)
        if not 1e-14 <= tolerance <= 1e-3:
            raise BuildError(f"newton_tolerance = {tolerance:g} is refused: it must lie between 1e-14 and 1e-3; 1e-10 is the default")
        for name, value in (("spectral_radius", radius), ("newton_limit", int(limit)), ("newton_tolerance", tolerance)):
            object.__setattr__(self, name, value)
        self._check_augmented()

    def _check_augmented(self) -> None:
        """Checks the options of the augmented Lagrangian, and what it leaves of the others."""
        penalty, iterations = number("penalty", self.penalty), number("iterations", self.iterations)
        if not 0 < penalty < math.inf:
            raise BuildError(f"penalty = {penalty:g} is refused: it must be greater than 0 and finite; 1e6 is the default")
        if not 1 <= iterations < math.inf or iterations % 1 != 0:
            raise BuildError(f"iterations = {iterations:g} is refused: it must be a whole number of at least 1")
        object.__setattr__(self, "penalty", penalty)
        object.__setattr__(self, "iterations", int(iterations))
        for name, value in (("penalty", penalty), ("iterations", iterations)):
            if value != getattr(Index3, name) and not self.augmented:
                raise BuildError(f"{name} = {value:g} is for iteration='{AUGMENTED}', not for '{self.iteration}'; leave it out")
        if self.augmented and self.method != Index3.method:
            raise BuildError(
                f"method = '{self.method}' is refused with iteration='{AUGMENTED}', whose rule is '{Index3.method}'; leave it out"
            )
        if self.augmented and self.newton_limit != Index3.newton_limit:
            raise BuildError(
                f"newton_limit = {self.newton_limit} is not used by iteration='{AUGMENTED}', which has iterations; leave it out"
            )

    @property
    def augmented(self) -> bool:
        """True if steps are those of the augmented Lagrangian."""
        return self.iteration == AUGMENTED
