"""Joints that are in force in intervals of time alone."""

from __future__ import annotations

import math
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np

from coupling.errors import BuildError, listed, shown
from coupling.fmus import Fmu
from coupling.names import nearest, resolve

Intervals = tuple[tuple[float, float], ...]
"""Beginnings and ends in seconds, in the order of time; an end may be infinite."""


def enforced_joint(name: Any, fmus: Mapping[str, Fmu], given: Collection[str]) -> str:
    """Returns the joint whose constraints come and go; refuses a name that is no joint."""
    if not isinstance(name, str):
        raise BuildError(f"enforce: {shown(name)} is no joint; give the name of one, such as 'grip'")
    instance, variable = resolve(name, fmus)
    if instance not in fmus:
        joints = [each for each, fmu in fmus.items() if _constrains(fmu)]
        raise BuildError(f"enforce: '{name}' is no joint of the system; {nearest(name, joints) or f'there are {listed(joints)}'}")
    if variable:
        raise BuildError(
            f"enforce: '{name}' is a variable; give a joint, whose constraints are switched. Values "
            "that must not change are named in hold= of equilibrium(), and those of add() stay in initial='assemble'"
        )
    if not _constrains(fmus[name]):
        raise BuildError(f"enforce: '{name}' has no constraints; only joints can be added and removed")
    dae = fmus[name].dae
    without = [c for c in dae.constraints if c.velocity is None] if dae else []
    if without:
        raise BuildError(
            f"enforce: '{name}' ({fmus[name].path.name}) gives '{fmus[name].by_reference[without[0].residual].name}' but no velocity of the "
            "constraint, as an output 'velocity[1]' and so on, by which velocities are made to fit; leave it in force all the time"
        )
    if name in given:
        raise BuildError(f"enforce: '{name}' has been given intervals before; give all of them at once")
    return name


def _constrains(fmu: Fmu) -> bool:
    return fmu.dae is not None and any(each.velocity is not None or each.position is not None for each in fmu.dae.constraints)


def intervals_of(name: str, given: Any) -> Intervals:
    """Returns the intervals in the order of time; intervals that touch are joined."""
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray):
        raise _no_intervals(name, given)
    found: list[tuple[float, float]] = []
    for each in given:
        found.append(_interval(name, each))
    joined: list[tuple[float, float]] = []
    for begin, end in sorted(found):
        if joined and begin < joined[-1][1]:
            raise BuildError(f"enforce: intervals of '{name}' overlap at {begin:g} s; join them")
        if joined and begin == joined[-1][1]:
            joined[-1] = joined[-1][0], end
        else:
            joined.append((begin, end))
    return tuple(joined)


def _interval(name: str, given: Any) -> tuple[float, float]:
    if isinstance(given, str) or not isinstance(given, Sequence | np.ndarray) or len(given) != 2:
        raise _no_intervals(name, given)
    begin, end = (math.inf if i and each is None else each for i, each in enumerate(given))
    for each in (begin, end):
        if isinstance(each, bool) or not isinstance(each, int | float | np.integer | np.floating) or math.isnan(each):
            raise _no_intervals(name, given)
    if end < begin:
        raise BuildError(f"enforce: the interval ({begin}, {end}) s of '{name}' ends before it begins; swap the times")
    if end == begin:
        raise BuildError(f"enforce: the interval ({begin}, {end}) s of '{name}' ends where it begins; give a later end")
    return float(begin), float(end)


def _no_intervals(name: str, given: Any) -> BuildError:
    return BuildError(
        f"enforce: {shown(given)} of '{name}' is refused: give intervals as pairs of seconds, such as [(0.5, 1.0), (1.5, None)], of which None "
        "means from then on"
    )
