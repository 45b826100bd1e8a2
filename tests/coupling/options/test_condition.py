"""Conditions as text: what they mean, and the sentences for all other texts."""

from __future__ import annotations

import ctypes
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from coupling.errors import BuildError
from coupling.kernel import library
from coupling.options.condition import margin, named, parsed
from coupling.plan.formulas import program
from tests.support.systems.systems import refusal

PLACES = {"a": 1.0, "rod.a": 1.0, "b.c": 2.0, "joint.q[1]": 3.0, "top.der(vy)": 4.0, "m.x[2,3]": 5.0, "odd name": 6.0}
ROW = np.array([2.5, 0.75, -1.25, 3.0, 0.5, -0.25, 1.5])
MEANT = {"rod.a": "A", "b.c": "B", "joint.q[1]": "C", "top.der(vy)": "D", "m.x[2,3]": "E", "'odd name'": "F"}
VALUES = {
    "time": 2.5,
    "pi": math.pi,
    **dict(zip("ABCDEF", ROW[1:].tolist(), strict=True)),
    **{name: getattr(math, name) for name in dir(math)},
}


def in_c(text: str) -> tuple[bool, float]:
    """Returns the truth of a condition for the row, and its margin, as the kernel finds them."""
    formula = library.formula_of_row
    formula.restype, formula.argtypes = ctypes.c_double, [ctypes.c_void_p, ctypes.c_int, ctypes.c_double, ctypes.c_void_p]
    found = []
    tree = named(parsed(text), lambda name, alone: PLACES[name])
    for each in (tree, margin(tree)):
        pairs = np.array(program(each))
        found.append(formula(pairs.ctypes.data, len(pairs) // 2, ROW[0], ROW.ctypes.data))
    return bool(found[0]), found[1]


def in_python(text: str) -> bool:
    for name, letter in MEANT.items():
        text = text.replace(name, letter)
    return bool(eval(text.replace("^", "**"), {"__builtins__": {"abs": abs, "min": min, "max": max}, **VALUES}))


NUMBERS = st.recursive(
    st.sampled_from([*MEANT, "time", "pi", "2", "0.5", "1e-1", ".25"]),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["+", "-", "*"]), inner).map(lambda t: f"({t[0]} {t[1]} {t[2]})"),
        st.tuples(inner, st.sampled_from(["+", "-"]), inner, st.sampled_from("*"), inner).map(" ".join),
        inner.map(lambda x: f"-{x}"),
        inner.map(lambda x: f"sin({x})"),
        inner.map(lambda x: f"abs({x})^2"),
        st.tuples(inner, inner).map(lambda t: f"max({t[0]}, {t[1]}, 0)"),
        st.tuples(inner, inner).map(lambda t: f"atan2({t[0]}, {t[1]})"),
        inner.map(lambda x: f"{x}/3"),
    ),
    max_leaves=6,
)
CONDITIONS = st.recursive(
    st.tuples(NUMBERS, st.sampled_from(["<", "<=", ">", ">="]), NUMBERS).map(" ".join),
    lambda inner: st.one_of(
        st.tuples(inner, st.sampled_from(["and", "or"]), inner).map(lambda t: f"({t[0]}) {t[1]} {t[2]}"),
        inner.map(lambda x: f"not ({x})"),
    ),
    max_leaves=4,
)


@given(CONDITIONS)
def test_conditions_mean_what_python_means(text: str) -> None:
    truth, far = in_c(text)
    if abs(far) > 1e-9:  # where rounding decides, a/3 may differ in the last bit
        assert truth == in_python(text)
    assert abs(far) < 1e-9 or truth == (far > 0)


def test_words_of_conditions() -> None:
    for text, wanted in (
        ("0 < a < 1", True),
        ("0 < a < 0.5", False),
        ("sqrt(a) > 0.86 and log(exp(a)) > 0.7", True),
        ("2^3^2 > 511", True),
        ("-a^2 < 0", True),
        ("a ** 2 < 1", True),
        ('"odd name" > 1.4 or 1 > 2', True),
        ("min(a, b.c, 3) < -1", True),
        ("joint.q[1] >= 3 and top.der(vy) <= 0.5", True),
        ("a", True),
        ("not a", False),
        ("not (a > 1 or b.c > 0)", True),
        ("a > 1 or a < 1 and b.c < 0", True),
    ):
        assert in_c(text)[0] is wanted, text


RULE = "; a condition compares recorded values, such as 'abs(rod.theta) > 1', by <, <=, >, >=, and, or, not"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("", "its end stands where a value is expected"),
        ("a > ", "its end stands where a value is expected"),
        ("a + 1", "it has a number where a condition is expected"),
        ("(a > 1) + 1 > 0", "it has a condition where a number is expected at character 13"),
        ("a > 1 a", "'a' cannot follow there at character 7"),
        ("a == 1", "'==' is refused, because computed values hardly ever meet exactly; use < and > at character 6"),
        ("f(a) > 1", "'f' is no function of conditions; these are"),
        ("sin(a, a) > 1", "'sin' has 2 operands instead of 1"),
        ("min(a) > 1", "'min' has 1 operands instead of 2"),
        ("(a > 1", "')' is missing"),
        ("a > 1; import os", "';' has no meaning at character 6"),
        ("a.__class__.f() > 1", "'a.__class__.f' is no function of conditions"),
        ("a > 1e999", "'1e999' is too large"),
        ("(" * 60 + "a" + ")" * 60 + " > 1", "its brackets are too deep"),
        ("a > " + "1 + " * 5000, "its 20004 characters are more than 10000; give a function"),
    ],
)
def test_other_texts_are_refused(text: str, why: str) -> None:
    said = refusal(lambda: parsed(text), BuildError)
    assert why in said, said
    assert said.endswith(RULE) or "more than" in said


def test_a_long_sum_is_no_deep_one() -> None:
    assert in_c(" + ".join(["a"] * 2000) + " > 1")[0]
