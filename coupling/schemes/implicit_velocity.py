"""Implicit coupling with constraints at velocity level: multipliers are linear over a step, and continuous from step to step."""

from __future__ import annotations

from coupling.schemes.base import failures
from coupling.schemes.base.constraint_level import ConstraintLevel
from coupling.schemes.base.implicit_step import ImplicitScheme
from coupling.schemes.base.scheme import SCHEMES

# A force that grows linearly from 0 changes a velocity by h/2 times the last acceleration.
LEVEL = ConstraintLevel(
    mean=(0, 2),
    mean_of_velocities=(0, 2),
    continuous=True,
    refused_controls={"power": failures.nothing_extrapolated},
)

SCHEMES.register("implicit-velocity", ImplicitScheme(LEVEL))
