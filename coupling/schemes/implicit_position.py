"""Implicit coupling with constraints at position level: multipliers are constant over a step."""

from __future__ import annotations

from functools import partial

from coupling.schemes.base import failures
from coupling.schemes.base.constraint_level import ConstraintLevel
from coupling.schemes.base.implicit_step import ImplicitScheme
from coupling.schemes.base.scheme import SCHEMES

# A constant force moves a point by h^2/2 times the acceleration. Velocities alternate around the right value, and so does for good what a
# violation that is left means as a force, 2/h^2 times as much.
LEVEL = ConstraintLevel(
    mean=(2, 0),
    mean_of_velocities=(0, 1),
    tolerance=1e-13,
    loose=("velocity",),
    refused_controls={
        "adaptive": partial(failures.velocities_alternate, other_scheme="implicit"),
        "power": failures.velocities_alternate,
    },
)

SCHEMES.register("implicit-position", ImplicitScheme(LEVEL))
