"""Implicit coupling with constraints at position level: multipliers are constant over a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

import numpy as np

from coupling.schemes.base import failures
from coupling.schemes.base.constraint_level import ConstraintLevel
from coupling.schemes.base.implicit_step import ImplicitScheme
from coupling.schemes.base.prediction import Point
from coupling.schemes.base.scheme import SCHEMES


class PositionLevel(ConstraintLevel):
    """A constant force moves a point by h^2/2 times the acceleration."""

    unknowns = 1
    loose = ("velocity",)  # they alternate around the right value
    refused_controls = {
        "adaptive": partial(failures.velocities_alternate, other_scheme="implicit"),
        "power": failures.velocities_alternate,
    }

    def enforced(self, holonomic: np.ndarray) -> np.ndarray:
        return np.array([holonomic, ~holonomic])

    def at_beginning(self, t: float, points: Sequence[Point], at_end: np.ndarray, holonomic: np.ndarray) -> np.ndarray:
        return at_end

    def newton(self, solve: Callable[[np.ndarray], np.ndarray], violations: np.ndarray, holonomic: np.ndarray, h: float) -> np.ndarray:
        position, velocity = violations
        return -solve(np.where(holonomic, position * (2 / h**2), velocity / h))[None]


SCHEMES.register("implicit-position", ImplicitScheme(PositionLevel()))
