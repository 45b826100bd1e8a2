"""The constraints of an FMU's residuals, recognised by their names: a convention, and not a part of any standard.

``residual[2]`` makes ``position[2]``, ``velocity[2]`` and ``acceleration[2]`` vanish by an algebraic variable, its multiplier.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass

from coupling.fmus.structure import Unknown
from coupling.fmus.variables import FmuVariable

LEVELS = ("position", "velocity", "acceleration")
_LEVEL = re.compile(rf"({'|'.join(LEVELS)})\[\d+\]")
_RESIDUAL = re.compile(r"residual\[(\d+)\]")


@dataclass(frozen=True, slots=True)
class Constraint:
    """One equation that the importer keeps by choosing a multiplier, all as value references."""

    multiplier: int
    residual: int
    position: int | None
    """Reference of the position level; None if the FMU does not give it, as for a constraint of velocities alone. The same holds for
    other levels."""
    velocity: int | None
    acceleration: int | None

    def at(self, level: str) -> int | None:
        """Returns the reference of the constraint at one of :data:`LEVELS`."""
        return {"position": self.position, "velocity": self.velocity, "acceleration": self.acceleration}[level]


def level_of(name: str) -> str | None:
    """Returns the level of the constraint that a variable is, by its name within its instance; None if it is no constraint."""
    found = _LEVEL.fullmatch(name)
    return found[1] if found else None


def read_constraints(
    algebraic: tuple[int, ...], residuals: tuple[Unknown, ...], variables: Mapping[str, FmuVariable]
) -> tuple[Constraint, ...]:
    """Returns the constraints in the order of the algebraic variables. If a residual has another name, its place in the list is its
    number."""

    def given(level: str, number: int) -> int | None:
        variable = variables.get(f"{level}[{number}]")
        return variable.reference if variable is not None and variable.type == "real" else None

    found = []
    for place, (multiplier, residual) in enumerate(zip(algebraic, residuals, strict=True), 1):
        named = _RESIDUAL.fullmatch(residual.name)
        number = int(named[1]) if named else place
        found.append(Constraint(multiplier, residual.reference, *(given(level, number) for level in LEVELS)))
    return tuple(found)
