"""Walk over joints that gives a start for the search of a pose: bodies are placed one after the other from the ground."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from coupling.analysis.closing import Fit, Row, Springs, dense, relaxed
from coupling.analysis.positions import Positions
from coupling.plan.graph import Address

_STIFFNESSES = (1.0, 1000.0)
_HELD, _REST = 1e-2, 1e2
"""Scales of held values, and of freedoms without a value, which rest at 0."""


@dataclass(frozen=True)
class Joint:
    """Constraints of one instance, the coordinates of its freedoms, and the instances whose states it depends on."""

    constraints: tuple[Row, ...]
    freedoms: tuple[Row, ...]
    parts: frozenset[int]


@dataclass(frozen=True)
class Told:
    """Values that the user gave for an output: its row, whether it is held, and the instances that it depends on."""

    row: Row
    held: bool
    parts: frozenset[int]


def walked(positions: Positions, joints: Sequence[Joint], told: Sequence[Told], x: np.ndarray) -> np.ndarray:
    """Returns the states after a walk over the joints, which goes on from placed bodies over the most informative joint."""
    free: dict[int, list[int]] = {}
    for move, part in enumerate(positions.part):
        free.setdefault(int(part), []).append(move)
    said: Mapping[Address, bool] = {each.row.address: each.held for each in told}
    known = {part: sum(1 + each.held for each in told if each.parts == {part}) for part in free}

    def worth(joint: Joint) -> int:
        freedoms = [said[row.address] for row in joint.freedoms if row.address in said]
        return sum(2 + 2 * held for held in freedoms) + max((known[part] for part in joint.parts if part in left), default=0)

    left, waiting = set(free), [joint for joint in joints if joint.parts & free.keys()]
    while left and waiting:
        waiting = [joint for joint in waiting if joint.parts & left]
        reached = [j for j in waiting if len(j.parts & left) == 1] or [j for j in waiting if j.parts - left]
        if not reached:
            if not waiting:
                break
            left.discard(min(min(joint.parts & left) for joint in waiting))  # a mechanism that hangs on nothing begins somewhere
            continue
        best = max(reached, key=worth)
        found = best.parts & left
        x = _placed(positions, best, [each for each in told if each.parts & found and not each.parts & (left - found)], found, free, x)
        left -= found
    return x


def _placed(
    positions: Positions, joint: Joint, told: Sequence[Told], parts: frozenset[int], free: Mapping[int, list[int]], x: np.ndarray
) -> np.ndarray:
    """Places the bodies of a joint, translations first, because a distant body would spin instead of move; then it makes joints ever
    stiffer."""
    moves = np.array([move for part in sorted(parts) for move in free[part]])
    fit = Fit(positions, joint.constraints, list(_wishes(joint, told)), moves=moves)
    springs, straight = Springs(fit, _STIFFNESSES[-1]), ~positions.turns[moves]
    off = springs.off(x)
    step = np.zeros(len(moves))
    step[straight] = -np.linalg.lstsq(dense(springs.gradient(x))[:, straight], off, rcond=1e-9)[0]
    x = fit.moved(x, step)
    for stiffness in _STIFFNESSES:
        x, _ = relaxed(fit, Springs(fit, stiffness), x, limit=20)
    return x


def _wishes(joint: Joint, told: Sequence[Told]) -> Iterator[Row]:
    """Yields the wishes for the bodies, in which held values weigh more. Freedoms without a value are at 0."""
    said = {each.row.address for each in told}
    for each in told:
        yield replace(each.row, scale=each.row.scale * _HELD) if each.held else each.row
    for row in joint.freedoms:
        if row.address not in said:
            yield replace(row, scale=row.scale * _REST)
