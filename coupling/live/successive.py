"""Constraints taken one after the other: their equations at a point, the sequence in a run, and what it leaves out."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from coupling.errors import BuildError, listed
from coupling.kernel.rank import successive
from coupling.kernel.rank.successive import Succession
from coupling.kernel.system.status import Status
from coupling.live.derivatives.linearise import Linearisation
from coupling.live.session import Session
from coupling.names import nearest
from coupling.options import INDEPENDENT_FIRST, Run
from coupling.plan.graph import Address

_ASYMMETRY = 1e-6
"""Asymmetry of equations, relative to the greatest of their terms, beyond which their pivots do not show what is redundant."""
_NOTHING = 1e-9
"""Size below which a factor by which constraints repeat others counts as zero."""


@dataclass(frozen=True)
class Constraint:
    """An unknown of a loop that keeps a constraint, by its place among those of all loops."""

    place: int
    part: int
    multiplier: Address
    residual: Address
    position: Address | None
    velocity: Address | None


def constraints_of(session: Session) -> list[Constraint]:
    """Returns all constraints, in the order of the loops' unknowns."""
    found, place = [], -1
    for loop in session.schedule.loops:
        for unknown, address in enumerate(loop.unknowns):
            place += 1
            if unknown >= len(loop.unknowns) - loop.torn:
                continue
            residual = loop.residuals[unknown]
            dae = session.built.parts[residual.part].dae
            described = next((c for c in dae.constraints if c.residual == residual.reference), None) if dae else None
            levels = (described.position, described.velocity) if described else (None, None)
            found.append(
                Constraint(place, address.part, address, residual, *(None if r is None else Address(residual.part, 0, r) for r in levels))
            )
    return found


class Equations:
    """S lambda + r = 0 of the constraints in force, with their gradients G and what their multipliers move, V, at changing points.

    Inputs torn from algebraic loops are no constraints: they belong to the free system, and are eliminated.
    """

    S: np.ndarray
    G: np.ndarray
    V: np.ndarray
    r: np.ndarray

    def __init__(self, session: Session) -> None:
        self.session, self.all = session, constraints_of(session)
        self.constraints = self.all
        loops = session.schedule.loops
        self._unknowns = [a for loop in loops for a in loop.unknowns]
        self._derivatives = [Address(i, 0, u.reference) for i, part in enumerate(session.built.parts) for u in part.structure.derivatives]
        self.tells = all(c.velocity is not None for c in self.all)
        """True if all constraints give their velocities."""
        velocities = [c.velocity for c in self.all if c.velocity is not None] if self.tells else []
        self._linear = Linearisation(session, [*self._derivatives, *velocities, *(a for loop in loops for a in loop.residuals)])
        torn = np.zeros(len(self._unknowns), dtype=bool)
        first = 0
        for loop in loops:
            first += len(loop.unknowns)
            torn[first - loop.torn : first] = True
        self._torn = np.flatnonzero(torn)
        self.free = np.zeros(session.built.states)

    @cached_property
    def groups(self) -> np.ndarray:
        """Numbers by state that are the same for states of the same instance and unit."""
        built = self.session.built
        keys = [(i, part.fmu.by_reference[reference].unit) for i, part in enumerate(built.parts) for reference in part.states]
        number = {key: i for i, key in enumerate(dict.fromkeys(keys))}
        return np.array([number[key] for key in keys], dtype=int)

    def arrive(self, t: float, x: np.ndarray) -> Status:
        """Computes everything at a point, with all multipliers 0; the instances are there afterwards."""
        on = [i for i, each in enumerate(self.all) if not self.session.off[each.place]]
        self.constraints = [self.all[i] for i in on]
        own = np.array([each.place for each in self.constraints], dtype=int)
        kernel, n, torn = self.session.kernel, self.session.built.states, self._torn
        z, residual = np.zeros(len(self._unknowns)), np.zeros(len(self._unknowns))
        slots = [slot for loop in self.session.schedule.loops for slot in range(loop.first, loop.first + len(loop.unknowns))]
        z[torn] = kernel.slots[np.array(slots, dtype=int)[torn]]
        status = kernel.residuals(t, x, z, self.free, residual)
        if status is not Status.DONE:
            return status
        jacobian = self._linear.at_present().toarray()
        rows = len(self.all) if self.tells else 0
        S, V = jacobian[n + rows :, n:], jacobian[:n, n:]
        self.S, self.V, self.r, self.G = (
            S[np.ix_(own, own)],
            V[:, own],
            residual[own],
            jacobian[n : n + rows, :n][on] if rows else jacobian[:0, :n],
        )
        if len(torn):
            answer = np.linalg.solve(S[np.ix_(torn, torn)], np.column_stack([S[np.ix_(torn, own)], residual[torn]]))
            self.S = self.S - S[np.ix_(own, torn)] @ answer[:, :-1]
            self.r = self.r - S[np.ix_(own, torn)] @ answer[:, -1]
            self.free = self.free - V[:, torn] @ answer[:, -1]
            self.V = self.V - V[:, torn] @ answer[:, :-1]
        return status

    @property
    def moved(self) -> np.ndarray:
        """The states whose derivatives depend on multipliers."""
        return np.flatnonzero(np.abs(self.V).max(axis=1, initial=0.0) > 0)

    def check_symmetry(self) -> None:
        """Refuses constraints that cannot be taken one by one."""
        size = np.sqrt(np.abs(np.diag(self.S)))
        apart = np.abs(self.S - self.S.T) / np.maximum(np.outer(size, size), np.finfo(float).tiny)
        if len(size) and apart.max() > _ASYMMETRY:
            i, j = np.unravel_index(apart.argmax(), apart.shape)
            raise _asymmetric(self.session, float(apart.max()), *(self.constraints[int(each)].part for each in (i, j)))

    def take(self, order: Sequence[int] | None) -> Succession:
        """Takes constraints by their places among those in force. Without an order, the constraint that is most independent of those before
        comes next."""
        moved = self.moved
        groups = np.unique(self.groups[moved], return_inverse=True)[1] if len(moved) else np.zeros(0, dtype=int)
        rows = (self.G[:, moved], self.V[moved].T, groups) if self.tells else None
        return successive.take(self.S, self.r, rows, order)


def _asymmetric(session: Session, apart: float, *parts: int) -> BuildError:
    names = dict.fromkeys(repr(session.built.parts[part].name) for part in parts)
    return BuildError(
        f"multipliers = 'successive' is refused: the equations of {' and '.join(names)} are not symmetric ({apart:.0%} apart), and constraints cannot "
        "be taken one by one; choose 'simultaneous'"
    )


def sequence(session: Session, order: Sequence[str] | str | None, constraints: Sequence[Constraint]) -> list[int]:
    """Returns the places of constraints in an order of joints: those named first, the others in the order of ``add``."""
    names = [session.built.parts[c.part].name for c in constraints]
    joints = [part.name for part in session.built.parts if part.dae]
    for name in order or ():
        if name not in joints:
            raise BuildError(f"order: '{name}' is no joint of the system; {nearest(name, joints) or f'there are {listed(joints)}'}")
    rank = {name: i for i, name in enumerate(dict.fromkeys([*(order or ()), *joints]))}
    return sorted(range(len(names)), key=lambda i: (rank[names[i]], constraints[i].multiplier.reference))


def tells_what_repeats(run: Run) -> bool:
    """Says whether redundant constraints are reported one by one. Poses on the constraints show them; at other poses they would seem to be
    independent."""
    return run.successive is not None and (run.successive.redundant == "first" or run.form != "multipliers")


def repetitions_unknown(run: Run, why: str) -> BuildError:
    """Returns the refusal of a run that tells redundant constraints one by one, where that cannot be."""
    first = run.successive is not None and run.successive.redundant == "first"
    asked, other = ("redundant = 'first'", "least") if first else (f"form = '{run.form}'", "multipliers")
    return BuildError(f"{asked} is refused: {why}, and the repeated constraints cannot be determined; choose '{other}'")


def begin_in_order(session: Session) -> None:
    """Tells the kernel in which sequence a run takes the constraints."""
    run, asked = session.run, session.run.successive
    if asked is None:
        return
    constraints = constraints_of(session)
    loops = session.schedule.loops
    if not constraints:
        return
    if asked.order == INDEPENDENT_FIRST or any(loop.torn for loop in loops):
        equations = Equations(session)
        if equations.arrive(run.start_time, session.x) is not Status.DONE:
            return  # the evaluation of the start, which follows, says what is wrong
        equations.check_symmetry()
    else:
        for number, loop in enumerate(loops):
            if session.kernel.linearise(number) is not Status.DONE:
                return
            apart, *unknowns = successive.asymmetry(session.kernel, number)
            if apart > _ASYMMETRY:
                raise _asymmetric(session, apart, *(loop.unknowns[each].part for each in unknowns))
    if asked.order == INDEPENDENT_FIRST:
        on = [equations.constraints[i] for i in np.argsort(equations.take(None).place)]
        ordered = [*on, *(each for each in constraints if each not in on)]
    else:
        ordered = [constraints[i] for i in sequence(session, asked.order, constraints)]
    place = {each.place: k for k, each in enumerate(ordered)}
    first = 0
    for number, loop in enumerate(loops):
        count = len(loop.unknowns)
        ranks = [place.get(first + i, -1) for i in range(count)]  # torn inputs come before
        successive.take_in_order(
            session.kernel,
            session.rows,
            number,
            sorted(range(count), key=lambda i: ranks[i]),
            tells_what_repeats(run),
            asked.redundant == "first",
        )
        first += count
    successive.decide(session.kernel, run.start_time, session.x)  # where it fails, the evaluation of the start says why


def idle(session: Session) -> list[str]:
    """Returns a warning on each constraint that carries nothing, since it repeats others."""
    found = []
    if session.run.successive is None or session.run.successive.redundant != "first":
        return []
    for number, loop in enumerate(session.schedule.loops):
        named = [session.named(a.part, a.reference) for a in loop.unknowns]
        which, factors, since = successive.repeated(session.kernel, number, len(named))
        for unknown, row in zip(which, factors, strict=True):
            joint, _, variable = named[unknown].rpartition(".lambda")
            partners = {named[i]: value for i, value in enumerate(row) if abs(value) > _NOTHING}
            first = listed(dict.fromkeys(name.rpartition(".lambda")[0] for name in partners))
            found.append(
                f"'{joint}' is redundant from t = {since:.6g} s on: its lambda{variable} repeats {repeated(partners)}. It carries nothing, since "
                f"{first} {'was' if ',' not in first else 'were'} taken first; remove it, or choose Successive(redundant='least')"
            )
    return found


def repeated(partners: dict[str, float]) -> str:
    """Returns the constraints that a constraint repeats, with the factors."""
    return ", ".join(f"{name} ({value:.6g})" for name, value in partners.items()) or "nothing that moves"


# -- the free directions -------------------------------------------------------------------------------------------------------------

_SAME = 1e-12
"""Share of a row that must be new; less is rounding."""


def eliminated(row: np.ndarray) -> np.ndarray:
    """Returns H with row H = 0, by elimination. It has the unit vectors except that of the greatest entry, each with a multiple of the
    latter."""
    greatest = int(np.abs(row).argmax())
    found = np.eye(len(row))
    found[greatest] -= row / row[greatest]
    return np.delete(found, greatest, axis=1)


def reflected(row: np.ndarray) -> np.ndarray:
    """Returns H with row H = 0 and orthonormal columns, by Householder's reflection."""
    v = row.astype(float)
    v[0] += np.copysign(np.linalg.norm(row), row[0])
    return (np.eye(len(row)) - np.outer(v, v) * (2 / (v @ v)))[:, 1:]


def free_directions(rows: np.ndarray) -> np.ndarray:
    """Returns D with rows D = 0, taken one row after the other; rows that repeat those before are passed over."""
    basis = np.eye(rows.shape[1])
    for row in rows:
        left = row @ basis
        if np.linalg.norm(left) > _SAME * np.linalg.norm(row):
            basis = basis @ reflected(left)
    return basis


def reduced_form(free: np.ndarray, G: np.ndarray, V: np.ndarray, prescribed: np.ndarray) -> np.ndarray:
    """Returns accelerations a of [Z'; G] a = [Z' a0; prescribed]. Z has the free directions of the rows of V'; no masses are needed."""
    Z = free_directions(V.T)
    return np.linalg.solve(np.vstack([Z.T, G]), np.concatenate([Z.T @ free, prescribed]))


def full_form(free: np.ndarray, G: np.ndarray, V: np.ndarray, prescribed: np.ndarray) -> np.ndarray:
    """Returns the same from a - rho = a0, G a = prescribed, Z' rho = 0. Reactions add rho to the free accelerations a0."""
    n, Z = len(free), free_directions(V.T)
    matrix = np.block([[np.eye(n), -np.eye(n)], [G, np.zeros_like(G)], [np.zeros((Z.shape[1], n)), Z.T]])
    return np.linalg.solve(matrix, np.concatenate([free, prescribed, np.zeros(Z.shape[1])]))[:n]


class ByDirections:
    """Multipliers by way of the accelerations in the full or the reduced form; for small systems, to study and to compare."""

    def __init__(self, session: Session) -> None:
        self._equations = Equations(session)
        if not self._equations.tells:
            raise BuildError(f"form = '{session.run.form}' needs the velocities of all constraints; choose Successive(form='multipliers')")
        self._form = {"full": full_form, "reduced": reduced_form}[session.run.form]

    def multipliers(self, t: float, x: np.ndarray) -> tuple[Status, np.ndarray]:
        """Returns the multipliers of all unknowns of all loops."""
        e = self._equations
        z = np.zeros(len(e.session.off))
        status = e.arrive(t, x)
        if status is not Status.DONE:
            return status, z
        run = e.session.run
        idle = self._idle()
        on, moved = np.flatnonzero([each.place not in idle for each in e.constraints]), e.moved
        G, V, free = e.G[np.ix_(on, moved)], e.V[np.ix_(moved, on)], e.free[moved]
        accelerations = self._form(free, G, V, G @ free - e.r[on])
        carrying = on if run.successive and run.successive.redundant == "first" else np.arange(len(e.constraints))
        u, size, v = np.linalg.svd(e.V[np.ix_(moved, carrying)], full_matrices=False)
        rank = slice(len(on))  # beyond, what is left of redundant ones beside poses that satisfy them
        solution = v[rank].T @ (u[:, rank].T @ (accelerations - free) / size[rank])
        z[[e.constraints[i].place for i in carrying]] = solution
        return status, z

    def _idle(self) -> set[int]:
        """Returns the places of constraints that repeat others, as was decided last."""
        found, first = set(), 0
        for number, loop in enumerate(self._equations.session.schedule.loops):
            which, *_ = successive.repeated(self._equations.session.kernel, number, len(loop.unknowns))
            found |= {first + int(unknown) for unknown in which}
            first += len(loop.unknowns)
        return found
