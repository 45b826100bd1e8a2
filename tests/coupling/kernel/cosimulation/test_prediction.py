"""Extrapolation from the last points."""

from __future__ import annotations

import numpy as np
import pytest

from tests.support.kernel.implicit_parts import MOST_POINTS, Past

TIMES = (1.0, 0.7, 0.2, -0.4)


def cubic(t: float) -> np.ndarray:
    """Two polynomials of degree 3."""
    return np.array([1 - t + 2 * t**2 - t**3, 4 * t**3 + t])


@pytest.mark.parametrize("t", [1.3, 1.0, 0.45])
def test_polynomials_through_more_and_more_points(t):
    """NumPy fits the same polynomials; through four points a cubic is exact."""
    past = Past(2)
    for time in reversed(TIMES):
        past.add(time, cubic(time))
    found = past.predict(t)
    assert len(found) == len(TIMES)
    for count, values in enumerate(found, start=1):
        fits = [np.polyfit(TIMES[:count], [cubic(time)[i] for time in TIMES[:count]], count - 1) for i in range(2)]
        assert values == pytest.approx([np.polyval(fit, t) for fit in fits], abs=1e-12)
    assert found[-1] == pytest.approx(cubic(t), abs=1e-12)


def test_the_oldest_points_are_forgotten():
    """A polynomial is found from the last ones, whatever was before."""
    past = Past(2)
    for time in (-3.0, -2.0, -1.0):
        past.add(time, [99.0, -99.0])
    for time in (-0.5, *reversed(TIMES)):
        past.add(time, cubic(time))
    found = past.predict(1.3)
    assert len(found) == MOST_POINTS and found[-1] == pytest.approx(cubic(1.3), abs=1e-12)


@pytest.mark.parametrize(("end", "best"), [(16.0, 3), (9.0, 1)])
def test_as_many_points_as_would_have_been_best(end, best):
    """One point is best for a parabola that jumps, three without a jump."""
    past = Past(2)
    for t in (0.0, 1.0, 2.0, 3.0):
        past.add(t, [t**2, 2 * t])
    past.predict(4.0)
    past.add(4.0, [end, 8.0])
    past.compare()
    assert past.count == best


def test_what_belongs_to_steps_is_extrapolated_from_the_points_that_have_it():
    """A line through three points of four; without any, what there was stays."""
    past = Past(1, led=1)
    past.add(0.0, [0.0])
    assert past.predict_led(1.0, [7.0]) == [7.0]
    for t in (1.0, 2.0, 3.0):
        past.add(t, [0.0], led=[5 - 2 * t])
    assert past.predict_led(4.5, [7.0]) == pytest.approx([-4.0], abs=1e-13)
