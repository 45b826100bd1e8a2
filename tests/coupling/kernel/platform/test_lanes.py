"""Loops over several states at once against NumPy, and the digits of all processors against each other."""

from __future__ import annotations

import ctypes
from ctypes import POINTER, Structure, byref, c_double, c_int, c_size_t, c_void_p

import numpy as np
import pytest

from coupling.kernel import library
from coupling.kernel.runs.tableau import DoublePointer, double_pointer


class Term(Structure):
    _fields_ = [("weight", c_double), ("row", DoublePointer)]


class Sum(Structure):
    _fields_ = [("term", POINTER(Term)), ("terms", c_int)]


class Scaled(Structure):
    _fields_ = [*((name, DoublePointer) for name in ("error", "atol", "before", "after")), ("rtol", c_double)]


class Lanes(Structure):
    _fields_ = [
        ("combine", ctypes.CFUNCTYPE(None, POINTER(Sum), c_size_t, c_void_p, c_double, c_void_p)),
        ("norm", ctypes.CFUNCTYPE(c_double, POINTER(Scaled), c_size_t, POINTER(c_int))),
    ]


def lanes(name: str) -> Lanes:
    found = getattr(library, name)
    found.restype = POINTER(Lanes)
    return found().contents


BOTH = [lanes("lanes_of_processor"), lanes("lanes_of_any_processor")]


def combined(loops: Lanes, weights: np.ndarray, rows: np.ndarray, x: np.ndarray | None, h: float) -> np.ndarray:
    terms = (Term * len(weights))(*(Term(w, double_pointer(row)) for w, row in zip(weights, rows, strict=True)))
    out = np.full(rows.shape[1], np.nan)
    loops.combine(Sum(terms, len(weights)), out.size, None if x is None else x.ctypes.data, h, out.ctypes.data)
    return out


def norm(loops: Lanes, error: np.ndarray, atol: np.ndarray, before: np.ndarray, after: np.ndarray) -> tuple[float, int]:
    worst = c_int(-1)
    value = loops.norm(Scaled(*map(double_pointer, (error, atol, before, after)), 1e-3), error.size, byref(worst))
    return value, worst.value


@pytest.mark.parametrize("width", [8, 16, 24, 48])
def test_sums_of_stages_are_those_of_numpy_in_the_same_order(width):
    rng = np.random.default_rng(width)
    for terms in range(8):
        weights, rows, x = rng.normal(size=terms), rng.normal(size=(terms, width)), rng.normal(size=width)
        total = np.zeros(width)
        for weight, row in zip(weights, rows, strict=True):
            total = total + weight * row
        for loops in BOTH:
            np.testing.assert_array_equal(combined(loops, weights, rows, x, 0.3), x + 0.3 * total)
            np.testing.assert_array_equal(combined(loops, weights, rows, None, 0.3), 0.3 * total)


@pytest.mark.parametrize("width", [8, 16, 24, 48])
def test_a_norm_is_the_root_mean_square_of_what_has_a_tolerance(width):
    rng = np.random.default_rng(width)
    error, before, after = rng.normal(size=(3, width))
    atol = np.where(rng.random(width) < 0.3, np.inf, 1e-3)
    error[1] = before[1] = after[1] = 0
    atol[1] = 0  # 0 of 0 is no error
    scale = atol + 1e-3 * np.maximum(np.abs(before), np.abs(after))
    scale[1] = 1
    part = (np.abs(error) / scale)[atol < np.inf]
    (value, worst), other = (norm(loops, error, atol, before, after) for loops in BOTH)
    assert (value, worst) == other
    assert value == pytest.approx(np.sqrt(np.mean(part**2)), rel=1e-14)
    assert worst == np.flatnonzero(atol < np.inf)[np.argmax(part)]


@pytest.mark.parametrize(
    ("changed", "worst", "expected"),
    [
        ({}, 0, 0.0),
        ({5: 1.0, 3: 1.0}, 3, 0.25 / 1e-3),
        ({6: np.nan, 2: 9.0, 7: np.nan}, 6, np.nan),
        ({4: np.inf}, 4, np.inf),
    ],
    ids=["nothing", "the first of two", "no number", "infinite"],
)
def test_the_worst_state_is_the_first_of_the_greatest_or_of_what_is_no_number(changed, worst, expected):
    error, nothing = np.zeros(32), np.zeros(32)
    for state, value in changed.items():
        error[state] = value
    for loops in BOTH:
        value, found = norm(loops, error, np.full(32, 1e-3), nothing, nothing)
        np.testing.assert_allclose(value, expected, rtol=1e-14)
        assert found == worst


def test_what_has_no_tolerance_is_never_the_worst():
    error, nothing = np.ones(8), np.zeros(8)
    for loops in BOTH:
        assert norm(loops, error, np.full(8, np.inf), nothing, nothing) == (0.0, -1)
