"""Steady motion as part of an equilibrium: coordinates on which nothing depends, such as the angle of a shaft that turns."""

from __future__ import annotations

import numpy as np

from coupling.analysis.coordinates import Chart, Coordinates, Gradients, chart, state_addresses
from coupling.analysis.standing import Standing
from coupling.errors import AnalysisError
from coupling.plan.graph import Address

_NOTHING, _ROUNDING = 1e-11, 1e-13
_ASIDE, _LITTLE = 0.05, 1e-3
"""The shares of nominal values by which positions and velocities, and other states, are moved for the second look."""


def ignorable(standing: Standing, coordinates: Coordinates, nominal: np.ndarray) -> dict[Address, float]:
    """Returns the coordinates on which no rate depends, with their own rates.

    A column may vanish at one pose by chance; it has to vanish also at a second one, where everything moves.
    """
    start = standing.x.copy()
    moving = [*standing.motions, *standing.velocities, *(i for four in standing.quaternions for i in four)]
    sizes = _LITTLE * np.maximum(nominal, np.abs(start))
    sizes[moving] = _ASIDE * nominal[moving]
    try:
        standing.move(start)
        here = chart(standing, coordinates)
        rates = standing.values([c.rate for c in here.coordinates])
        of = dict(zip((c.variable for c in here.coordinates), map(float, rates), strict=True))
        found = _without_effect(standing, here, nominal)
        if found:
            step = np.linalg.pinv(here.tangent) @ (sizes * np.random.default_rng(0).uniform(-1, 1, len(start)))
            standing.move(start + here.tangent @ step)
            found &= _without_effect(standing, chart(standing, coordinates), nominal)
            standing.move(start)
    except AnalysisError:
        return {}
    return {a: of[a] for a in found}


def _without_effect(standing: Standing, here: Chart, nominal: np.ndarray) -> frozenset[Address]:
    gradients, n = standing.gradients(), standing.states
    sizes = dict(zip(state_addresses(standing.session), np.maximum(nominal, np.abs(standing.x)), strict=True))
    scale = np.array([sizes.get(c.variable, 1.0) for c in here.coordinates])
    columns = np.abs(np.array([gradients[c.rate][:n] for c in here.coordinates]).reshape(-1, n) @ here.tangent * scale) / scale[:, None]
    least = np.maximum(_NOTHING * columns.max(axis=1, initial=0.0), _ROUNDING * columns.max(initial=0.0))
    return frozenset(c.variable for c, column in zip(here.coordinates, columns.T, strict=True) if np.all(column <= least))


def unsteady(standing: Standing, here: Chart, steady: frozenset[Address], gradients: Gradients) -> tuple[np.ndarray, np.ndarray]:
    """Returns the velocities less those of the steady motion, and their derivatives by the states and all inputs."""
    n, velocities = standing.states, standing.velocities
    rows, left = np.eye(n, n + len(standing.inputs))[velocities], standing.x[velocities]
    along = [i for i, c in enumerate(here.coordinates) if c.variable in steady]
    if not along or not velocities:
        return rows, left
    rates = [here.coordinates[i].rate for i in along]
    positions = [*standing.motions, *(i for four in standing.quaternions for i in four)]
    by_velocities = np.array([gradients[standing.rates[i]][velocities] for i in positions])
    share = np.linalg.pinv(by_velocities) @ here.tangent[np.ix_(positions, along)]
    return rows - share @ np.array([gradients[a] for a in rates]), left - share @ standing.values(rates)
