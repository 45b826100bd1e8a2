"""The compliant pendulum against the ideal one, the limits of its steps, and other mechanisms by the recipe."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

import numpy as np

from tests.support.interoperability.assembly import Recording, assembly
from tests.support.interoperability.cases import DOUBLE, README
from tests.support.interoperability.hold import body, recipe
from tests.support.interoperability.registry import Master
from tests.support.oracles.motion import Oracle
from tests.support.oracles.planar import Pendulum, Rod

DEFAULTS = {"compliant.k": 1e4, "compliant.c": 100.0}
STEP, STOP, LEVELS = 1e-3, 2.0, 4
"""The first step of the study, its end, and how often the step is halved, the stiffness growing fourfold and the damping twofold."""
POINTS = 200
"""Number of points that are compared in a run."""
FMI = 2
"""All coupling masters take it; the table of cases has both versions."""

SHORT = Pendulum(Rod(0.4, 3.0))


def rod_mobility(rod: Rod, *pins: float) -> float:
    """Returns a rod's share in the mobility of its pins, which are given by their distances from its first point."""
    return body(rod.m, rod.J, [pin - rod.c for pin in pins])


MOBILITIES: Mapping[Oracle, float] = {
    README: rod_mobility(README.rod, 0.0),
    SHORT: rod_mobility(SHORT.rod, 0.0),
    DOUBLE: rod_mobility(DOUBLE.rods[0], 0.0, 1.0) + rod_mobility(DOUBLE.rods[1], 0.0),
}
"""Mobility of the pin that moves most easily, by hand as the page explains: the sum of both bodies."""


def compliant(master: Master, oracle: Oracle, joint: Mapping[str, float], step: float, stop: float, *outputs: str) -> Recording:
    """A mechanism of revolute joints, all with the same stiffness and damping."""
    parts = {
        name: (component, {**start, **(joint if component == "planar.Revolute" else {})})
        for name, (component, start) in oracle.parts.items()
    }
    return master.record(assembly(parts, oracle.connections, step, stop, outputs), FMI)


def deviation(master: Master, oracle: Oracle, joint: Mapping[str, float], step: float, stop: float = STOP) -> np.ndarray:
    """Returns the deviation of all angles from the ideal mechanism, in rad, at the same points for any step: one row for each body."""
    recorded = compliant(master, oracle, joint, step, stop, *(f"{name}.theta" for name in oracle.masses))
    some = slice(None, None, round(stop / step) // POINTS)
    ideal = oracle.motion(recorded.time[some])
    return np.array([recorded[f"{name}.theta"][some] - ideal[name].theta for name in oracle.masses])


@cache
def refined(master: Master, level: int) -> np.ndarray:
    """The deviation of the README's pendulum; level 0 has the defaults."""
    joint = {"compliant.k": DEFAULTS["compliant.k"] * 4**level, "compliant.c": DEFAULTS["compliant.c"] * 2**level}
    return deviation(master, README, joint, STEP / 2**level)


def error(master: Master, level: int) -> float:
    return float(np.abs(refined(master, level)).max())


def extrapolated(master: Master, level: int) -> float:
    """Returns the remaining deviation if two levels are extrapolated to an infinite stiffness: the deviation falls like 1/k."""
    return float(np.abs(4 * refined(master, level + 1) - refined(master, level)).max() / 3)


@cache
def by_recipe(master: Master, oracle: Oracle, step: float) -> np.ndarray:
    return deviation(master, oracle, recipe(master.late).parameters(MOBILITIES[oracle], step), step, 1.0)


def slower(pendulum: Pendulum, k: float) -> float:
    """Returns the relative amount by which a compliant pin slows small swings.

    It is half the sag times d / l^2, with l = (I + m d^2) / (m d), to first order in 1/k. It follows from two degrees of freedom: the
    pin's horizontal displacement and the angle.
    """
    m, d, inertia = pendulum.rod.m, pendulum.rod.c, pendulum.rod.J
    reduced = (inertia + m * d**2) / (m * d)
    return m * pendulum.g / k * d / reduced**2 / 2
