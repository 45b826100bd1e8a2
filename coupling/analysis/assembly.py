"""Starting where constraints hold: a start that violates them is moved until it does not."""

from __future__ import annotations

from collections.abc import Collection

import numpy as np
from scipy.sparse import csc_array, csr_array
from scipy.sparse.linalg import MatrixRankWarning, splu

from coupling.errors import InitialStateError
from coupling.kernel.status import Status
from coupling.live.failures import describe
from coupling.live.linearise import Linearisation
from coupling.live.session import Session
from coupling.live.violations import LEVELS, constraints_at, constraints_with_multipliers, described, follow_gauge, values_of
from coupling.plan.graph import Address


def assemble(session: Session, guesses: Collection[tuple[int, str]] = ()) -> dict[tuple[int, str], float]:
    """Start values, of the states that have to move, at which the constraints hold.

    The states that the user set are held; the others, among them those of ``guesses``, move as little as can be, measured by the mass that moves. What a constraint
    force moves, and how far, is what the FMUs say of the derivatives of their velocities with respect to the algebraic variables.
    """
    x = _Assembly(session, guesses).assembled()
    return {
        (i, part.fmu.by_reference[reference].name): float(x[part.first_state + j])
        for i, part in enumerate(session.built.parts)
        for j, reference in enumerate(part.states)
        if x[part.first_state + j] != session.x[part.first_state + j]
    }


_EXACT, _ENOUGH = 1e-13, 1e-9
"""Violations that are not made smaller, and that must be reached."""
_TURN = 0.5
"""The largest angle, in rad, by which one step may turn anything."""
_TRIES = 30
"""Where Newton's method may start from, the first time being what the user gave."""


class _Assembly:
    def __init__(self, session: Session, guesses: Collection[tuple[int, str]]) -> None:
        self.session, self.x = session, session.x.copy()
        self.given = self.x.copy()
        parts, kernel = session.built.parts, session.kernel
        self.levels = {level: constraints_at(session, level) for level in LEVELS}
        derivatives = [Address(i, 0, u.reference) for i, part in enumerate(parts) for u in part.structure.derivatives]
        self.linear = Linearisation(session, [*derivatives, *self.levels["position"], *self.levels["velocity"]])
        loops = session.schedule.loops
        self.unknowns = np.concatenate([np.zeros(0), *(kernel.slots[loop.first : loop.first + len(loop.unknowns)] for loop in loops)])
        self.forces = {level: self._forces_of(level) for level in LEVELS}
        self.coordinates = self._coordinates()
        self.held, self.turns = np.zeros((2, session.built.states), dtype=bool)
        for number, (part, start) in enumerate(zip(parts, session.built.start, strict=True)):
            for i, reference in enumerate(part.states):
                state = part.fmu.by_reference[reference]
                self.held[part.first_state + i] = state.name in start or (number, state.name) in session.values.keys() - guesses
                self.turns[part.first_state + i] = state.unit == "rad"
        self.gauge = list(session.built.gauge)
        self.held[self.gauge], self.turns[self.gauge] = True, False
        self.quaternions = self._quaternions()

    def _coordinates(self) -> np.ndarray:
        """Which states position constraints depend on and whose derivatives follow from velocities: coordinates, also several to a velocity."""
        n, linear = self.session.built.states, self.linear
        rows, columns = linear.rows, linear.columns
        forced = np.zeros(n, dtype=bool)
        forced[rows[(rows < n) & (columns >= n)]] = True
        constrained, following = np.zeros((2, n), dtype=bool)
        constrained[columns[(rows >= n) & (rows < n + len(self.levels["position"])) & (columns < n)]] = True
        inner = (rows < n) & (columns < n)
        following[rows[inner][forced[columns[inner]]]] = True
        return constrained & following & ~forced

    def _quaternions(self) -> list[np.ndarray]:
        """Coordinates q0 to q3 of one instance and without a unit, whose length is to be kept."""
        found = []
        for part in self.session.built.parts:
            place = {part.fmu.by_reference[reference].name: part.first_state + i for i, reference in enumerate(part.states)}
            for name in [name for name in place if name.endswith("q0")]:
                four = [place.get(f"{name[:-1]}{i}", -1) for i in range(4)]
                units = [part.fmu.variables[f"{name[:-1]}{i}"].unit for i in range(4)] if min(four) >= 0 else ["none"]
                if not any(units) and self.coordinates[four].any():
                    found.append(np.array(four))
        return found

    def _with_length_kept(self, x: np.ndarray) -> np.ndarray:
        """States whose quaternions have the length, and of two opposite ones the sign, that the user gave."""
        x = x.copy()
        for four in self.quaternions:
            length = float(np.linalg.norm(x[four]))
            if length > 0:
                x[four] *= np.copysign(np.linalg.norm(self.given[four]) / length, x[four] @ self.given[four])
        return x

    def _forces_of(self, level: str) -> list[int]:
        """The unknown that belongs to each constraint of a level."""
        number = {address: i for i, address in enumerate(self.linear.unknowns)}
        return [number[Address(part, 0, multiplier)] for part, _, multiplier in constraints_with_multipliers(self.session, level)]

    def assembled(self) -> np.ndarray:
        """The states, first their positions and then their velocities put right."""
        if self.levels["position"] and not self._find_positions():
            self._refuse("position")
        if self.levels["velocity"] and not self._newton("velocity"):
            self._refuse("velocity")
        return self.x

    def _find_positions(self) -> bool:
        """Newton's method from what the user gave; where that leads nowhere, from other places."""
        size = float(np.abs(self._violation("position", self.x)).max())
        random, best, nearest = np.random.default_rng(0), np.inf, self.x
        for attempt in range(_TRIES):
            if self._newton("position"):
                self._unwind()
                self._draw_near()
                return True
            left = float(np.linalg.norm(self._violation("position", self.x)))
            if left < 0.999 * best:
                best, nearest = left, self.x
            _, moved = self._directions("position")
            free = np.abs(moved).sum(axis=1) > 0
            far = np.where(self.turns, np.pi, size)
            for four in self.quaternions:
                far[four] = 1.0
            self.x = self._with_length_kept(self.given + free * far * (attempt + 1) / _TRIES * random.uniform(-1, 1, len(free)))
        self.x = nearest
        return False

    def _newton(self, level: str) -> bool:
        """Puts the constraints of a level right by steps that each make them better; whether it ends there."""
        violation, sizes = self._violation(level, self.x), [np.inf] * 10
        while True:
            worst, size = np.abs(violation).max(), float(np.linalg.norm(violation))
            if worst <= _EXACT or not size < 0.9 * sizes[-10]:
                return bool(worst <= _EXACT)
            sizes.append(size)
            gradient, moved = self._directions(level)
            step = moved @ _least(csc_array(gradient @ moved), -violation)
            turn = max([np.abs(step[self.turns]).max(initial=0.0), *(2 * np.linalg.norm(step[four]) for four in self.quaternions)])
            turn = turn if level == "position" else 0.0
            share = min(1.0, _TURN / turn) if turn > 0 else 1.0
            while share > 1e-5:
                better = self._violation(level, self.x + share * step)
                if np.linalg.norm(better) <= (1 - share / 4) * size:
                    break
                share /= 2
            else:
                return bool(worst <= _ENOUGH)
            self.x, violation = self._with_length_kept(self.x + share * step), better
            follow_gauge(self.session, self.x)

    def _unwind(self) -> None:
        """Takes back whole turns where these change nothing."""
        whole = 2 * np.pi * np.round((self.x - self.given) / (2 * np.pi)) * self.turns
        if whole.any() and np.abs(self._violation("position", self.x - whole)).max() <= _ENOUGH:
            self.x = self.x - whole

    def _draw_near(self) -> None:
        """Moves along the constraints until what the user gave is as near as it can be."""
        share, last, kept = 1.0, np.zeros(len(self.x)), self.x
        for _ in range(60 if (self.x != self.given).any() else 0):
            self._violation("position", self.x)
            gradient, moved = self._directions("position")
            free = np.abs(moved).sum(axis=1) > 0
            away = (self.given - self.x) * free
            along = away - moved @ _least(csc_array(gradient @ moved), gradient @ away)
            length = float(np.abs(along).max(initial=0.0))
            if length <= 1e-12 * (1 + np.abs(self.x).max()):
                return
            if along @ last < -0.5 * (last @ last):  # it went too far
                share /= 2
            last, kept = along, self.x
            self.x = self._with_length_kept(self.x + along * min(share, _TURN / length))
            if not self._newton("position"):
                self.x = kept
                return

    def _violation(self, level: str, x: np.ndarray) -> np.ndarray:
        """By how much the constraints of a level do not hold at some states, where the FMUs then are."""
        session, kernel = self.session, self.session.kernel
        status = kernel.residuals(session.run.start_time, x, self.unknowns, np.zeros(len(x)), np.zeros(len(self.unknowns)))
        if status is not Status.DONE:
            raise InitialStateError(f"the start cannot be assembled: {describe(session)}; give start values nearer to an assembled state")
        return values_of(session, self.levels[level])

    def _directions(self, level: str) -> tuple[csc_array, csc_array]:
        """The gradients of constraints, by rows, and how each of their forces moves the states that may move."""
        n, jacobian = self.session.built.states, self.linear.at_present().tocsr()
        first = n + (len(self.levels["position"]) if level == "velocity" else 0)
        gradient = csc_array(jacobian[first : first + len(self.levels[level]), :n])
        mobility = csc_array(jacobian[:n, n:])  # of each velocity, under each algebraic variable
        following = _following(csc_array(jacobian[:n, :n]), mobility, self.coordinates)
        if level == "position":
            mobility = csc_array(following @ mobility)
        moves = ~self.held & ((np.diff(following.indptr) > 0) == (level == "position"))
        moved = mobility.tocsr().multiply(moves[:, None].astype(float))
        return gradient, csc_array(csc_array(moved)[:, self.forces[level]])

    def _refuse(self, level: str) -> None:
        values = self._violation(level, self.x)
        wrong = [i for i in np.argsort(-np.abs(values), kind="stable") if not abs(values[i]) <= _ENOUGH]
        names = [described(self.session, self.levels[level][i], values[i]) for i in wrong]
        held = [self.session.label(int(i)) for i in np.flatnonzero(self.held) if i not in self.gauge]
        raise InitialStateError(
            f"the start cannot be assembled at {level} level: {', '.join(names[:8])} {'remains' if len(names) == 1 else 'remain'}; "
            f"the states that you set are held ({', '.join(held[:12]) or 'none'}): leave out those that may move, "
            "or give start values nearer to an assembled state"
        )


def _following(state_matrix: csc_array, mobility: csc_array, coordinates: np.ndarray) -> csr_array:
    """How coordinates follow the states that are velocities, by rows: empty ones for states that are none.

    A state whose derivative is another one is a coordinate; so are the quaternions among ``coordinates``, each of which follows three.
    """
    n = state_matrix.shape[0]
    by_row, forces = state_matrix.tocsr(), np.diff(mobility.tocsr().indptr)
    rows, columns, values = [], [], []
    for i in range(n):
        inner = slice(by_row.indptr[i], by_row.indptr[i + 1])
        to, data = by_row.indices[inner], by_row.data[inner]
        if forces[i] or not (coordinates[i] or (len(to) == 1 and data[0] == 1)):
            continue
        velocities = [k for k, j in enumerate(to) if forces[j]] if coordinates[i] else [0]
        rows += [i] * len(velocities)
        columns += list(to[velocities])
        values += list(data[velocities])
    return csr_array((values, (rows, columns)), shape=(n, n))


def _least(matrix: csc_array, right: np.ndarray) -> np.ndarray:
    """A solution, of least length where there are many."""
    import warnings

    scale = abs(matrix).max() if matrix.nnz else 0.0
    if scale > 0 and matrix.shape[0] > 400:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", MatrixRankWarning)
                solution = splu(matrix).solve(right)
            if np.abs(matrix @ solution - right).max() <= 1e-9 * np.abs(right).max():
                return solution
        except (RuntimeError, MatrixRankWarning):
            pass
    return np.linalg.lstsq(matrix.toarray(), right, rcond=1e-11)[0]
