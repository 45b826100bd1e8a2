"""Expressions in C."""

from __future__ import annotations

import math
import re

import pytest
import sympy

from fmu_components.export.c_code import expression_printer

x, y, z = sympy.symbols("x y z", real=True)


@pytest.mark.parametrize("constant", [sympy.pi, sympy.E, sympy.GoldenRatio])
def test_constants_are_numbers(constant: sympy.Expr) -> None:
    """They are written in full precision, since standard C has no macros for them."""
    text = expression_printer({}).doprint(constant * x)
    assert "M_" not in text
    (number,) = re.findall(r"[\d.]{10,}", text)
    assert float(number) == float(constant) and math.isclose(float(number), float(sympy.N(constant, 30)), rel_tol=1e-16)


def test_alternatives_are_in_parentheses() -> None:
    """Compilers take a conjunction in a disjunction without parentheses for a mistake."""
    text = expression_printer({}).doprint(sympy.Or(sympy.And(x > 1, y > 2), z > 3))
    assert text == "(x > 1 && y > 2) || (z > 3)"


@pytest.mark.parametrize("number", [2**63 - 1, 2**63, -(2**63), 10**19, int(1e300)])
def test_great_whole_numbers_are_doubles(number: int) -> None:
    """C has no integers beyond 64 bits; smaller ones stay as they are."""
    text = expression_printer({})._print(sympy.Integer(number))
    assert float(text) == float(number)
    assert text.lstrip("-").isdigit() is (abs(number) < 2**63)
