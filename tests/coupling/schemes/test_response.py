"""Responses of constraints to multipliers, in sizes of the mechanism: the same moves in units, however small or large these are."""

from __future__ import annotations

import numpy as np
import pytest

from coupling.schemes.base.response import Response


@pytest.mark.parametrize("size", [2.0**-20, 2.0**20])
def test_moves_are_those_of_1_m(size: float) -> None:
    """A constraint in m with a force, and one in rad with a torque: rows and columns differ by 1e12, which is no lack of rank."""
    answers = np.random.default_rng(1).uniform(-1, 1, (4, 4))

    def moves(size: float) -> np.ndarray:
        of, by = np.array([size, 1.0] * 2), np.array([size, size**2] * 2)
        response = Response(np.arange(2), np.ones((2, 2), dtype=bool), of[:2], by[:2])
        multipliers, violations = (3 * by).reshape(2, 2), (0.1 * of).reshape(2, 2)
        assert response.find(
            lambda moved: violations + (of * (answers @ (moved.ravel() / by))).reshape(2, 2),
            h=0.1,
            multipliers=multipliers,
            violations=violations,
        )
        return response.moves * of / by[:, None]

    assert np.array_equal(moves(size), moves(1.0))
    assert moves(1.0) == pytest.approx(-np.linalg.inv(answers), rel=1e-6)
