"""Short forms of expressions, and names in LaTeX."""

from __future__ import annotations

import pytest
import sympy

from coupling.equations.notation import latex_names
from coupling.equations.short import product, short, terms

a, b, m = sympy.symbols("a b m", real=True)


def test_sines_and_cosines_are_combined():
    """Squares add up to 1, products become the cosine of a difference; an expression that is short already stays."""
    assert short(m * sympy.cos(a) ** 2 + m * sympy.sin(a) ** 2) == m
    assert short(sympy.cos(a) * sympy.cos(b) + sympy.sin(a) * sympy.sin(b)) == sympy.cos(a - b)
    assert short(m * sympy.cos(a) * sympy.sin(b)) == m * sympy.cos(a) * sympy.sin(b)


def test_quotients_keep_their_numerators():
    """Terms beside a quotient by a cosine are shortened by themselves."""
    quotient = (a + b) * sympy.sin(a) / sympy.cos(b)
    assert short(m * sympy.cos(a) ** 2 + m * sympy.sin(a) ** 2 + quotient) == m + quotient


def test_long_products_are_not_expanded():
    """The number of terms is known before; ten factors of two terms have 1024."""
    factors = [a + sympy.Symbol(f"x{i}") for i in range(10)]
    assert terms(sympy.Mul(*factors)) == 1024 and terms((a + b) ** 3 + m) == 9
    assert short(sympy.Mul(*factors)) == sympy.Mul(*factors)


def test_products_of_matrices_keep_their_entries():
    left, right = sympy.Matrix([[1 / a, b]]), sympy.Matrix([a + b, m])
    assert product(left, right) == sympy.Matrix([[(a + b) / a + b * m]])
    assert product(sympy.zeros(2, 0), sympy.zeros(0, 1)) == sympy.zeros(2, 1)


@pytest.mark.parametrize(
    ("name", "written"),
    [
        ("rod.theta", r"\theta_{\mathrm{rod}}"),
        ("rod.der(omega)", r"\dot{\omega}_{\mathrm{rod}}"),
        ("rod.p1.rx", r"r_{\mathrm{x},\mathrm{rod.p1}}"),
        ("pin_a.lambda[2]", r"\lambda_{\mathrm{pin\_a},\mathrm{2}}"),
    ],
)
def test_names_in_latex(name: str, written: str):
    symbol = sympy.Symbol(name, real=True)
    assert latex_names([symbol]) == {symbol: written}
