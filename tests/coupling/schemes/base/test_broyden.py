"""Broyden's method beside Newton moves that are wrong."""

from __future__ import annotations

import numpy as np
import pytest

from coupling.schemes.base.broyden import Broyden


def residuals(believed: np.ndarray, corrects: bool) -> list[float]:
    """Of a linear system with three unknowns, from move to move."""
    matrix, right = np.array([[2.0, 0.4, 0.0], [0.1, 1.5, -0.3], [0.2, 0.0, 1.0]]), np.array([1.0, -2.0, 0.5])
    x, broyden, found = np.zeros(3), Broyden(3), []
    for _ in range(8):
        residual = matrix @ x - right
        found.append(float(np.abs(residual).max()))
        wanted = -np.linalg.solve(believed, residual)
        broyden.update(wanted)
        x = x + (broyden.corrected(wanted) if corrects else wanted)
    return found


def test_it_solves_linear_equations_in_twice_as_many_moves_as_unknowns():
    """D. M. Gay, 1979; Newton's moves with the same wrong matrix only halve the residual."""
    believed = 2 * np.eye(3)
    assert residuals(believed, True)[6] < 1e-12
    assert residuals(believed, False)[6] > 1e-4


def test_what_is_forgotten_changes_nothing():
    """After a reset a move is as Newton wants it, and a move before a new point teaches nothing."""
    broyden, wanted = Broyden(2), np.array([1.0, 2.0])
    broyden.corrected(wanted)
    broyden.forget_last()
    broyden.update(wanted / 2)
    assert broyden.corrected(wanted) == pytest.approx(wanted, abs=0)
    broyden.update(wanted / 2)
    assert broyden.corrected(wanted) == pytest.approx(2 * wanted)
    broyden.reset()
    assert broyden.corrected(wanted) == pytest.approx(wanted, abs=0)
