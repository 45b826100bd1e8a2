"""Velocities at which constraints hold: those that were given stay, the others are those of least kinetic energy."""

from __future__ import annotations

import warnings
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property
from typing import NoReturn

import numpy as np
import scipy

from coupling.analysis.closing import ENOUGH, EXACT, Matrix, null_space
from coupling.analysis.search import Target
from coupling.errors import BuildError, InitialStateError, shown
from coupling.kernel.system.status import Status
from coupling.live.derivatives.jacobians import motions_of, turns_of
from coupling.live.derivatives.linearise import Linearisation
from coupling.live.failures import describe
from coupling.live.scales import scales
from coupling.live.session import Session
from coupling.live.violations import Touching, constraints_at, constraints_with_multipliers, described, follow_gauge, values_of
from coupling.names import nearest, resolve
from coupling.plan.graph import Address

_RANK = 1e-11


class Speeds:
    """Newton's method on the constraints of velocities, by impulses of their forces; therefore masses decide which states move."""

    def __init__(
        self, session: Session, held: np.ndarray, given: Mapping[str, float], guessed: Sequence[Target], touching: Touching
    ) -> None:
        """Takes ``given`` speeds, which are held, and ``guessed`` ones, which may move."""
        self.session, self.held, self.guessed, self._touching = session, held.copy(), list(guessed), touching
        kernel = session.kernel
        self.velocities = self.moving if given or guessed else []
        self.states: dict[int, float] = {}
        self.outputs: dict[Address, float] = {}
        for name, value in given.items():
            self._take(name, value)
        self.held[list(self.states)] = True
        self.constraints = constraints_at(session, "velocity", touching)
        loops = session.schedule.loops
        self.unknowns = np.concatenate([np.zeros(0), *(kernel.slots[loop.first : loop.first + len(loop.unknowns)] for loop in loops)])

    @property
    def moving(self) -> list[int]:
        """The states that are velocities."""
        return sorted(
            {*dict(motions_of(self.session)).values(), *(omega + axis for omega, _ in turns_of(self.session) for axis in range(3))}
        )

    @cached_property
    def sizes(self) -> np.ndarray:
        """The sizes of all constraints and outputs that have to fit. A size multiplies the tolerance of its constraint."""
        return scales(self.session, [*self.constraints, *self.outputs])

    def _worst(self, off: np.ndarray) -> float:
        return float(np.abs(off / self.sizes).max(initial=0.0))

    @cached_property
    def linear(self) -> Linearisation:
        """Linearisation of accelerations, constraints and outputs that are to fit."""
        parts = self.session.built.parts
        derivatives = [Address(i, 0, u.reference) for i, part in enumerate(parts) for u in part.structure.derivatives]
        return Linearisation(self.session, [*derivatives, *self.constraints, *self.outputs, *(t.row.address for t in self.guessed)])

    @cached_property
    def forces(self) -> list[int]:
        """Among the unknowns of loops, the multiplier of each constraint."""
        number = {address: i for i, address in enumerate(self.linear.unknowns)}
        found = constraints_with_multipliers(self.session, "velocity", self._touching)
        return [number[Address(part, 0, multiplier)] for part, _, multiplier in found]

    def _take(self, name: str, value: object) -> None:
        parts = self.session.built.parts
        number = {part.name: i for i, part in enumerate(parts)}
        instance, variable = resolve(name, number)
        known = parts[number[instance]].fmu.variables if instance in number else {}
        if variable not in known or known[variable].type != "real":
            hint = nearest(name, [f"{instance}.{each}" for each in known] or number) or "name a velocity, such as 'pin.rotation.qd'"
            raise BuildError(f"assemble: velocities: '{name}' does not exist; {hint}")
        if isinstance(value, bool) or not isinstance(value, int | float | np.integer | np.floating) or not np.isfinite(value):
            raise BuildError(f"assemble: velocities: '{name}' = {shown(value)} is refused; give a number")
        address = self.session.built.address(number[instance], variable)
        part = parts[address.part]
        if address.reference not in part.states:
            if known[variable].causality != "output":
                raise BuildError(
                    f"assemble: velocities: '{name}' is neither a state nor an output; name one that is, such as 'pin.rotation.qd'"
                )
            self.outputs[address] = float(value)
            return
        state = part.first_state + part.states.index(address.reference)
        if state not in self.velocities:
            raise BuildError(f"assemble: velocities: '{name}' is not the rate of a position; give it in hold or guess, or as a start value")
        if self.held[state]:
            raise BuildError(f"assemble: velocities: '{name}' has a start value, which is held; leave one of the two out")
        self.states[state] = float(value)

    def assembled(self, x: np.ndarray) -> np.ndarray:
        """Returns the states with velocities that fit the constraints and the given speeds."""
        x = x.copy()
        x[list(self.states)] = list(self.states.values())
        if self.constraints or self.outputs:
            x = self._fitted(x)
        elif self.guessed:
            self._off(x)
        return self._fitted(self._nearest(x)) if self.guessed else x

    def tried(self, x: np.ndarray) -> np.ndarray:
        """Returns the states with fitting velocities, or unchanged if none exist."""
        try:
            return self.assembled(x)
        except InitialStateError:
            return x

    def moved(self) -> dict[str, float]:
        """Returns the distance that ``assembled`` moved each guess, in its unit."""
        values = values_of(self.session, [t.row.address for t in self.guessed]) if self.guessed else ()
        return {t.name: float(value - t.row.value) for t, value in zip(self.guessed, values, strict=True)}

    def _fitted(self, x: np.ndarray) -> np.ndarray:
        there, off = self._approached(x, _by_impulses)
        if not self._worst(off) <= ENOUGH:
            there, left = self._approached(x, _by_balanced)
            if not self._worst(left) <= ENOUGH:
                self._refuse(off)
        return there

    def _approached(self, x: np.ndarray, solve: Callable[[Matrix, Matrix, np.ndarray], np.ndarray]) -> tuple[np.ndarray, np.ndarray]:
        """Returns states that fit as well as possible, and their residuals."""
        off, sizes = self._off(x), [np.inf] * 10
        hard = len(off)
        while hard:
            worst, size = self._worst(off), float(np.linalg.norm(off))
            if worst <= EXACT or not size < 0.9 * sizes[-10]:
                break
            sizes.append(size)
            gradient, moved = self._directions()
            x = x + solve(scipy.sparse.csc_array(gradient[:hard]), scipy.sparse.csc_array(moved[:, :hard]), -off)
            follow_gauge(self.session, x)
            off = self._off(x)
        return x, off

    def _nearest(self, x: np.ndarray) -> np.ndarray:
        """Moves velocities in the free directions until guesses are met best; among these velocities it takes those of least kinetic
        energy."""
        hard = len(self.constraints) + len(self.outputs)
        gradient, moved = self._directions()
        along = (gradient @ moved).toarray()
        free = null_space(along[:hard])
        balanced = _balanced(moved)
        rank = balanced.shape[1] - null_space((gradient @ balanced)[:hard]).shape[1]
        if rank > moved.shape[1] - free.shape[1]:  # products have lost some constraints
            moved, along = balanced, gradient @ balanced
            free = null_space(along[:hard])
        scale = np.array([t.row.scale for t in self.guessed])
        off = np.array(list(self.moved().values()))
        step = free @ np.linalg.lstsq(along[hard:] @ free / scale[:, None], -off / scale, rcond=1e-9)[0]
        return x + moved @ step

    def _off(self, x: np.ndarray) -> np.ndarray:
        """Returns the residuals of velocities at some states, where the FMUs then are."""
        session, kernel = self.session, self.session.kernel
        status = kernel.residuals(kernel.time, x, self.unknowns, np.zeros(len(x)), np.zeros(len(self.unknowns)))
        if status is not Status.DONE:
            raise InitialStateError(f"the start cannot be assembled: {describe(session)}; give start values nearer to an assembled state")
        wanted = np.concatenate([np.zeros(len(self.constraints)), list(self.outputs.values())])
        return values_of(session, [*self.constraints, *self.outputs]) - wanted

    def _directions(self) -> tuple[Matrix, Matrix]:
        """Returns the gradients of the equations, by rows, and the change by an impulse along each of the states that may move."""
        n, jacobian = self.session.built.states, self.linear.at_present().tocsr()
        gradient = scipy.sparse.csc_array(jacobian[n:, :n])
        columns = [scipy.sparse.csc_array(jacobian[:n, n:])[:, self.forces]]
        if self.outputs or self.guessed:
            columns.append(scipy.sparse.csc_array(self._mobility() @ gradient[len(self.constraints) :].T))
        moved = (
            scipy.sparse.csc_array(scipy.sparse.hstack(columns))
            .tocsr()
            .multiply((~self.held & self._concerned(gradient))[:, None].astype(float))
        )
        return gradient, scipy.sparse.csc_array(moved)

    def _concerned(self, gradient: Matrix) -> np.ndarray:
        """Marks the states of instances whose states matter: an impulse must not move a state that only counts the work of a force."""
        touched = np.diff(gradient.indptr) > 0
        found = np.zeros(len(touched), dtype=bool)
        for part in self.session.built.parts:
            own = slice(part.first_state, part.first_state + len(part.states))
            found[own] = touched[own].any()
        return found

    def _mobility(self) -> Matrix:
        """Returns the inverse mass matrix, which gives velocities by momenta, from the response of instances to the efforts at their
        ports."""
        n = self.session.built.states
        found = scipy.sparse.lil_array((n, n))
        for index, part in enumerate(self.session.built.parts):
            own = [v for v in self.velocities if part.first_state <= v < part.first_state + len(part.states)]
            if own:
                block = _answer(self.session, index, own)
                for i, row in enumerate(own):
                    for j, column in enumerate(own):
                        found[row, column] = block[i, j]
        return scipy.sparse.csc_array(found)

    def _refuse(self, off: np.ndarray) -> NoReturn:
        addresses = [*self.constraints, *self.outputs]
        wrong = [i for i in np.argsort(-np.abs(off), kind="stable") if not abs(off[i]) <= ENOUGH * self.sizes[i]]
        names = [described(self.session, addresses[i], off[i]) for i in wrong]
        held = [self.session.label(int(i)) for i in np.flatnonzero(self.held) if i not in self.session.built.gauge]
        held += [self.session.named(a.part, a.reference) for a in self.outputs]
        raise InitialStateError(
            f"the start cannot be assembled at velocity level: {', '.join(names[:8])} {'remains' if len(names) == 1 else 'remain'}; "
            f"the values that you set are held ({', '.join(held[:12]) or 'nothing'}): leave out those that may move, or give values that do not contradict each other"
        )


def _answer(session: Session, index: int, velocities: list[int]) -> np.ndarray:
    """Returns the mobility of one instance. Its accelerations by efforts are M^-1 J', and J are the velocities of its ports."""
    part, instance = session.built.parts[index], session.instances[index]
    fmu = part.fmu
    rates = [part.structure.derivatives[v - part.first_state].reference for v in velocities]
    pairs = [
        (fmu.variables[terminal.members[effort]].reference, fmu.variables[terminal.members[flow]].reference)
        for terminal in fmu.terminals.values()
        for effort, flow in terminal.power
        if fmu.variables[terminal.members[effort]].causality == "input"
    ]
    if not pairs or not part.interface.directional_derivatives:
        return np.eye(len(velocities))
    by_effort = np.array([instance.directional(rates, effort)[1] for effort, _ in pairs]).T
    flows = [flow for _, flow in pairs]
    by_velocity = np.array([instance.directional(flows, part.states[v - part.first_state])[1] for v in velocities])
    return by_effort @ np.linalg.pinv(by_velocity)


def _by_impulses(gradient: Matrix, moved: Matrix, right: np.ndarray) -> np.ndarray:
    return moved @ least(scipy.sparse.csc_array(gradient @ moved), right)


def _by_balanced(gradient: Matrix, moved: Matrix, right: np.ndarray) -> np.ndarray:
    basis = _balanced(moved)
    return basis @ np.linalg.lstsq(gradient @ basis, right, rcond=_RANK)[0]


def _balanced(moved: Matrix) -> np.ndarray:
    """Returns a basis of the motions that impulses can produce, orthonormal in coordinates in which all bodies are about as heavy.

    A product of gradients and impulses loses the heavy bodies if masses are 1 to 1e10: their constraints would seem to repeat others.
    """
    columns = moved.toarray()
    size = np.sqrt(np.abs(columns).max(axis=1, initial=0.0))
    columns = columns / np.where(size > 0, size, 1.0)[:, None]
    columns /= np.maximum(np.linalg.norm(columns, axis=0), 1e-300)
    basis, lengths, _ = np.linalg.svd(columns, full_matrices=False)
    return size[:, None] * basis[:, lengths > _RANK * lengths.max(initial=0.0)]


def least(matrix: Matrix, right: np.ndarray) -> np.ndarray:
    """Returns a solution, of least length if there are many."""
    scale = abs(matrix).max() if matrix.nnz else 0.0
    if scale > 0 and matrix.shape[0] > 400:
        try:
            with warnings.catch_warnings():
                warnings.simplefilter("error", scipy.sparse.linalg.MatrixRankWarning)
                solution = scipy.sparse.linalg.splu(matrix).solve(right)
            if np.abs(matrix @ solution - right).max() <= 1e-9 * np.abs(right).max():
                return solution
        except (RuntimeError, scipy.sparse.linalg.MatrixRankWarning):
            pass
    return np.linalg.lstsq(matrix.toarray(), right, rcond=_RANK)[0]
