"""Expressions in Modelica."""

from __future__ import annotations

import pytest
import sympy

from fmu_components.declare.declaration import DeclarationError
from fmu_components.declare.functions import Direction, InSI, Magnitude, TurnFactor, signed_root
from fmu_components.modelica.expressions import ModelicaPrinter

x, y, z = sympy.symbols("x y z", real=True)


def text(expression: sympy.Basic) -> str:
    return str(
        ModelicaPrinter(lambda symbol: {"x": "(-p.f)"}.get(symbol.name, symbol.name), lambda part: f"shared({part.args[0]})").doprint(
            expression
        )
    )


@pytest.mark.parametrize(
    ("expression", "expected"),
    [
        (y**2 / z, "y^2/z"),
        (y ** sympy.Rational(-1, 2), "(1/sqrt(y))"),
        (1 / (y + z), "(1/(y + z))"),
        ((y + z) ** sympy.Rational(3, 2), "(y + z)^((3/2))"),
        (x**2, "(-p.f)^2"),
        (y**z, "y^(z)"),
        (sympy.pi * y, "3.141592653589793*y"),
        (sympy.Piecewise((y, z > 0), (-y, sympy.true)), "noEvent(if (z > 0) then y else -y)"),
        (sympy.Piecewise((y, sympy.Not(sympy.Symbol("b"))), (z, sympy.true)), "noEvent(if (not b) then y else z)"),
        (sympy.Max(y, 0), "noEvent(max(0, y))"),
        (sympy.Abs(y), "noEvent(abs(y))"),
        (sympy.atan2(y, z), "atan2(y, z)"),
        (Magnitude(y, z), "(sqrt(y^2 + z^2))"),
        (Direction(y, z), "noEvent(if (sqrt(y^2 + z^2)) > 0 then (y)/(sqrt(y^2 + z^2)) else 0)"),
        (InSI(y), "(y)"),
        (TurnFactor(0, y, z), "shared(0)"),
    ],
)
def test_expressions(expression: sympy.Basic, expected: str) -> None:
    assert text(expression) == expected


def test_a_root_with_a_sign_has_no_event() -> None:
    assert "noEvent(max(" in text(signed_root(y, z))


def test_an_unknown_function_is_refused() -> None:
    """The sentence names the function and those that can be used."""
    with pytest.raises(DeclarationError, match=r"the function 'gamma' has no Modelica text; express it by sin, cos, .*floor"):
        text(sympy.gamma(y))
