"""Formulas of time: their values by the kernel against SymPy's own, their derivatives, their form in files, and what no formula can have."""

from __future__ import annotations

import math
from pathlib import Path

import numpy as np
import pytest
import sympy

from coupling import System
from coupling.plan import formulas
from coupling.plan.drives import FormulaDrive, in_base_units
from fmu_components.declare.declaration import TIME as t
from tests.support.systems.systems import pushed, refusal

EXPRESSIONS = [
    3 * t**2 - 2 * t + sympy.pi,
    sympy.sin(5 * t) * sympy.exp(-t) + sympy.sqrt(1 + t) / (2 + t),
    sympy.tan(t / 2) + sympy.asin(t / 3) + sympy.acos(t / 3) + sympy.atan(t) + sympy.log(1 + t) + 2**t,
    sympy.sinh(t) - sympy.cosh(t) * sympy.tanh(t) + sympy.cos(t) ** 3,
    sympy.Piecewise((t**2, t < 0.5), (t - 0.25, (t >= 0.5) & (t <= 1.5)), (1.25, True)),
    sympy.Piecewise((sympy.sin(t), (t > 0.7) | (t < 0.2)), (sympy.cos(t), True)),
    sympy.Abs(t - 1) * sympy.sign(t - 0.5) + sympy.Max(t, 1.2) - sympy.Min(2 * t, 1) + sympy.Heaviside(t - 1.3),
]


def value(tree: formulas.Tree, at: np.ndarray, breaks: tuple[float, ...] = ()) -> np.ndarray:
    """Returns the kernel's value, from the record of an input on which only the force on a body depends."""
    system = System()
    system.add("body", "planar.Body1", {"m": 1e6})
    system._drives["body.p1.Fx"] = formulas_drive(tree, breaks)
    result = system.simulate(2.0, output_times=at, outputs=["body.p1.Fx"])
    return result["body.p1.Fx"][np.searchsorted(result.time, at, side="right") - 1]


def formulas_drive(tree: formulas.Tree, breaks: tuple[float, ...]):
    from coupling.plan.drives import FormulaDrive

    return FormulaDrive(tree, breaks)


@pytest.mark.parametrize("expression", EXPRESSIONS, ids=str)
def test_values_and_rates(expression: sympy.Expr) -> None:
    """SymPy evaluates the expression, and its derivative, with 30 digits."""
    at = np.array([0.1, 0.3, 0.61, 0.9, 1.1, 1.47, 1.9])
    tree, breaks = formulas.formula_of(expression, "x")
    assert breaks is not None
    for found, exact in ((tree, expression), (formulas.rate(tree, "x"), sympy.diff(expression, t))):
        wanted = [float(exact.subs(t, sympy.Rational(str(time))).doit().evalf(30)) for time in at]
        assert value(found, at, breaks) == pytest.approx(wanted, rel=1e-13, abs=1e-13)
        assert formulas.checked(found, "x") == found


def test_where_pieces_meet() -> None:
    """Times of conditions that are linear in time are found, and integration ends and begins there."""
    assert formulas.formula_of(EXPRESSIONS[4], "x")[1] == (0.5, 1.5)
    assert formulas.formula_of(sympy.Abs(2 * t - 3), "x")[1] == (1.5,)
    system = System()
    system.add("body", "planar.Body1", {"m": 1.0, "gy": 0.0})
    system.drive("body.p1.Fx", sympy.Piecewise((0, t < 0.5), (1, True)))
    result = system.simulate(2.0)
    assert result.statistics.rejected == 0 and result["body.vx"][-1] == pytest.approx(1.5, abs=1e-12)


def test_long_sums_need_no_room() -> None:
    tree, _ = formulas.formula_of(sympy.Add(*(sympy.sin(k * t) for k in range(1, 1000))), "x")
    assert formulas.depth(tree) < 10
    assert value(tree, np.array([0.1]))[0] == pytest.approx(sum(math.sin(0.1 * k) for k in range(1, 1000)), abs=1e-11)


def driven(expression: object, **options: object) -> str:
    def drive() -> None:
        System().drive("body.x", expression, **options)  # type: ignore[arg-type]  # refused

    return refusal(drive)


@pytest.mark.parametrize(
    ("expression", "sentence"),
    [
        (
            sympy.Symbol("t") * sympy.Symbol("omega") * t,
            "'body.x' cannot be driven by omega*t*time: 'omega', 't' are not known; the time is jourdain.declare.t, and other symbols get a number by .subs(...)",
        ),
        (sympy.I * t, "'body.x' cannot be driven by a formula with I in it; its numbers have to be real and finite"),
        (t + sympy.oo * sympy.sin(t), "'body.x' cannot be driven by a formula with oo in it; its numbers have to be real and finite"),
        (
            sympy.Abs(sympy.sin(t)),
            "'body.x' is driven by Abs(sin(time)), whose conditions do not give the times of their changes; give them in breaks=[...]",
        ),
    ],
)
def test_what_cannot_drive(expression: sympy.Expr, sentence: str) -> None:
    assert driven(expression) == sentence


def test_functions_that_there_are_not() -> None:
    assert driven(sympy.gamma(t)).startswith("'body.x' cannot be driven by a formula with gamma in it; there are Add, And, ")


def test_breaks_of_a_formula_can_be_told() -> None:
    system = System()
    system.drive("body.x", sympy.Abs(sympy.sin(t)), breaks=[3.14])
    assert system.drives["body.x"].breaks == (3.14,)  # type: ignore[union-attr]  # a formula


@pytest.mark.parametrize(
    ("tree", "sentence"),
    [
        (["__import__", "os"], "the formula that drives 'x' has ['__import__', 'os']; the operations are 'add', 'multiply'"),
        (["sin", "time", 1.0], "the formula that drives 'x' has 'sin' with 2 operands, which is not how many it has"),
        (["piecewise", 1.0], "the formula that drives 'x' has 'piecewise' with 1 operands, which is not how many it has"),
        ("t", "the formula that drives 'x' has 't'; the operations are"),
        (("piecewise", 1.0, "time"), "the formula that drives 'x' has 'time' as a condition of 'piecewise'; give a comparison"),
        (("piecewise", 1.0, ("multiply", "time", 2.0)), "the formula that drives 'x' has ('multiply', 'time', 2.0) as a condition"),
        (("piecewise", 1.0, ("both", ("less", "time", 1.0), "time")), "the formula that drives 'x' has 'time' as a condition of 'both'"),
    ],
)
def test_trees_from_files_are_checked(tree: object, sentence: str) -> None:
    assert refusal(lambda: formulas.checked(tree, "x")).startswith(sentence)


def steps(count: int) -> formulas.Tree:
    """Returns ``count`` pieces of a tenth of a second, and 7 after them."""
    pieces = [part for i in range(count) for part in (float(i), ("less", formulas.TIME, 0.1 * (i + 1)))]
    return ("piecewise", *pieces, 7.0, 1.0)


def test_formulas_fill_the_stack_of_the_kernel_and_no_more() -> None:
    """Operands of a piecewise wait for each other. Those from a file are counted as those of an expression are, and so are rates."""
    most = steps(127)
    assert formulas.depth(most) == 256 and formulas.checked(most, "x") == most
    assert value(most, np.array([0.25, 1.05])) == pytest.approx([2.0, 10.0])
    refused = "'x' cannot be driven by a formula so deeply nested; give a table with smooth=True"
    assert refusal(lambda: formulas.checked(steps(128), "x")) == refused
    assert driven(sympy.Piecewise(*((i, t < i + 1) for i in range(128)), (0, True))) == refused.replace("'x'", "'body.x'")
    full = ("multiply", ("sin", formulas.TIME), ("exp", ("multiply", formulas.TIME, steps(126))))
    assert formulas.depth(full) == 256 and refusal(lambda: formulas.rate(full, "x")) == refused
    assert formulas.depth(in_base_units(FormulaDrive(full), 2.0, 1.0).tree) == 256  # type: ignore[union-attr]  # a formula as before


def test_expressions_of_any_depth_have_an_answer() -> None:
    nested = sympy.Integer(1)
    for _ in range(600):
        nested = sympy.Add(1.5, sympy.Mul(t, nested, evaluate=False), evaluate=False)
    assert driven(nested) == "'body.x' cannot be driven by a formula so deeply nested; give a table with smooth=True"


def test_a_formula_that_ends_is_no_number_after_its_end_in_an_fmu_too(tmp_path: Path) -> None:
    """A package has it as an FMU, whose C needs a last piece."""
    expression = sympy.Piecewise((sympy.sin(t), t < 0.05))
    with pytest.warns(UserWarning, match="joints are compliant"):
        pushed(expression).to_ssp(tmp_path / "it.ssp")
    tree, _ = formulas.formula_of(expression, "x")
    system = System()
    system.add("it", formulas.component(tree))
    result = system.simulate(0.1, output_interval=0.01)
    assert "y = nan at time 0.05 is not a finite number" in result.outcome.sentence and len(result.time) == 5
    np.testing.assert_allclose(result["it.y"], np.sin(result.time), atol=1e-15)
