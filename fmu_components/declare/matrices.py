"""Symmetric matrices of stiffness and damping between two frames."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations_with_replacement

from sympy import Matrix, Piecewise, zeros

from fmu_components.declare.component import Component

_ROUNDING = 1e-9
"""Relative error that the entries of a positive matrix may have."""


def symmetric(part: Component, name: str, units: Sequence[str], time: str, starts: Sequence[float], text: str) -> Matrix:
    """Declares the upper triangle of a symmetric matrix of displacements in ``units``, m or rad, and returns the whole matrix.

    ``time`` is empty for a stiffness and ``.s`` for a damping. The matrix is refused where its entries show that it is not positive.
    """
    size = len(units)
    matrix = zeros(size)
    for i, j in combinations_with_replacement(range(size), 2):
        effort = "N" if units[i] == "m" else "N.m"
        unit = f"{effort}{time}/{units[j]}" if units[i] == units[j] or units[i] == "rad" else f"N{time}/rad"
        start = starts[i] if i == j else 0.0
        least = 0.0 if i == j else None
        matrix[i, j] = matrix[j, i] = part.parameter(
            f"{name}{i + 1}{j + 1}",
            start,
            unit,
            f"{text}: row {i + 1}, column {j + 1}",
            nominal=max(starts[i], starts[j], 1.0),
            at_least=least,
        )
    for i, j in combinations_with_replacement(range(size), 2):
        if i != j:
            part.expect(
                Piecewise((1, matrix[i, j] ** 2 <= (1 + _ROUNDING) * matrix[i, i] * matrix[j, j]), (-1, True)),
                f"{name} is positive semidefinite: {name}{i + 1}{j + 1} squared is at most {name}{i + 1}{i + 1} times {name}{j + 1}{j + 1}",
            )
    return matrix
