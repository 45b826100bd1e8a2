"""The start of a system in Modelica: values of all states, and the states that keep them."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from scipy.linalg import null_space, qr

from coupling.analysis.coordinates import state_addresses
from coupling.analysis.standing import Standing
from coupling.errors import listed
from coupling.live.session import Session
from coupling.live.violations import constraints_at
from coupling.modelica.refusal import NoText
from coupling.plan.definition import Name
from coupling.plan.graph import Address

_RANK, _GOOD = 1e-9, 0.3
"""Least share of a constraint that others lack; share of the best state's motion at which another one is as good."""


@dataclass(frozen=True)
class Start:
    """Values of all states, and the states that keep them; constraints determine the others, whose values are guesses."""

    values: Mapping[Name, float]
    kept: frozenset[Name]


def start_of(session: Session, given: Collection[Name]) -> Start:
    """Returns the start where the session stands; constraints that repeat each other raise NoText.

    A compiler solves all constraints of positions and velocities at the start. Therefore as many states are kept as there are freedoms.
    Angles come first, since a crank that turns passes no pose in which its angle tells nothing, then values that are ``given``.
    """
    parts, addresses = session.built.parts, state_addresses(session)
    variables = [parts[a.part].fmu.by_reference[a.reference] for a in addresses]
    names = [(parts[a.part].name, variable.name) for a, variable in zip(addresses, variables, strict=True)]
    preferred = np.array([2.0 * (v.unit not in ("m", "m/s")) + (name in given) for name, v in zip(names, variables, strict=True)])
    standing = Standing(session, [], [])
    gradients = standing.gradients()
    speeds = np.zeros(len(names), dtype=bool)
    speeds[standing.velocities] = True
    kept = _kept(session, standing, gradients, "position", np.flatnonzero(~speeds), preferred)
    preferred[[standing.motions[i] for i in kept if i in standing.motions]] += 4.0
    kept += _kept(session, standing, gradients, "velocity", np.flatnonzero(speeds), preferred)
    values = {name: float(value) for name, value in zip(names, session.x, strict=True)}
    return Start(values, frozenset(names[i] for i in kept))


def _kept(
    session: Session, standing: Standing, gradients: Mapping[Address, np.ndarray], level: str, places: np.ndarray, preferred: np.ndarray
) -> list[int]:
    """Returns the states among some places that the constraints of a level leave free."""
    held = constraints_at(session, level)
    rows = np.array([gradients[a][: standing.states][places] for a in held]).reshape(len(held), len(places))
    lengths = np.linalg.norm(rows, axis=1)
    rows = rows / np.where(lengths > 0, lengths, 1.0)[:, None]
    if not rows.size:
        return [int(place) for place in places]
    _check_rank(session, held, rows)
    free = null_space(rows, rcond=_RANK)
    kept: list[int] = []
    for _ in range(free.shape[1]):
        reach = np.linalg.norm(free, axis=1)
        good = np.flatnonzero(reach >= _GOOD * reach.max())
        best = int(max(good, key=lambda i: (preferred[places[i]], round(reach[i], 6), -i)))
        kept.append(int(places[best]))
        free = free - np.outer(free @ free[best], free[best]) / reach[best] ** 2
    return kept


def _check_rank(session: Session, held: Sequence[Address], rows: np.ndarray) -> None:
    """Raises NoText for a constraint that repeats others, or that moves nothing."""
    sizes, order = qr(rows.T, mode="r", pivoting=True)
    diagonal = np.abs(np.diag(sizes))
    rank = int((diagonal > _RANK * max(diagonal.max(initial=0.0), 1e-300)).sum())
    if rank < len(held):
        repeated = dict.fromkeys(session.built.parts[held[i].part].name for i in order[rank:])
        raise NoText(f"the constraints of {listed(repeated)} repeat others at the start, and a Modelica compiler refuses such a system")
