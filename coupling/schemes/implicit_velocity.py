"""Implicit coupling with constraints at velocity level: multipliers are linear over a step, and continuous from step to step."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np

from coupling.schemes.base import failures
from coupling.schemes.base.constraint_level import ConstraintLevel
from coupling.schemes.base.implicit_step import ImplicitScheme
from coupling.schemes.base.prediction import Point
from coupling.schemes.base.scheme import SCHEMES


class VelocityLevel(ConstraintLevel):
    """A force that grows linearly from 0 changes a velocity by h/2 times the last acceleration."""

    unknowns = 1
    continuous = True
    refused_controls = {"power": failures.nothing_extrapolated}

    def enforced(self, holonomic: np.ndarray) -> np.ndarray:
        return np.array([np.zeros_like(holonomic), np.ones_like(holonomic)])

    def at_beginning(self, t: float, points: Sequence[Point], at_end: np.ndarray, holonomic: np.ndarray) -> np.ndarray:
        return points[0].multipliers

    def newton(self, solve: Callable[[np.ndarray], np.ndarray], violations: np.ndarray, holonomic: np.ndarray, h: float) -> np.ndarray:
        return -solve(violations[1] * (2 / h))[None]


SCHEMES.register("implicit-velocity", ImplicitScheme(VelocityLevel()))
