"""Functions of tables in Modelica, as a compiler evaluates them, against SciPy."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
import sympy
from scipy.interpolate import BPoly, PchipInterpolator

from fmu_components.declare.declaration import DeclarationError, Role, Variable
from fmu_components.declare.tables import Curve, Surface
from fmu_components.modelica.expressions import ModelicaPrinter
from fmu_components.modelica.tables import FUNCTIONS, modelica_start

X, Y = (-1.0, -0.4, 0.1, 0.3, 1.2, 1.9), (-2.0, -1.1, 0.4, 0.9, 0.7, 3.0)
RING = (*Y[:-1], Y[0])
U, Z = (0.0, 0.5, 1.5), (1.0, 2.0, 2.5, 0.5, 1.0, 3.0, 0.0, 1.5, 2.0)


def array(name: str, values: Sequence[float], shape: tuple[int, ...] = ()) -> str:
    shape = shape or (len(values),)
    variable = Variable(name, Role.PARAMETER, "", "", tuple(values), shape=shape)
    return f"parameter Real {name}[{', '.join(map(str, shape))}] = {modelica_start(variable)};"


def simulated(rumoca, arrays: Sequence[str], values: dict[str, str]) -> dict[str, np.ndarray]:
    """Returns variables while x goes from -1.5 to 2.5."""
    lines = ["package Jourdain", *FUNCTIONS, "end Jourdain;", "model Tables", *arrays, "Real x(start = -1.5, fixed = true);"]
    lines += [*(f"Real {name};" for name in values), "equation", "der(x) = 1;"]
    text = "\n".join([*lines, *(f"{name} = {value};" for name, value in values.items()), "end Tables;"])
    result = rumoca.Session().loads(text, model="Tables").simulate(t=(0, 4), dt=0.05)
    return {name: np.array(result[name]) for name in ("x", *values)}


def fifth_degree(x: np.ndarray, order: int) -> np.ndarray:
    """Returns the periodic curve whose derivatives at nodes are those of polynomials through five of them, by SciPy."""
    nodes = np.concatenate([np.array(X[:-1]) + turn * (X[-1] - X[0]) for turn in range(-3, 4)])
    values = np.tile(RING[:-1], 7)
    derivatives = []
    for middle in range(2, len(nodes) - 2):
        five = slice(middle - 2, middle + 3)
        through = np.polynomial.Polynomial.fit(nodes[five], values[five], 4)
        derivatives.append([values[middle], *(through.deriv(each)(nodes[middle]) for each in (1, 2))])
    pieces = BPoly.from_derivatives(nodes[2:-2], derivatives)
    return np.asarray((pieces if order == 0 else pieces.derivative(order))(x))


def test_curves_and_surfaces_are_those_of_scipy():
    rumoca = pytest.importorskip("rumoca", reason="rumoca, of the extra 'peers', is not installed")
    arrays = [array("X", X), array("Y", Y), array("R", RING), array("U", U), array("Z", Z, (3, 3))]
    curves = {f"c{order}{kind}{n}": (order, kind, n) for order in range(3) for kind in range(2) for n in (2, 3, 6)}
    values = {name: f"Jourdain.Tables.curve({order}, {kind}, x, X[1:{n}], Y[1:{n}])" for name, (order, kind, n) in curves.items()}
    values |= {f"q{order}": f"Jourdain.Tables.curve({order}, 4, x, X, R)" for order in range(3)}
    values |= {f"p{order}": f"Jourdain.Tables.curve({order}, 3, x, X, R)" for order in range(3)}
    values |= {f"s{kind}": f"Jourdain.Tables.surface({kind}, x, 0.4*x, U, U, Z)" for kind in range(2)}
    found = simulated(rumoca, arrays, values)
    x = found["x"]
    for name, (order, kind, n) in curves.items():
        at, inside = np.clip(x, X[0], X[n - 1]), (x >= X[0]) & (x <= X[n - 1])
        linear = np.interp(x, X[:n], Y[:n]) if order == 0 else np.zeros(len(x))
        if kind == 0 and order == 1:
            piece = np.clip(np.searchsorted(X[:n], at, side="right") - 1, 0, n - 2)
            linear = (np.diff(Y[:n]) / np.diff(X[:n]))[piece] * inside
        expected = PchipInterpolator(X[:n], Y[:n])(at, order) * (inside if order else 1) if kind else linear
        away = np.abs(x[:, None] - np.array(X)).min(axis=1) > 1e-9 if order else slice(None)  # nodes belong to either side
        np.testing.assert_allclose(found[name][away], expected[away], rtol=1e-12, atol=1e-12, err_msg=name)
    for order in range(3):
        around = np.concatenate([np.array(X) + 2.9 * each for each in range(-2, 3)])
        places = np.unique(around.round(12), return_index=True)[1]
        spline = PchipInterpolator(around[places], np.tile(RING, 5)[places])
        away = np.abs((x[:, None] - np.array(X) + 1e-9) % 2.9).min(axis=1) > 2e-9 if order else slice(None)
        np.testing.assert_allclose(found[f"p{order}"][away], spline(x, order)[away], rtol=1e-11, atol=1e-11, err_msg=f"p{order}")
    for order in range(3):
        np.testing.assert_allclose(found[f"q{order}"], fifth_degree(x, order), rtol=1e-11, atol=1e-11, err_msg=f"q{order}")
    rows = np.reshape(Z, (3, 3))
    for name, of in (
        ("s0", lambda a, b, at: np.interp(at, a, b)),
        ("s1", lambda a, b, at: PchipInterpolator(a, b)(np.clip(at, a[0], a[-1]))),
    ):
        expected = [of(U, [float(of(U, row, 0.4 * each)) for row in rows], each) for each in x]
        np.testing.assert_allclose(found[name], expected, rtol=1e-12, atol=1e-12)


def test_a_call_names_orders_and_kind():
    x, y, a, b, c = sympy.symbols("x y a b c", real=True)
    printer = ModelicaPrinter(lambda symbol: symbol.name, lambda part: "")
    assert printer.doprint(2 * Curve(1, 0, x + y, a, b)) == "2*Tables.curve(1, 0, x + y, a, b)"
    assert printer.doprint(Surface(0, 0, 1, x, y, a, b, c)) == "Tables.surface(1, x, y, a, b, c)"
    with pytest.raises(
        DeclarationError, match="the derivative of a surface has no Modelica text; use the surface itself alone, or a curve"
    ):
        printer.doprint(Surface(0, 1, 1, x, y, a, b, c))


def test_elements_that_are_given_take_their_places():
    variable = Variable("force.z", Role.PARAMETER, "N", "", tuple(map(float, range(6))), shape=(3, 2))
    assert modelica_start(variable, {"force.z[2,1]": 9.0, "mass": 1.0}) == "{{0.0, 1.0}, {9.0, 3.0}, {4.0, 5.0}}"
