"""Parts that are computed once: the values stay the same, and expressions that differ by a sign alone are one part."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import sympy
from sympy.abc import a, b, c, x, y

from fmu_components.catalogue import find
from fmu_components.export.build import table_of
from fmu_components.export.sharing import shared_parts


def inserted(shared: list[tuple[sympy.Symbol, sympy.Expr]], reduced: list[sympy.Expr]) -> list[sympy.Expr]:
    known: dict[sympy.Symbol, sympy.Expr] = {}
    for symbol, definition in shared:
        known[symbol] = definition.xreplace(known)
    return [each.xreplace(known) for each in reduced]


def test_the_parts_make_the_whole() -> None:
    """A component with many common terms keeps its values at random points, since forms may differ."""
    table = table_of(find("spatial.RollingDisc"))
    expressions = [v.equation for v in table.declared.order]
    values = {v.symbol: sympy.true if v.type == "boolean" else sympy.Float(0.3 + 0.01 * k) for k, v in enumerate(table.variables)}
    for whole, again in zip(expressions, inserted(*shared_parts(expressions)), strict=True):
        assert float(again.xreplace(values)) == pytest.approx(float(whole.xreplace(values)), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    "first, second",
    [
        (x - y, y - x),
        (a * x - b * y, b * y - a * x),
        (x - y - c, c + y - x),
        (-2 * a * x, 2 * a * x),
        (x**-3, x**3),
        (a * b * x, a * b * y),
    ],
)
def test_what_differs_by_a_sign_or_is_part_of_another_is_computed_once(first: sympy.Expr, second: sympy.Expr) -> None:
    """The parts are those that sympy.cse finds too, with not one operation more."""
    expressions = [sympy.sin(first), sympy.cos(second)]
    mine, theirs = shared_parts(expressions), sympy.cse(expressions, order="none")
    assert inserted(*mine) == expressions
    assert len(mine[0]) == 1
    assert sum(e.count_ops() for e in (mine[0][0][1], *mine[1])) <= sum(e.count_ops() for e in (theirs[0][0][1], *theirs[1]))


@pytest.mark.slow
def test_the_names_do_not_depend_on_the_process() -> None:
    """Two processes, whose hashes differ, write the same code."""
    program = (
        "from fmu_components.catalogue import find\nfrom fmu_components.export.build import table_of\n"
        "from fmu_components.export.sharing import shared_parts\n"
        "t = table_of(find('spatial.Universal'))\nprint(shared_parts([v.equation for v in t.declared.order]))"
    )
    printed = {
        subprocess.run(
            [sys.executable, "-c", program], env=os.environ | {"PYTHONHASHSEED": seed}, capture_output=True, text=True, check=True
        ).stdout
        for seed in ("1", "2")
    }
    assert len(printed) == 1
