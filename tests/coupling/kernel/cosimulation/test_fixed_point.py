"""Fixed points of maps that mere repetition would not find, against the solution of linear equations."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.kernel.implicit_parts import FixedPoint

MAP = np.array([[0.5, -3.0, 0.0], [2.0, 0.0, 40.0], [0.0, 0.1, -1.5]])
"""Its greatest eigenvalue is far beyond 1."""


def iterated(fixed_point: FixedPoint, offset: np.ndarray, times: int, scale: np.ndarray) -> np.ndarray:
    """The point after so many evaluations of x -> MAP x + offset."""
    x = np.zeros(3)
    fixed_point.leave()
    for _ in range(times):
        x = fixed_point.next(x, MAP @ x + offset, scale)
    return x


@pytest.mark.parametrize("scale", [np.ones(3), np.array([20.0, 3.0, 1.0])])
def test_a_linear_map_is_known_after_as_many_answers_as_unknowns(scale: np.ndarray) -> None:
    """Another answer finds the point; a further step of the same map finds the next point at once."""
    fixed_point = FixedPoint(3)
    for offset, times in ((np.array([1.0, 2.0, 3.0]), 5), (np.array([-1.0, 0.5, 2.0]), 2)):
        exact = np.linalg.solve(np.eye(3) - MAP, offset)
        assert iterated(fixed_point, offset, times, scale) == pytest.approx(exact, rel=1e-6)


def test_what_is_forgotten_has_to_be_learned_again() -> None:
    """The first answer after that is taken as it is."""
    fixed_point = FixedPoint(3)
    iterated(fixed_point, np.ones(3), 5, np.ones(3))
    fixed_point.forget()
    assert fixed_point.next(np.zeros(3), np.array([1.0, 2.0, 3.0]), np.ones(3)) == pytest.approx([1, 2, 3], abs=0)


def test_the_gain_is_how_strongly_a_map_answers() -> None:
    """The gain of x -> -7 x is 7."""
    fixed_point = FixedPoint(1)
    x = np.array([1.0])
    for _ in range(2):
        x = fixed_point.next(x, -7 * x, np.ones(1))
    assert fixed_point.gains == pytest.approx([7.0])
    assert x == pytest.approx([0.0], abs=1e-12)


def test_what_was_learned_as_an_unknown_moved_is_left_out_while_it_is_held() -> None:
    """Elsewhere it would move the others by what that one is expected to do, and it does not: no repetition would come to an end."""
    fixed_point, scale = FixedPoint(2), np.ones(2)
    for x in ([0.0, 0.0], [1.0, 0.5]):
        fixed_point.next(np.array(x), MAP[:2, :2] @ x + 1, scale)
    first = np.array([2.0, 1.7])
    second = fixed_point.next(first, np.array([2.0, 3 * first[1] - 2]), scale, held=1)
    assert second == pytest.approx([2.0, 3.1], abs=1e-12)  # as the map answers
    assert fixed_point.next(second, np.array([2.0, 3 * second[1] - 2]), scale, held=1) == pytest.approx([2.0, 1.0], abs=1e-12)
