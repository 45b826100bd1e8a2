"""The gravity of a whole system, for bodies that were not given any of their own."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import replace
from itertools import combinations
from typing import Any, NamedTuple

import numpy as np

from coupling.checks import is_number
from coupling.errors import BuildError, shown
from coupling.plan.definition import Gravity, InstanceDefinition
from coupling.plan.graph import Part

NAMES = ("gx", "gy", "gz")
"""Names of the gravity parameters of bodies; a component that a body in the plane does not have is 0."""


def gravity_of(given: Any) -> Gravity | None:
    """Returns the gravity that a user gives a system, checked; None where bodies keep their own."""
    if given is None:
        return None
    numbers = list(given) if isinstance(given, Sequence | np.ndarray) and not isinstance(given, str) and np.ndim(given) else []
    right = all(is_number(g) and math.isfinite(g) for g in numbers)
    if len(numbers) not in (2, 3) or not right:
        raise BuildError(f"gravity = {shown(given)} is refused: give two numbers in m/s2, such as (0.0, -9.81), or three in space")
    return tuple(map(float, numbers))


def with_gravity(instance: InstanceDefinition, gravity: Gravity | None) -> InstanceDefinition:
    """Returns an own component with the gravity of the system, if it was given none. In the plane it is the part along x and y."""
    known = instance.fmu.fmu.variables
    own = [name for name in NAMES if name in known and known[name].unit == "m/s2" and known[name].causality == "parameter"]
    ours = instance.fmu.fmu.is_own
    if gravity is None or not ours or set(own) & dict(instance.start).keys():
        return instance
    return replace(instance, start=(*instance.start, *((name, (*gravity, 0.0)[NAMES.index(name)]) for name in own)))


class Adapter(NamedTuple):
    """An instance with ports of several kinds, and the bodies that have gravity on each two of its sides, by their numbers."""

    part: Part
    sides: tuple[tuple[Sequence[int], Sequence[int]], ...]


def adapters_of(parts: Sequence[Part]) -> tuple[Adapter, ...]:
    """Returns the adapters with such bodies on more than one side."""
    adapters = [part for part in parts if len(_kinds(part)) > 1]
    bodies: dict[str, list[int]] = {}
    for index, part in enumerate(parts) if adapters else ():
        if any(name in part.fmu.variables and part.fmu.variables[name].unit == "m/s2" for name in NAMES):
            for kind in _kinds(part):
                bodies.setdefault(kind, []).append(index)
    found = (
        Adapter(
            part, tuple((bodies[one], bodies[other]) for one, other in combinations(_kinds(part), 2) if one in bodies and other in bodies)
        )
        for part in adapters
    )
    return tuple(each for each in found if each.sides)


def _kinds(part: Part) -> list[str]:
    return list(dict.fromkeys(terminal.kind for terminal in part.fmu.terminals.values()))
