"""Tables in C give the values and derivatives that SciPy gives."""

from __future__ import annotations

import ctypes
import subprocess
from pathlib import Path

import numpy as np
import pytest
from numpy.polynomial import Chebyshev
from scipy.interpolate import BPoly, KroghInterpolator, PchipInterpolator

from fmu_components.export.compile import FLAGS, RUNTIME

_SOURCE = """#include "lookup.h"
__attribute__((visibility("default"))) double a_curve(unsigned o, unsigned k, double x, unsigned n, const double *X, const double *Y)
{
    return curve(o, k, x, n, X, Y);
}
__attribute__((visibility("default"))) double a_surface(unsigned o, unsigned p, unsigned k, double x, double y, unsigned n, unsigned m,
                                                        const double *X, const double *Y, const double *Z)
{
    return surface(o, p, k, x, y, n, m, X, Y, Z);
}
"""


@pytest.fixture(scope="module")
def lookup(tmp_path_factory):
    folder: Path = tmp_path_factory.mktemp("lookup")
    (folder / "tables.c").write_text(_SOURCE)
    subprocess.run(["gcc", *FLAGS, "-shared", f"-I{RUNTIME}", "-o", folder / "tables.so", folder / "tables.c"], check=True)
    library = ctypes.CDLL(folder / "tables.so")
    library.a_curve.restype = library.a_surface.restype = ctypes.c_double
    return library


def _pointer(array):
    return np.ascontiguousarray(array, float).ctypes.data_as(ctypes.POINTER(ctypes.c_double))


def _curve(lookup, order, kind, x, X, Y):
    return np.array([lookup.a_curve(order, kind, ctypes.c_double(each), len(X), _pointer(X), _pointer(Y)) for each in np.atleast_1d(x)])


def _surface(lookup, orders, kind, x, y, X, Y, Z):
    return lookup.a_surface(*orders, kind, ctypes.c_double(x), ctypes.c_double(y), len(X), len(Y), _pointer(X), _pointer(Y), _pointer(Z))


@pytest.mark.parametrize("count", [2, 3, 4, 5, 40])
def test_a_curve_agrees_with_scipy(lookup, count):
    random = np.random.default_rng(count)
    for _ in range(6):
        X = np.cumsum(random.uniform(1e-3, 1, count)) - 1
        Y = random.choice([-1.0, 0.0, 0.5, 2.0], count) * random.uniform(0.5, 2, count)
        x = np.concatenate([random.uniform(X[0], X[-1], 60), X])
        pchip = PchipInterpolator(X, Y)
        size = 1 / np.diff(X).min()
        for order in range(4):
            given = pchip(x) if order == 0 else pchip.derivative(order)(x)
            assert np.abs(_curve(lookup, order, 1, x, X, Y) - given).max() <= 1e-14 * 40 * size**order
        assert np.abs(_curve(lookup, 0, 0, x, X, Y) - np.interp(x, X, Y)).max() <= 1e-14
        slopes = (np.diff(Y) / np.diff(X))[np.minimum(np.searchsorted(X, x, "right") - 1, count - 2)]
        assert (_curve(lookup, 1, 0, x, X, Y) == slopes).all()
        assert not _curve(lookup, 2, 0, x, X, Y).any()


@pytest.mark.parametrize("kind", [0, 1])
def test_the_end_is_held(lookup, kind):
    X, Y = np.array([0.0, 1.0, 3.0]), np.array([2.0, 5.0, 4.0])
    beyond = np.array([-1e300, -1e-12, 3.0 + 1e-12, np.inf])
    assert (_curve(lookup, 0, kind, beyond, X, Y) == [2, 2, 4, 4]).all()
    assert not _curve(lookup, 1, kind, beyond, X, Y).any()
    assert np.isnan(_curve(lookup, 0, kind, np.nan, X, Y)).all()


def test_uniform_grids_and_nodes_find_their_piece(lookup):
    X = np.arange(1000) * 0.1
    Y = np.arange(1000.0) ** 2
    assert (_curve(lookup, 1, 0, X[:-1], X, Y) == np.diff(Y) / np.diff(X)).all()


def _nested(X, Y, Z, x, y):
    return float(PchipInterpolator(X, PchipInterpolator(Y, Z, axis=1)(y))(x))


@pytest.mark.parametrize(("rows", "columns"), [(2, 2), (2, 5), (3, 3), (7, 6)])
def test_a_surface_agrees_with_scipy(lookup, rows, columns):
    random = np.random.default_rng(rows)
    X, Y = np.cumsum(random.uniform(0.2, 1, rows)), np.cumsum(random.uniform(0.2, 1, columns))
    Z = random.normal(size=(rows, columns))
    for x, y in zip(random.uniform(X[0], X[-1], 40), random.uniform(Y[0], Y[-1], 40), strict=True):
        assert abs(_surface(lookup, (0, 0), 1, x, y, X, Y, Z) - _nested(X, Y, Z, x, y)) <= 1e-14 * 10
        bilinear = np.interp(x, X, [np.interp(y, Y, row) for row in Z])
        assert abs(_surface(lookup, (0, 0), 0, x, y, X, Y, Z) - bilinear) <= 1e-14 * 10
    for x, y in ((X[0] - 1, Y[0] - 1), (X[-1] + 1, Y[0] - 1), (X[0] - 1, Y[-1] + 1), (X[-1] + 1, Y[-1] + 1)):
        for kind in (0, 1):
            corner = Z[0 if x < X[0] else -1, 0 if y < Y[0] else -1]
            assert _surface(lookup, (0, 0), kind, x, y, X, Y, Z) == corner
            assert _surface(lookup, (1, 0), kind, x, y, X, Y, Z) == _surface(lookup, (0, 1), kind, x, y, X, Y, Z) == 0


def test_derivatives_of_a_surface_agree_with_those_of_a_fit_to_scipy(lookup):
    X, Y = np.array([0.0, 0.4, 1.0, 1.3, 2.0]), np.array([0.0, 0.5, 0.8, 1.5, 2.0])
    Z = np.exp(0.7 * X[:, None] + 0.3 * Y) + X[:, None] * Y
    for low, high in ((0.4, 1.0), (1.3, 2.0)):
        x = 0.3 * low + 0.7 * high
        for below, above in ((0.0, 0.5), (0.8, 1.5), (1.5, 2.0)):
            fitted = Chebyshev.interpolate(np.vectorize(lambda y, x=x: _nested(X, Y, Z, x, y)), 20, [below, above])
            for order in range(4):
                y = 0.4 * below + 0.6 * above
                expected = fitted.deriv(order)(y) if order else fitted(y)
                assert _surface(lookup, (0, order), 1, x, y, X, Y, Z) == pytest.approx(expected, rel=1e-6 if order == 3 else 1e-9)
            y = 0.4 * below + 0.6 * above
            along = PchipInterpolator(X, PchipInterpolator(Y, Z, axis=1)(y))
            for order in (1, 2, 3):
                assert _surface(lookup, (order, 0), 1, x, y, X, Y, Z) == pytest.approx(float(along.derivative(order)(x)), rel=1e-12)
            mixed = Chebyshev.interpolate(np.vectorize(lambda x, y=y: _surface(lookup, (0, 1), 1, x, y, X, Y, Z)), 8, [low, high])
            assert _surface(lookup, (1, 1), 1, x, y, X, Y, Z) == pytest.approx(mixed.deriv()(x), rel=1e-10)
    for orders, expected in (((1, 0), 2.0 * 0.5), ((0, 1), 2 * 0.4), ((1, 1), 2.0), ((2, 0), 0.0)):
        Z = 2 * X[:, None] * Y
        assert _surface(lookup, orders, 0, 0.4, 0.5, X, Y, Z) == pytest.approx(expected, abs=1e-12)


def test_a_periodic_curve_is_one_of_many_periods(lookup):
    """Values, slopes and curvatures are those of SciPy in the middle of five periods, at any distance from the first one."""
    X, Y = np.array([0.5, 0.7, 1.5, 2.0, 2.5]), np.array([1.0, 4.0, 2.0, 2.5, 1.0])
    many_X = np.concatenate([X[:-1] + 2 * k for k in range(-2, 3)] + [[X[-1] + 4]])
    many_Y = np.concatenate([Y[:-1]] * 5 + [[Y[-1]]])
    x = np.linspace(0.5, 2.5, 77)[:-1]
    for kind, values in ((3, PchipInterpolator(many_X, many_Y)), (2, lambda each: np.interp(each, many_X, many_Y))):
        for turn in (-7, 0, 3):
            assert _curve(lookup, 0, kind, x + 2 * turn, X, Y) == pytest.approx(values(x), abs=1e-13)
        assert _curve(lookup, 0, kind, 2.5, X, Y)[0] == 1.0
    for order in (1, 2):
        assert _curve(lookup, order, 3, x, X, Y) == pytest.approx(PchipInterpolator(many_X, many_Y).derivative(order)(x), abs=1e-11)
    assert _curve(lookup, 0, 3, [0.0, 0.3], np.array([0.0, 1.0]), np.array([2.0, 2.0])).tolist() == [2, 2]


@pytest.mark.parametrize("count", [3, 4, 9])
def test_a_smooth_periodic_curve_has_the_bends_of_polynomials_through_five_nodes(lookup, count):
    """SciPy's Krogh interpolation gives slopes and second derivatives, its Bernstein polynomials the pieces between them."""
    random = np.random.default_rng(count)
    X, Y = np.cumsum(random.uniform(0.2, 1, count)), random.normal(size=count)
    Y[-1] = Y[0]
    period = X[-1] - X[0]
    nodes = np.concatenate([X[:-1] + turn * period for turn in range(-4, 5)])
    values = np.tile(Y[:-1], 9)
    first = 4 * (count - 1)
    ends = [
        KroghInterpolator(nodes[i - 2 : i + 3], values[i - 2 : i + 3]).derivatives(nodes[i], der=3) for i in range(first, first + count)
    ]
    exact = BPoly.from_derivatives(X, np.array(ends))
    x = random.uniform(X[0], X[-1], 40)
    size = 1 / np.diff(X).min()
    for order in range(6):
        given = exact(x) if order == 0 else exact.derivative(order)(x)
        for turn in (-3, 0, 5):
            found = _curve(lookup, order, 4, x + turn * period, X, Y)
            assert np.abs(found - given).max() <= 1e-12 * (4 * size) ** order * np.abs(Y).max()
    before, after = (_curve(lookup, 2, 4, X[1:-1] + step, X, Y) for step in (-1e-9, 1e-9))
    assert before == pytest.approx(after, abs=1e-5 * size**3)


def test_a_smooth_curve_of_a_sine_gains_by_more_nodes(lookup):
    """Errors of value, slope and second derivative fall by the orders 5, 4 and 3, or better, with the distance of the nodes."""
    errors = []
    for count in (33, 65):
        X = np.linspace(0, 2 * np.pi, count)
        Y = np.sin(X)
        Y[-1] = Y[0]
        x = np.linspace(0, 6, 301)
        errors.append([np.abs(_curve(lookup, o, 4, x, X, Y) - d).max() for o, d in enumerate((np.sin(x), np.cos(x), -np.sin(x)))])
    assert (np.log2(np.array(errors[0]) / np.array(errors[1])) > [4.7, 3.7, 2.7]).all(), errors
