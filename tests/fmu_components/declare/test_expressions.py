"""Questions to expressions have SymPy's answers, and take as long as an expression has parts, not as its tree has leaves."""

from __future__ import annotations

import pytest
import sympy

from fmu_components.declare.component import Component, declaration
from fmu_components.declare.expressions import contains, derivative, free_symbols, kinds_in, replaced
from fmu_components.declare.functions import Magnitude
from fmu_components.export.table import VariableTable

x, y, z = sympy.symbols("x y z", real=True)
on = sympy.Symbol("on")
EXPRESSIONS = [
    sympy.Integer(3),
    x,
    x * sympy.sin(x * y) / z - 2 * (x + y) ** 3,
    x ** (y * x) + sympy.sqrt(x**2 + y**2) + 2.5**x + sympy.exp(-x / y),
    sympy.atan2(y - x, x * z) * sympy.log(z) - sympy.tanh(x) ** 2,
    sympy.Piecewise((x * sympy.cos(y), on), (x**2, x > y), (-x, True)),
    sympy.Abs(x * y) + sympy.sign(x - z) * sympy.floor(y),
    Magnitude(x * y, z - x),
    sympy.Max(x, y * z) - sympy.Min(x, 1),
    (x + y) * (x + y + z) * (sympy.sin(x + y) + (x + y) / (x + y + z)),
]


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_the_answers_are_those_of_sympy(expression):
    """They agree to the order of the terms; SymPy's own walk over the tree is the oracle."""
    assert free_symbols(expression) == expression.free_symbols
    for symbol in (x, y, z):
        assert derivative(expression, symbol) == sympy.diff(expression, symbol)
        assert str(derivative(expression, symbol)) == str(sympy.diff(expression, symbol))
    values = {x: y * z, on: sympy.true}
    assert replaced(expression, values) == expression.xreplace(values)
    for kinds in ((sympy.Piecewise,), (sympy.sin, sympy.Max), (sympy.Function,)):
        assert contains(expression, *kinds) == expression.has(*kinds)


def test_parts_that_are_shared_are_visited_once():
    """Twelve levels, each of which names the one below twice, have 4,096 leaves and a derivative of twelve times as many."""
    levels = 12
    expression = x
    for k in range(levels):
        expression = sympy.sin(expression + k) * sympy.cos(expression - k)
    for question in (free_symbols, kinds_in, derivative):
        question.cache_clear()
    assert free_symbols(expression) == {x} and contains(expression, sympy.sin) and not contains(expression, sympy.Max)
    assert free_symbols(derivative(expression, x)) == {x}
    assert replaced(expression, {x: y}) != expression
    for question in (free_symbols, kinds_in, derivative):
        assert levels < question.cache_info().misses < 60 * levels


def series(count: int) -> type[Component]:
    class Series(Component):
        """Force that is a series with a coefficient for each harmonic."""

        def declare(self) -> None:
            q = self.state("q", 0.1, "", "angle")
            coefficients = [self.parameter(f"a[{k}]", 0.1, "1/s", f"coefficient {k}") for k in range(count)]
            self.rate(q, sympy.Add(*(a * sympy.sin((k + 1) * q) for k, a in enumerate(coefficients))))

    return Series


def test_the_work_of_a_jacobian_grows_with_the_parameters_as_they_do():
    """Twice as many parameters take twice as many derivatives; each parameter against each term would be four times as many."""
    made = []
    for count in (50, 100):
        derivative.cache_clear()
        assert len(VariableTable(declaration(series(count))).jacobian) == count + 1
        made.append(derivative.cache_info().misses)
    assert made[1] < 2.2 * made[0]
