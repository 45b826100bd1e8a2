"""Functions for declarations, against mpmath in many digits."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
import sympy
from sympy.printing.pycode import PythonCodePrinter

from fmu_components.declare.functions import TurnFactor

SQUARE, COSINE = sympy.symbols("square cosine", real=True)


@pytest.mark.parametrize("order", [0, 1, 2])
def test_the_turn_factor_is_exact_up_to_half_a_turn(order):
    """Its derivatives by the square of the sine, of the vector's true length and of others, to 1e-13 against differentiation in 60 digits."""
    code = PythonCodePrinter().doprint(TurnFactor(order, SQUARE, COSINE))
    computed = eval(f"lambda square, cosine: {code}", {"math": math})
    for angle in (*np.geomspace(1e-9, 0.3, 12), *np.linspace(0.31, 3.1, 40), np.pi - 1e-3):
        for scale in (0.8, 1.0, 1.2):
            square, cosine = (scale * math.sin(angle)) ** 2, math.cos(angle)
            with mpmath.workdps(60):
                x = mpmath.mpf(square)
                factor = mpmath.atan2(mpmath.sqrt(x), cosine) / mpmath.sqrt(x)
                first = (cosine / (x + mpmath.mpf(cosine) ** 2) - factor) / (2 * x)
                second = (-cosine / (x + mpmath.mpf(cosine) ** 2) ** 2 - 3 * first) / (2 * x)
                exact = float((factor, first, second)[order])
            assert computed(square, cosine) == pytest.approx(exact, rel=1e-13)


def test_the_turn_factor_has_values_at_rest_and_at_half_a_turn():
    """The derivatives without a turn are those of theta/sin(theta) = 1 - s/3 cos^-3 ...; where the axis is undefined, they are finite."""
    found = [sympy.lambdify((SQUARE, COSINE), TurnFactor(n, SQUARE, COSINE), "math") for n in (0, 1, 2)]
    assert [f(0.0, 1.0) for f in found] == pytest.approx([1, -1 / 3, 2 / 5])
    assert all(math.isfinite(f(0.0, -1.0)) for f in found)


def test_slopes_of_the_turn_factor_are_its_kind():
    """The slope by the square is the next order. The slope by the cosine is a rational function, which agrees with differences."""
    assert TurnFactor(0, SQUARE, COSINE).diff(SQUARE) == TurnFactor(1, SQUARE, COSINE)
    for order in (0, 1, 2):
        value, slope = (
            sympy.lambdify((SQUARE, COSINE), e, "math")
            for e in (TurnFactor(order, SQUARE, COSINE), TurnFactor(order, SQUARE, COSINE).diff(COSINE))
        )
        assert slope(0.3, 0.4) == pytest.approx((value(0.3, 0.4 + 1e-5) - value(0.3, 0.4 - 1e-5)) / 2e-5, rel=1e-7)
