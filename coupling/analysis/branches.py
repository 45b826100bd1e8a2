"""The ways in which a mechanism can be assembled: group by group, each of the least size that closes by itself."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import scipy

from coupling.analysis.closing import Fit, Row, Springs, dense, relaxed
from coupling.analysis.positions import Positions
from coupling.plan.graph import Address

BEAM = 16
"""Greatest number of partial poses that are followed."""
_CLOSED, _SAME = 1e-14, 1e-4
_DYAD = 6
_PATTERN = 1e-9


@dataclass(frozen=True)
class Group:
    """Moves that close together (an Assur group), and their equations, of which the surplus ones are redundant."""

    moves: np.ndarray
    rows: tuple[Row, ...]
    surplus: tuple[Row, ...]
    soft: tuple[Row, ...]
    """Guesses that are decided as soon as this group is."""
    senses: tuple[Address, ...]


@dataclass(frozen=True, eq=False)
class Found:
    """A pose, the side on which each of its groups closes, and its distance from the guesses."""

    x: np.ndarray
    branch: str
    cost: float


@dataclass
class Enumeration:
    poses: list[Found]
    complete: bool = True
    """True if no partial pose had to be dropped."""
    open: Group | None = None
    """The first group that cannot be closed."""
    nearest: np.ndarray = field(default_factory=lambda: np.zeros(0))
    """Values that come nearest to closing the open group."""


def groups_of(fit: Fit, candidates: Sequence[Row], x: np.ndarray) -> list[Group]:
    """Returns the block triangular form of the equations, made square by holding candidates and then moves."""
    positions = fit.positions
    count = positions.moves
    random = np.random.default_rng(0)
    whole = Fit(positions, [*fit.hard, *candidates], fit.soft, fit.senses)
    pattern = np.zeros((len(whole.hard) + len(whole.soft) + len(whole.senses), count), dtype=bool)
    for _ in range(2):
        at = positions.moved(x, random.normal(size=count) * positions.scale)
        whole.values(at)
        parts = whole.gradients(at)
        pattern |= np.abs(np.vstack([dense(each) for each in parts])) > _PATTERN
    hard = len(fit.hard)
    square, of = _squared(pattern[:hard], pattern[hard : len(whole.hard)], positions)
    return list(_blocks(whole, pattern, square, of))


def _squared(hard: np.ndarray, candidates: np.ndarray, positions: Positions) -> tuple[np.ndarray, list[int]]:
    """Returns rows that determine all moves, and the number of the equation of each; -1 for a move that is held."""
    count = positions.moves
    moves = np.eye(count, dtype=bool)
    rows, of = hard, list(range(len(hard)))
    matched = int((_match(rows) >= 0).sum())
    extra = [(row, len(hard) + i) for i, row in enumerate(candidates)]
    extra += [(moves[i], -1) for i in np.argsort(~positions.turns, kind="stable")]
    for row, number in extra:
        if matched == count:
            break
        more = np.vstack([rows, row])
        now = int((_match(more) >= 0).sum())
        if now > matched:
            rows, matched = more, now
            of.append(number)
    return rows, of


def _match(rows: np.ndarray) -> np.ndarray:
    """Returns the move that each row determines, -1 for none."""
    return (
        scipy.sparse.csgraph.maximum_bipartite_matching(scipy.sparse.csr_array(rows), perm_type="column")
        if rows.size
        else np.full(len(rows), -1)
    )


def _blocks(whole: Fit, pattern: np.ndarray, square: np.ndarray, of: Sequence[int]) -> Iterator[Group]:
    count = whole.positions.moves
    row_of = np.full(count, -1)
    for row, move in enumerate(_match(square)):
        if move >= 0:
            row_of[move] = row
    depends = np.array([square[r] if r >= 0 else np.zeros(count, dtype=bool) for r in row_of]).reshape(count, count)
    number, label = scipy.sparse.csgraph.connected_components(scipy.sparse.csr_array(depends), directed=True, connection="strong")
    before = [{int(k) for k in np.unique(label[depends[label == i].any(axis=0)])} - {i} for i in range(number)]
    known, done, left = np.zeros(count, dtype=bool), set[int](), list(range(number))
    rest = [r for r in range(len(square)) if r not in set(row_of)]
    soft, senses = len(whole.hard), len(whole.hard) + len(whole.soft)
    decided = np.zeros(len(pattern), dtype=bool)
    while left:
        block = next(i for i in left if before[i] <= done)
        left.remove(block)
        done.add(block)
        moves = np.flatnonzero(label == block)
        known[moves] = True
        fresh = ~decided & ~(pattern & ~known).any(axis=1)
        decided |= fresh
        equations = [of[row_of[m]] for m in moves if row_of[m] >= 0]
        surplus = [of[r] for r in rest if of[r] >= 0 and fresh[of[r]]]
        yield Group(
            moves,
            tuple(whole.hard[i] for i in equations if i >= 0),
            tuple(whole.hard[i] for i in surplus),
            tuple(whole.soft[i - soft] for i in np.flatnonzero(fresh) if soft <= i < senses),
            tuple(whole.senses[i - senses] for i in np.flatnonzero(fresh) if i >= senses),
        )


def enumerated(positions: Positions, groups: Sequence[Group], x: np.ndarray, budget: int, beam: int = BEAM) -> Enumeration:
    """Returns all poses. At each group it keeps the partial poses nearest to the guesses; ``budget`` limits the solutions of groups."""
    random, poses, complete = np.random.default_rng(0), [Found(x, "", 0.0)], True
    for group in groups:
        search = _Search(positions, group, random)
        found = []
        for pose in poses:
            found += search.from_pose(pose)
            budget -= search.tries
        if not found:
            return Enumeration([], complete, group, search.nearest)
        found.sort(key=lambda each: each.cost)
        complete = complete and len(found) <= beam
        poses = found[:beam] if budget > 0 else found[:1]
        complete = complete and budget > 0
    return Enumeration(poses, complete)


class _Search:
    """Search for all ways in which one group closes."""

    def __init__(self, positions: Positions, group: Group, random: np.random.Generator) -> None:
        self._positions, self._group, self._random = positions, group, random
        self._fit = Fit(positions, [*group.rows, *group.surplus], (), group.senses, moves=group.moves)
        self._guesses = Fit(positions, (), group.soft, moves=group.moves) if group.soft else None
        self._straight = ~positions.turns[group.moves]
        self.tries = 0
        self.nearest, self._gap = np.zeros(0), np.inf

    def from_pose(self, pose: Found) -> list[Found]:
        count = len(self._group.moves)
        if not self._group.rows and not self._group.surplus:
            return [self._taken(pose, pose.x, "")]
        most, quiet = (10, 3) if count == 1 else (30, 9) if count <= _DYAD else (60, 16)
        springs, found, silent = Springs(self._fit, 1.0), list[np.ndarray](), 0
        self.tries = 0
        for attempt in range(most):
            self.tries += 1
            at, gap = relaxed(self._fit, springs, self._begun(pose.x) if attempt else pose.x)
            if gap > _CLOSED:
                if gap < self._gap:
                    self._gap, self.nearest = gap, at
                continue
            if any(self._distance(at, other) < _SAME for other in found):
                silent += 1
            else:
                found.append(at)
                silent = 0
            if silent >= quiet:
                break
        letters = self._letters(found)
        return [self._taken(pose, at, letter) for at, letter in zip(found, letters, strict=True)]

    def _letters(self, found: Sequence[np.ndarray]) -> list[str]:
        """Returns the side on which each pose closes the group. In large groups several poses close on one side and are numbered."""
        if len(self._group.moves) == 1:
            return ["" for _ in found]
        letters = [letter_of(self._fit, len(self._group.rows), at) for at in found]
        if len(self._group.moves) <= _DYAD:
            return letters
        return [f"{letter}{1 + letters[:i].count(letter)}" for i, letter in enumerate(letters)]

    def _taken(self, pose: Found, at: np.ndarray, letter: str) -> Found:
        return Found(at, pose.branch + letter, pose.cost + (self._guesses.cost(at) if self._guesses else 0.0))

    def _begun(self, x: np.ndarray) -> np.ndarray:
        """Returns random angles, and the places that fit to them as far as equations are linear in places."""
        straight, count = self._straight, len(self._group.moves)
        step = np.where(straight, self._random.uniform(-1, 1, count), self._random.uniform(-np.pi, np.pi, count))
        at = self._fit.moved(x, step)
        if straight.any():
            off = self._fit.values(at)[0]
            step = np.zeros(count)
            step[straight] = -np.linalg.lstsq(dense(self._fit.gradients(at)[0])[:, straight], off, rcond=1e-9)[0]
            at = self._fit.moved(at, step)
        return at

    def _distance(self, a: np.ndarray, b: np.ndarray) -> float:
        return apart(self._positions, a, b, self._group.moves)


def letter_of(fit: Fit, equations: int, x: np.ndarray) -> str:
    """Returns the sign of the determinant of a group's own equations, which changes only where the group folds."""
    fit.values(x)
    matrix = dense(fit.gradients(x)[0])[:equations]
    if matrix.shape[0] != matrix.shape[1]:
        return "0"
    return "+" if np.linalg.det(matrix) > 0 else "-"


def apart(positions: Positions, a: np.ndarray, b: np.ndarray, moves: np.ndarray | slice = slice(None)) -> float:
    """Returns the distance of two poses in the scales of the moves, without whole turns."""
    step = positions.between(a, b)
    step = np.where(positions.turns, step - 2 * np.pi * np.round(step / (2 * np.pi)), step)
    return float(np.abs(step[moves] / positions.scale[moves]).max(initial=0.0))
