"""Equations of positions and their solution: exactly for joints and held values, nearly for guesses."""

from __future__ import annotations

import warnings
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import scipy

from coupling.analysis.positions import MANY, Network, Positions
from coupling.live.scales import scales
from coupling.plan.graph import Address

Matrix = Any
"""A dense matrix, or a sparse one for many moves."""

EXACT, ENOUGH = 1e-13, 1e-9
"""Violations below which no further step is made, and those that must be reached."""
_TURN = 0.5
"""The largest angle, in rad, by which one step of Newton's method may turn anything."""
_SENSE = 0.3
"""Cosine of the angle between axes that a pose must exceed during the search, which keeps the axes from being reversed."""
_STIFFNESSES = (1.0, 10.0, 100.0, 1000.0)
LOOSE = 0.01
"""Weight by which a body without any value stays where the walk has put it."""
_RANK = 1e-9


def dense(matrix: Matrix) -> np.ndarray:
    return np.asarray(matrix.toarray()) if scipy.sparse.issparse(matrix) else np.asarray(matrix)


@dataclass(frozen=True)
class Row:
    """Equation that gives an output or a state a value."""

    address: Address
    value: float = 0.0
    scale: float = 1.0
    turn: bool = False
    """True if whole turns do not count."""

    def difference(self, value: float) -> float:
        """Returns the difference of a value from the wanted one."""
        off = value - self.value
        return off - 2 * np.pi * round(off / (2 * np.pi)) if self.turn else off


class Fit:
    """Equations and the moves by which they are to be met."""

    def __init__(
        self,
        positions: Positions,
        hard: Sequence[Row],
        soft: Sequence[Row] = (),
        senses: Sequence[Address] = (),
        moves: np.ndarray | None = None,
        network: Network | None = None,
    ) -> None:
        """Takes a ``network`` of the rows if one exists already."""
        self.positions, self.hard, self.soft, self.senses = positions, list(hard), list(soft), list(senses)
        self.moves = np.arange(positions.moves) if moves is None else np.asarray(moves, dtype=int)
        rows = [*self.hard, *self.soft, *(Row(a) for a in self.senses)]
        self.network = network or Network(positions.session, [row.address for row in rows])
        self._wanted, self._scale, self._turn = (np.array([getattr(row, f) for row in rows]) for f in ("value", "scale", "turn"))
        self._split = len(self.hard), len(self.hard) + len(self.soft)
        self.sizes = scales(positions.session, [row.address for row in self.hard])
        """The sizes of the hard rows, by which tolerances are measured."""
        self.scale = positions.scale[self.moves]
        self._tangent = positions.tangent(self.network.states, self.moves)

    def values(self, x: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Returns the residuals of the equations, the differences from guesses and the missing sense of axes, in their scales."""
        if not len(self._wanted):
            return np.zeros(0), np.zeros(0), np.zeros(0)
        off = self.network.values(x) - self._wanted
        off = np.where(self._turn, off - 2 * np.pi * np.round(off / (2 * np.pi)), off) / self._scale
        hard, soft = self._split
        return off[:hard], off[hard:soft], np.maximum(0.0, _SENSE - off[soft:])

    def gradients(self, x: np.ndarray) -> tuple[Matrix, Matrix, Matrix]:
        """Returns their derivatives by the moves, in their scales, at the states that ``values`` has visited last."""
        rows, columns, found = self.network.gradients()
        shape = len(self._wanted), len(self.network.states)
        if len(self.moves) > MANY:
            by_states: Matrix = scipy.sparse.csr_array((found, (rows, columns)), shape=shape)
            whole = scipy.sparse.csr_array(by_states @ self._tangent.at(x))
            whole = scipy.sparse.csr_array(scipy.sparse.diags_array(1 / self._scale) @ whole @ scipy.sparse.diags_array(self.scale))
        else:
            by_states = np.zeros(shape)
            by_states[rows, columns] = found
            whole = (by_states @ self._tangent.at(x)) * self.scale / self._scale[:, None]
        hard, soft = self._split
        return whole[:hard], whole[hard:soft], -whole[soft:]

    def moved(self, x: np.ndarray, step: np.ndarray) -> np.ndarray:
        """Returns the states after a step in the scales of the moves."""
        full = np.zeros(self.positions.moves)
        full[self.moves] = step * self.scale
        return self.positions.moved(x, full)

    def worst(self, x: np.ndarray) -> float:
        """Returns the largest violation of exact equations, in the size of the mechanism."""
        return self.worst_of(self.values(x)[0])

    def worst_of(self, off: np.ndarray) -> float:
        """Returns the largest violation for residuals that are known, in their scales."""
        return float(np.abs(off * self._scale[: len(self.hard)] / self.sizes).max(initial=0.0))

    def cost(self, x: np.ndarray) -> float:
        """Returns the distance from the guesses: the sum of squares, each in its spread."""
        soft = self.values(x)[1]
        return float(soft @ soft)


class Springs:
    """Equations as springs: those of joints of some stiffness, guesses of 1, and weak ones that hold all bodies where they were."""

    def __init__(self, fit: Fit, stiffness: float, origin: np.ndarray | None = None, looseness: float = LOOSE) -> None:
        self._fit, self._stiffness, self._origin, self._looseness = fit, stiffness, origin, looseness

    def off(self, x: np.ndarray) -> np.ndarray:
        hard, soft, sense = self._fit.values(x)
        stay = np.zeros(0)
        if self._origin is not None:
            stay = self._looseness * self._fit.positions.between(x, self._origin)[self._fit.moves] / self._fit.scale
        return np.concatenate([self._stiffness * hard, self._stiffness * sense, soft, stay])

    def gradient(self, x: np.ndarray) -> Matrix:
        """Returns the derivatives of the spring forces at the states of the last call of ``off``."""
        hard, soft, sense = self._fit.gradients(x)
        missing = (self._fit.values(x)[2] > 0).astype(float) if sense.shape[0] else np.zeros(0)
        count = len(self._fit.moves) if self._origin is not None else 0
        stay = self._looseness * np.eye(count) if count <= MANY else scipy.sparse.diags_array(np.full(count, self._looseness))
        if scipy.sparse.issparse(hard):
            return scipy.sparse.csr_array(
                scipy.sparse.vstack([self._stiffness * hard, self._stiffness * scipy.sparse.diags_array(missing) @ sense, soft, stay])
            )
        return np.vstack(
            [self._stiffness * hard, self._stiffness * missing[:, None] * sense, soft, stay.reshape(count, len(self._fit.moves))]
        )


def relaxed(fit: Fit, springs: Springs, x: np.ndarray, limit: int = 60, enough: float = 1e-6) -> tuple[np.ndarray, float]:
    """Returns the states at which springs come to rest, by the Levenberg-Marquardt method, and the sum of squares there."""
    off = springs.off(x)
    size, damping, growth = float(off @ off), 1e-3, 2.0
    gradient = springs.gradient(x)
    for _ in range(limit):
        slope = gradient.T @ off
        if size < 1e-28 or np.abs(slope).max(initial=0.0) < 1e-13:
            break
        step = -_damped(gradient, slope, damping)
        there = fit.moved(x, step)
        left = springs.off(there)
        now, promised = float(left @ left), size - float(np.sum((off + gradient @ step) ** 2))
        gain = min((size - now) / max(promised, 1e-300), 2.0)
        if now < size and gain > 1e-4:
            done = size - now < enough * size
            x, off, size = there, left, now
            gradient = springs.gradient(x)
            damping, growth = max(damping * max(1 / 3, 1 - (2 * gain - 1) ** 3), 1e-14), 2.0
            if done:
                break
        else:
            damping, growth = damping * growth, growth * 2
            if damping > 1e12:
                break
    return x, size


def _damped(gradient: Matrix, slope: np.ndarray, damping: float) -> np.ndarray:
    square = gradient.T @ gradient
    diagonal = square.diagonal()
    diagonal = np.maximum(diagonal, 1e-8 * diagonal.max(initial=1e-300))
    extra = damping * diagonal + 1e-14 * diagonal.sum()
    if scipy.sparse.issparse(square):
        return scipy.sparse.linalg.splu(scipy.sparse.csc_array(square + scipy.sparse.diags_array(extra))).solve(slope)
    return np.linalg.solve(square + np.diag(extra), slope)


def stiffened(fit: Fit, x: np.ndarray, looseness: float = LOOSE) -> np.ndarray:
    """Relaxes guesses first and then ever stiffer joints; therefore all guesses together decide the branch."""
    origin = x
    for stiffness in _STIFFNESSES:
        x, _ = relaxed(fit, Springs(fit, stiffness, origin, looseness), x)
    return x


def closed(fit: Fit, x: np.ndarray, limit: int = 200) -> tuple[np.ndarray, bool]:
    """Solves the equations by Newton's method, in steps of least length that each reduce the residual, and says whether they are met."""
    off, sizes = fit.values(x)[0], [np.inf] * 10
    while True:
        worst, size = fit.worst_of(off), float(np.linalg.norm(off))
        if worst <= EXACT or not size < 0.9 * sizes[-10] or len(sizes) > limit:
            return x, worst <= ENOUGH
        sizes.append(size)
        step = -least(fit.gradients(x)[0], off)
        turn = float(np.abs(step[fit.positions.turns[fit.moves]]).max(initial=0.0))
        share = min(1.0, _TURN / turn) if turn > 0 else 1.0
        while share > 1e-5:
            there = fit.moved(x, share * step)
            left = fit.values(there)[0]
            if np.linalg.norm(left) <= (1 - share / 4) * size:
                break
            share /= 2
        else:
            return x, fit.worst(x) <= ENOUGH
        x, off = there, left


def slid(fit: Fit, x: np.ndarray, origin: np.ndarray) -> np.ndarray:
    """Slides along the joints to the states at which guesses are met best. Parts without guesses go as near as possible to ``origin``.

    The distance from the guesses tells places only to the root of rounding, 1e-8. Nearer than that, steps that become shorter count.
    """
    springs = Springs(fit, 0.0, origin)
    off, length = springs.off(x), np.inf
    for _ in range(50):
        gradient = springs.gradient(x)
        step = _along(fit.gradients(x)[0], gradient, off)
        before, length = length, float(np.abs(step).max(initial=0.0))
        if length < 1e-11:
            break
        gain = gradient @ step
        near = gain @ gain < 1e-13 * (off @ off) and length < 0.9 * before
        turn = float(np.abs(step[fit.positions.turns[fit.moves]]).max(initial=0.0))
        share = min(1.0, _TURN / turn) if turn > 0 else 1.0
        while share > 1e-4:
            there, met = closed(fit, fit.moved(x, share * step))
            left = springs.off(there)
            if met and (near or left @ left < off @ off * (1 - 1e-14)):
                break
            share /= 2
        else:
            break
        x, off = there, left
    return x


def _along(hard: Matrix, soft: Matrix, off: np.ndarray) -> np.ndarray:
    """Returns the step that keeps the equations met and minimises the rest."""
    count, rows = hard.shape[1], hard.shape[0]
    if not scipy.sparse.issparse(hard):
        free = null_space(hard)
        return free @ np.linalg.lstsq(soft @ free, -off, rcond=1e-12)[0] if free.shape[1] else np.zeros(count)
    if rows == 0:
        return -_damped(soft, soft.T @ off, 1e-14)
    system = scipy.sparse.block_array([[soft.T @ soft, hard.T], [hard, -1e-10 * scipy.sparse.diags_array(np.ones(rows))]], format="csc")
    return scipy.sparse.linalg.splu(scipy.sparse.csc_array(system)).solve(np.concatenate([-(soft.T @ off), np.zeros(rows)]))[:count]


def null_space(matrix: np.ndarray) -> np.ndarray:
    """Returns an orthonormal basis of the null space, by columns."""
    if not matrix.shape[0]:
        return np.eye(matrix.shape[1])
    _, sizes, right = np.linalg.svd(matrix)
    return right[int((sizes > _RANK * sizes.max(initial=0.0)).sum()) :].T


def least(matrix: Matrix, right: np.ndarray) -> np.ndarray:
    """Returns a solution of least length. If no solution exists, it is the least squares solution of least length."""
    if not scipy.sparse.issparse(matrix):
        return np.linalg.lstsq(matrix, right, rcond=1e-9)[0]
    count = matrix.shape[1]
    system = scipy.sparse.block_array([[scipy.sparse.diags_array(np.ones(count)), matrix.T], [matrix, None]], format="csc")
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("error", scipy.sparse.linalg.MatrixRankWarning)
            solution = scipy.sparse.linalg.splu(scipy.sparse.csc_array(system)).solve(np.concatenate([np.zeros(count), right]))[:count]
        if np.abs(matrix @ solution - right).max() <= 1e-9 * np.abs(right).max():
            return solution
    except (RuntimeError, scipy.sparse.linalg.MatrixRankWarning):
        pass
    return np.linalg.lstsq(matrix.toarray(), right, rcond=1e-9)[0]
