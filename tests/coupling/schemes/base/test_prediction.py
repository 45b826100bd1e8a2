"""Extrapolation from the last points."""

from __future__ import annotations

import numpy as np
import pytest

from coupling.schemes.base.prediction import Point, Predictor, extrapolate

TIMES = (1.0, 0.7, 0.2, -0.4)


def cubic(t: float) -> np.ndarray:
    """Two polynomials of degree 3."""
    return np.array([1 - t + 2 * t**2 - t**3, 4 * t**3 + t])


@pytest.mark.parametrize("t", [1.3, 1.0, 0.45])
def test_polynomials_through_more_and_more_points(t):
    """As NumPy fits them; through four points a cubic is exact."""
    found = extrapolate(t, [(time, cubic(time)) for time in TIMES])
    for count, values in enumerate(found, start=1):
        fits = [np.polyfit(TIMES[:count], [cubic(time)[i] for time in TIMES[:count]], count - 1) for i in range(2)]
        assert values == pytest.approx([np.polyval(fit, t) for fit in fits], abs=1e-12)
    assert found[-1] == pytest.approx(cubic(t), abs=1e-12)


def test_as_many_points_as_would_have_been_best():
    """Of a parabola that jumps one point is best, without a jump three."""

    def chosen(end: float) -> int:
        past = [Point(time=t, multipliers=np.array([t**2]), inputs=np.array([2 * t]), before=None) for t in (3.0, 2.0, 1.0, 0.0)]
        predictor = Predictor()
        predictor.predict(4.0, past)
        predictor.compare(Point(time=4.0, multipliers=np.array([end]), inputs=np.array([8.0]), before=None))
        return predictor.count

    assert chosen(16.0) == 3
    assert chosen(9.0) == 1
