"""Equations of motion after each constraint of a sequence, in the full and the reduced form, with names of rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from coupling.errors import AnalysisError
from coupling.kernel.system.status import Status
from coupling.live.derivatives.linearise import Linearisation, NoDerivative
from coupling.live.session import Session
from coupling.live.successive import Equations, eliminated
from coupling.plan.graph import Address

ENERGY = "energy.kinetic"


@dataclass(frozen=True, eq=False)
class Named:
    """A matrix, or a vector, with the names of its rows and columns; ``np.asarray`` gives its numbers, ``print`` a table."""

    values: np.ndarray
    rows: tuple[str, ...]
    columns: tuple[str, ...] = ()
    """Names of the columns; a vector has none."""

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray:
        return np.array(self.values, dtype=dtype)

    def __str__(self) -> str:
        cells = [[f"{value + 0.0:.6g}" for value in row] for row in self.values.reshape(len(self.rows), -1)]
        first, heads = max(map(len, self.rows), default=0), self.columns if self.values.ndim == 2 else ("",)
        widths = [max([len(head), *(len(row[i]) for row in cells)]) for i, head in enumerate(heads)]
        lines = ["  ".join(["".ljust(first), *(head.rjust(width) for head, width in zip(heads, widths, strict=True))])]
        for name, row in zip(self.rows, cells, strict=True):
            lines.append("  ".join([name.ljust(first), *(cell.rjust(width) for cell, width in zip(row, widths, strict=True))]))
        return "\n".join(line.rstrip() for line in lines if line.strip())


@dataclass(frozen=True)
class LinearEquations:
    """Linear equations for accelerations, and for reactions in the full form."""

    matrix: Named
    right: Named

    def solve(self) -> dict[str, float]:
        """Returns the unknowns by name."""
        return dict(zip(self.matrix.columns, np.linalg.solve(self.matrix.values, self.right.values).tolist(), strict=True))


@dataclass(frozen=True, kw_only=True)
class ConstrainedEquations:
    """A a = h + r of the free system and G a = -g0 of constraints in the order in which they are taken."""

    velocities: tuple[str, ...]
    accelerations: tuple[str, ...]
    multipliers: tuple[str, ...]
    G: np.ndarray = field(repr=False)
    prescribed: np.ndarray = field(repr=False)
    """Accelerations -g0 that the constraints prescribe, with the terms of their stabilisation."""
    redundant: tuple[bool, ...]
    mass: np.ndarray | None = field(repr=False)
    """Mass matrix of the velocities; None where it is not known."""
    force: np.ndarray | None = field(repr=False)
    unknown: str = ""
    """The reason for which the mass matrix is not known: a clause."""
    silent: str = ""
    """Unknown to which no velocity of a constraint belongs, if any."""

    def A(self) -> Named:
        """Returns the mass matrix of the free system."""
        return Named(self._known()[0], self.accelerations, self.accelerations)

    def h(self) -> Named:
        """Returns the forces on the free system."""
        return Named(self._known()[1], self.accelerations)

    def beta(self, stage: int) -> Named:
        """Returns the row of the constraint, by the free directions before it."""
        return Named(*self._steps[stage][0])

    def H(self, stage: int) -> Named:
        """Returns the free directions after the constraint, by those before it."""
        return self._steps[stage][1]

    def D(self, stage: int) -> Named:
        """Returns the velocities by the free directions after the constraint."""
        return self._steps[stage][2]

    def C(self, stage: int) -> Named:
        """Returns D'A."""
        D = self.D(stage)
        return Named(D.values.T @ self._known()[0], D.columns, self.accelerations)

    def f(self, stage: int) -> Named:
        """Returns D'h."""
        D = self.D(stage)
        return Named(D.values.T @ self._known()[1], D.columns)

    def reduced(self, stage: int) -> LinearEquations:
        """Returns [C; G] a = [f; -g0]."""
        C, f, (names, G, prescribed) = self.C(stage), self.f(stage), self._taken(stage)
        rows = (*C.rows, *names)
        return LinearEquations(
            Named(np.vstack([C.values, G]), rows, self.accelerations), Named(np.concatenate([f.values, prescribed]), rows)
        )

    def full(self, stage: int) -> LinearEquations:
        """Returns A a - r = h, G a = -g0 and D'r = 0, for accelerations and reactions."""
        (A, h), D, (names, G, prescribed) = self._known(), self.D(stage), self._taken(stage)
        n = len(h)
        matrix = np.block([[A, -np.eye(n)], [G, np.zeros_like(G)], [np.zeros((D.values.shape[1], n)), D.values.T]])
        reactions = tuple(f"reaction({each})" for each in self.accelerations)
        rows = (*self.accelerations, *names, *(f"ideal({each})" for each in D.columns))
        right = np.concatenate([h, prescribed, np.zeros(D.values.shape[1])])
        return LinearEquations(Named(matrix, rows, (*self.accelerations, *reactions)), Named(right, rows))

    def _known(self) -> tuple[np.ndarray, np.ndarray]:
        if self.mass is None or self.force is None:
            raise AnalysisError(f"the mass matrix is not known, since {self.unknown}; beta, H and D do not need it")
        return self.mass, self.force

    def _taken(self, stage: int) -> tuple[tuple[str, ...], np.ndarray, np.ndarray]:
        """Returns names, rows and right sides of the constraints so far, without redundant ones."""
        on = [i for i in range(stage + 1) if not self.redundant[i]]
        return tuple(self.multipliers[i] for i in on), self.G[on], self.prescribed[on]

    @cached_property
    def _steps(self) -> list[tuple[tuple[np.ndarray, tuple[str, ...]], Named, Named]]:
        """Returns beta, H and D of each constraint. Elimination keeps velocities as free directions, each by its name, therefore the
        matrices are those of a calculation by hand."""
        if self.silent:
            raise AnalysisError(f"the free directions are not known, since no velocity belongs to '{self.silent}'")
        D, names, found = np.eye(len(self.velocities)), self.velocities, []
        for row, redundant in zip(self.G, self.redundant, strict=True):
            beta = row @ D
            before, H = names, np.eye(len(names))
            if not redundant:
                H, dropped = eliminated(beta), int(np.abs(beta).argmax())
                names = before[:dropped] + before[dropped + 1 :]
            D = D @ H
            found.append(((beta, before), Named(H, before, names), Named(D, self.velocities, names)))
        return found


def mass_matrix(session: Session, t: float, x: np.ndarray, velocities: Sequence[int]) -> np.ndarray | None:
    """Returns the second derivatives of the kinetic energy by velocities, or None where its derivatives fail. Instances are elsewhere
    afterwards.

    The energy is a square form; its slopes at one velocity of 1 and all others 0 are therefore a column, exactly.
    """
    built = session.built
    energies = [Address(i, 0, part.fmu.variables[ENERGY].reference) for i, part in enumerate(built.parts) if ENERGY in part.fmu.variables]
    slopes, unknowns = Linearisation(session, energies), np.zeros(len(session.off))
    found, still = np.zeros((len(velocities), len(velocities))), x.copy()
    still[list(velocities)] = 0.0
    for column, state in enumerate(velocities):
        moving = still.copy()
        moving[state] = 1.0
        if session.kernel.residuals(t, moving, unknowns, np.zeros(built.states), np.zeros(len(unknowns))) is not Status.DONE:
            return None
        try:
            found[:, column] = slopes.at_present().toarray()[:, list(velocities)].sum(axis=0)
        except NoDerivative:
            return None
    return found


def constrained_equations(
    session: Session,
    equations: Equations,
    *,
    velocities: Sequence[int],
    order: Sequence[int],
    redundant: Sequence[bool],
    t: float,
    x: np.ndarray,
) -> ConstrainedEquations:
    """Returns the equations at a point at which ``equations`` have been computed, with constraints in an order."""
    own, multipliers = list(velocities), [each.multiplier for each in equations.constraints]
    G, free, V = equations.G[:, own], equations.free[own], equations.V[own]
    names, rates = [session.label(i) for i in own], [_rate(session, i) for i in own]
    silent = [session.named(each.multiplier.part, each.multiplier.reference) for each in equations.all if each.velocity is None]
    mass, why = mass_matrix(session, t, x, own), "the kinetic energies cannot be evaluated"
    if mass is not None and equations.tells and (off := _unmatched(mass, V, G)) is not None:
        mass, why = None, f"no '{ENERGY}' gives the inertia that belongs to '{names[off]}'"
    return ConstrainedEquations(
        velocities=tuple(names),
        accelerations=tuple(rates),
        multipliers=tuple(session.named(multipliers[i].part, multipliers[i].reference) for i in order),
        G=G[list(order)] if equations.tells else G,
        prescribed=(G @ free - equations.r)[list(order)] if equations.tells else equations.r,
        redundant=tuple(bool(redundant[i]) for i in order),
        mass=mass,
        force=None if mass is None else mass @ free,
        unknown=why,
        silent=silent[0] if silent else "",
    )


_RELATIVE = 1e-9
"""Largest relative difference between A V and G' of an energy that has all inertia."""


def _unmatched(mass: np.ndarray, V: np.ndarray, G: np.ndarray) -> int | None:
    """Returns a velocity whose inertia is not that by which multipliers move it."""
    off = np.abs(mass @ V - G.T)
    off = off.max(axis=1, initial=0.0) - _RELATIVE * (np.abs(mass) @ np.abs(V) + np.abs(G.T)).max(axis=1, initial=0.0)
    return int(off.argmax()) if len(off) and off.max() > 0 else None


def _rate(session: Session, state: int) -> str:
    """Returns the name of a state's derivative."""
    part = session.built.part_of_state(state)
    index = session.built.parts.index(part)
    return session.named(index, part.structure.derivatives[state - part.first_state].reference)
