"""Starting where constraints hold: refusing a start that violates them, or moving it until it does not."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

import numpy as np
from scipy.sparse import csc_array
from scipy.sparse.linalg import MatrixRankWarning, splu

from coupling.kernel.kernel import Status
from coupling.linearise import Linearisation
from coupling.schedule import Address

if TYPE_CHECKING:
    from coupling.master import Master

TOLERANCE = 1e-6
"""Of positions and velocities, in the units of the constraints."""
_LEVELS = ("position", "velocity")


class InitialStateError(ValueError):
    """A start that violates constraints; the text names each of them, by how much, and the remedy."""


def check(master: Master) -> None:
    """Refuses a start at which a constraint is violated."""
    violated = []
    for level in _LEVELS:
        for address, value in zip(constraints(master, level), _values(master, constraints(master, level)), strict=True):
            if not abs(value) <= TOLERANCE:
                unit = master.built.parts[address.part].fmu.by_reference[address.reference].unit or ""
                violated.append(f"{master.named(address.part, address.reference)} = {value:.4g} {unit}".rstrip())
    if violated:
        shown = ", ".join(violated[:12]) + (f" and {len(violated) - 12} more" if len(violated) > 12 else "")
        raise InitialStateError(
            f"the start violates constraints: {shown} (at most {TOLERANCE:g} is allowed); correct the start values, use "
            "initial='assemble' to have the states moved that you did not set, or initial='relax' to leave it to the stabilisation"
        )


def constraints(master: Master, level: str) -> list[Address]:
    """Outputs named ``position[1]`` and so on, of all FMUs whose algebraic variables are solved for."""
    pattern = re.compile(rf"{level}\[\d+\]")
    return [
        Address(i, 0, v.reference)
        for i, part in enumerate(master.built.parts)
        if part.fmu.dae
        for v in part.fmu.variables.values()
        if pattern.fullmatch(v.name) and v.type == "real"
    ]


def _values(master: Master, addresses: list[Address]) -> np.ndarray:
    return np.array([master.instances[a.part].get(0, [a.reference])[1][0] for a in addresses])


def assemble(master: Master) -> dict[tuple[int, str], float]:
    """Start values of all states at which the constraints hold.

    The states that the user set are held; the others move as little as can be, measured by the mass that moves. What a constraint
    force moves, and how far, is what the FMUs say of the derivatives of their velocities with respect to the algebraic variables.
    """
    assembly = _Assembly(master)
    for level in _LEVELS:
        assembly.project(level)
    return {
        (i, part.fmu.by_reference[reference].name): float(assembly.x[part.first_state + j])
        for i, part in enumerate(master.built.parts)
        for j, reference in enumerate(part.fmu.states)
    }


class _Assembly:
    def __init__(self, master: Master) -> None:
        self.master, self.x = master, master.x.copy()
        parts = master.built.parts
        self.levels = {level: constraints(master, level) for level in _LEVELS}
        derivatives = [Address(i, 0, u.reference) for i, part in enumerate(parts) for u in part.structure.derivatives]
        self.count = {level: len(a) for level, a in self.levels.items()}
        self.linear = Linearisation(master, [*derivatives, *self.levels["position"], *self.levels["velocity"]])
        self.held = np.zeros(master.built.states, dtype=bool)
        for part, start in zip(parts, master.built.start, strict=True):
            for i, reference in enumerate(part.fmu.states):
                self.held[part.first_state + i] = part.fmu.by_reference[reference].name in start

    def _evaluate(self) -> None:
        master, n = self.master, self.master.built.states
        kernel = master.kernel
        assert kernel
        unknowns = len(self.linear.unknowns)
        status = kernel.residuals(master.run.start_time, self.x, np.zeros(unknowns), np.zeros(n), np.zeros(unknowns))
        if status is not Status.DONE:
            raise InitialStateError(
                f"the start cannot be assembled: {master.describe_failure()}; give start values nearer to an assembled state"
            )

    def project(self, level: str) -> None:
        """Newton's method on the constraints of a level."""
        if not self.levels[level]:
            return
        before = np.inf
        for _ in range(60):
            self._evaluate()
            violation = _values(self.master, self.levels[level])
            worst = float(np.abs(violation).max())
            if worst <= 1e-13 or (worst <= 1e-9 and worst > before / 2):
                return
            if not np.isfinite(worst):
                break
            before = worst
            self.x += self._correction(level, violation)
        self._evaluate()
        self._refuse(level)

    def _correction(self, level: str, violation: np.ndarray) -> np.ndarray:
        n, jacobian = self.master.built.states, self.linear.at_present().tocsr()
        first = n + (self.count["position"] if level == "velocity" else 0)
        gradient = csc_array(jacobian[first : first + self.count[level], :n])
        mobility = csc_array(jacobian[:n, n:])  # of each velocity, under each algebraic variable
        rows = np.arange(n)
        if level == "position":
            rows = _velocity_of(csc_array(jacobian[:n, :n]), mobility)
        moved = csc_array(mobility.tocsr()[np.maximum(rows, 0)].multiply(((rows >= 0) & ~self.held)[:, None].astype(float)))
        if level == "velocity":  # positions stay
            positions = _velocity_of(csc_array(jacobian[:n, :n]), mobility) >= 0
            moved = csc_array(moved.multiply((~positions)[:, None].astype(float)))
        return moved @ _least(csc_array(gradient @ moved), -violation)

    def _refuse(self, level: str) -> None:
        values = _values(self.master, self.levels[level])
        names = [
            f"{self.master.named(a.part, a.reference)} = {v:.4g}"
            for a, v in zip(self.levels[level], values, strict=True)
            if not abs(v) <= 1e-9
        ]
        held = [self.master.label(int(i)) for i in np.flatnonzero(self.held)]
        raise InitialStateError(
            f"the start cannot be assembled at {level} level: {', '.join(names[:8])} remain; the states that you set are held "
            f"({', '.join(held[:12]) or 'none'}): leave out those that may move, or give start values nearer to an assembled state"
        )


def _velocity_of(state_matrix: csc_array, mobility: csc_array) -> np.ndarray:
    """For each state that is a coordinate, the state that is its velocity; else -1."""
    n = state_matrix.shape[0]
    result = np.full(n, -1)
    by_row, forced = state_matrix.tocsr(), mobility.tocsr()
    for i in range(n):
        columns = by_row.indices[by_row.indptr[i] : by_row.indptr[i + 1]]
        data = by_row.data[by_row.indptr[i] : by_row.indptr[i + 1]]
        columns, data = columns[data != 0], data[data != 0]
        if len(columns) == 1 and data[0] == 1 and forced.indptr[i] == forced.indptr[i + 1]:
            result[i] = columns[0]
    return result


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
