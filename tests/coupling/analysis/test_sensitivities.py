"""Sensitivities of equilibria and eigenvalues against derivatives of closed forms, and of a potential in one angle."""

from __future__ import annotations

import cmath

import numpy as np
import pytest
from scipy.optimize import brentq

from coupling import System
from coupling.errors import AnalysisError, BuildError
from tests.coupling.analysis.test_linear import BODY, DAMPER, SPRING, TYRE, WHEEL, pendulum, quarter_car
from tests.support import foreign

G = 9.81


def slope(function, at: float, stride: float = 1e-3) -> complex:
    """Returns the derivative of a closed form by differences of the fourth order."""
    h = stride * abs(at)
    return (8 * (function(at + h) - function(at - h)) - function(at + 2 * h) + function(at - 2 * h)) / (12 * h)


K, B, MASS, ARM, INERTIA = 2.0, 0.1, 1.0, 0.5, 1 / 12


def tilt(k=K, m=MASS, arm=ARM) -> float:
    """Returns the angle at which a spring of the rest angle 0 balances a rod."""
    return brentq(lambda a: k * a + m * G * arm * np.cos(a), -1.57, 0.0, xtol=1e-15, rtol=1e-14)


def root(k=K, b=B, m=MASS, arm=ARM, i=INERTIA) -> complex:
    """The eigenvalue with the positive imaginary part there."""
    about, stiffness = i + m * arm**2, k - m * G * arm * np.sin(tilt(k, m, arm))
    return (-b + cmath.sqrt(b**2 - 4 * about * stiffness)) / (2 * about)


def test_a_rod_on_a_spring_follows_its_parameters():
    """Angle, place, reaction and eigenvalues by stiffness, damping, mass, inertia and place of the pin, which the constraint has in it."""
    system = pendulum(**{"rotation.k": K})
    names = {"k": "pin.rotation.k", "b": "pin.rotation.b", "m": "rod.m", "i": "rod.I", "arm": "rod.p1.rx"}
    found = system.sensitivities(list(names.values()), ["rod.y", "pin.multiplier[2]"])
    assert found.exact == tuple(names.values()) and found.pose["rod.theta"] == pytest.approx(tilt(), abs=1e-11)
    own = {"k": K, "b": B, "m": MASS, "i": INERTIA, "arm": ARM}
    (number,) = np.flatnonzero(found.eigenvalues.imag > 0)
    for short, name in names.items():
        sign = -1 if short == "arm" else 1  # p1.rx points from the mass centre to the pin
        angle = slope(lambda value, short=short: tilt(**{short: value}), own[short]) if short in ("k", "m", "arm") else 0.0
        place = slope(lambda value: value * np.sin(tilt(arm=value)), ARM) if short == "arm" else ARM * np.cos(tilt()) * angle
        eigen = slope(lambda value, short=short: root(**{short: value}), own[short])
        assert found["rod.theta", name] == pytest.approx(sign * angle, rel=1e-9, abs=1e-10)
        assert found["rod.y", name] == pytest.approx(sign * place, rel=1e-9, abs=1e-10)
        assert found["pin.multiplier[2]", name] == pytest.approx((G if short == "m" else 0.0) * sign_of(found), abs=1e-8)
        assert found.of_eigenvalue(number, name) == pytest.approx(sign * eigen, rel=1e-7, abs=1e-8)
    assert "by rod.p1.rx\n" in str(found) and "rod.theta" in str(found)


def sign_of(found) -> float:
    """Returns the sign of the multiplier that carries the weight: that of the force on N."""
    return float(np.sign(found["pin.multiplier[2]", "rod.m"]))


def test_a_four_bar_follows_the_length_of_its_ground():
    """The angle of least potential by the distance of the fixed pins, and a rocker's mass; loops and their constraints follow."""
    from tests.whole.test_singular_poses import closed, four_bar

    system = four_bar(0.5)
    found = system.sensitivities(["right.p1.rx", "rocker.m"], initial=closed(1.9))

    def least(ground: float, rocker: float) -> float:
        def moment(phi: float) -> float:
            def potential(phi: float) -> float:
                p = 0.4 * np.exp(1j * phi)
                reach = abs(ground - p)
                turn = np.angle(ground - p) + np.arccos((1.1**2 + reach**2 - 0.8**2) / (2.2 * reach))
                knee = p + 1.1 * np.exp(1j * turn)
                return G * (p.imag / 2 + 0.5 * (p.imag + knee.imag) / 2 + rocker * knee.imag / 2)

            h = 1e-3
            return (8 * (potential(phi + h) - potential(phi - h)) - potential(phi + 2 * h) + potential(phi - 2 * h)) / (12 * h)

        near = found.pose["crank.theta"]
        return brentq(moment, near - 0.05, near + 0.05, xtol=1e-14)

    assert found.exact == found.parameters
    assert found["crank.theta", "right.p1.rx"] == pytest.approx(slope(lambda x: least(x, 1.0), 1.0), rel=1e-6)
    assert found["crank.theta", "rocker.m"] == pytest.approx(slope(lambda x: least(1.0, x), 1.0), rel=1e-6)


def test_a_free_torque_follows_what_it_holds():
    level = {"rod.x": 0.5, "rod.y": 0.0, "rod.theta": 0.0}
    found = pendulum().sensitivities(["rod.m", "rod.p1.rx"], initial=level, hold=["rod.theta"], free=["pin.effort"])
    assert found["pin.effort", "rod.m"] == pytest.approx(G / 2, rel=1e-12) and found["rod.theta", "rod.m"] == pytest.approx(0, abs=1e-12)
    assert found["pin.effort", "rod.p1.rx"] == pytest.approx(-G, rel=1e-12)


def test_eigenvalues_of_a_quarter_car_follow_matrices_by_hand():
    """They agree to 1e-6, also at a bound of the parameter, where the step goes to one side."""
    system = quarter_car()
    found = system.sensitivities(["strut.k", "body.m", "tyre.b"], initial={"tyre.b": 0.0})

    def matrix(k: float, m: float, b: float) -> np.ndarray:
        return np.array(
            [
                [0, 1, 0, 0],
                np.array([-k - TYRE, -DAMPER - b, k, DAMPER]) / WHEEL,
                [0, 0, 0, 1],
                np.array([k, DAMPER, -k, -DAMPER]) / m,
            ]
        )

    at = [SPRING, BODY, 0.0]
    for place, (name, stride) in enumerate({"strut.k": 1.0, "body.m": 0.01, "tyre.b": 0.1}.items()):
        for number, value in enumerate(found.eigenvalues):
            beside = []
            for side in (1, -1):
                moved = [*at]
                moved[place] += side * stride
                near = np.linalg.eigvals(matrix(*moved))
                beside.append(near[np.abs(near - value).argmin()])
            assert found.of_eigenvalue(number, name) == pytest.approx((beside[0] - beside[1]) / (2 * stride), rel=1e-6)


@pytest.mark.parametrize("version", [2, 3])
def test_an_fmu_without_derivatives_is_solved_anew(version):
    """x = f/k, and the eigenvalues are the roots of -k/m."""
    system = System("foreign")
    system.add("spring", foreign.mass_spring(version))
    system.drive("spring.f", 5.0)
    found = system.sensitivities(["spring.k", "spring.m"])
    assert found.exact == () and "by spring.k (differences)" in str(found)
    assert found["spring.x", "spring.k"] == pytest.approx(-5 / 100**2, rel=1e-7)
    assert found["spring.x", "spring.m"] == pytest.approx(0, abs=1e-9)
    number = int(found.eigenvalues.imag.argmax())
    assert found.of_eigenvalue(number, "spring.k") == pytest.approx(0.5j / 10, rel=1e-6, abs=1e-7)


def two_rods() -> System:
    """The same pendulum twice."""
    system = pendulum()
    system.add("pin2", "planar.ActuatedRevolute", {"rotation.b": 0.1})
    system.add("rod2", "planar.Body1", {"I": 1 / 12, "p1.rx": -0.5, "y": -0.5, "theta": -np.pi / 2})
    system.connect("ground.p1", "pin2.M")
    system.connect("pin2.N", "rod2.p1")
    return system


def test_multiple_eigenvalues_have_no_derivative():
    found = two_rods().sensitivities(["rod.m"])
    with pytest.raises(AnalysisError, match=r"eigenvalue 0, .* 1/s, occurs 2 times, and has no derivative: along 'rod\.m' it may split"):
        found.of_eigenvalue(0, "rod.m")
    assert found["rod2.theta", "rod.m"] == pytest.approx(0, abs=1e-12)


def test_what_nothing_balances_is_refused():
    """A mass that is lifted by its weight, on a vertical rail."""
    system = System("lifted")
    system.add("ground", "planar.Fixed", {"p1.angle": np.pi / 2})
    system.add("rail", "planar.ActuatedTranslational")
    system.add("stone", "planar.Body1", {"theta": np.pi / 2})
    system.connect("ground.p1", "rail.M")
    system.connect("rail.N", "stone.p1")
    system.drive("rail.effort", G)
    with pytest.raises(AnalysisError, match=r"the equilibrium does not last where 'stone\.m' changes, because nothing balances the change"):
        system.sensitivities(["stone.m"])


@pytest.mark.parametrize(
    ("ask", "error", "sentence"),
    [
        (lambda s: s.sensitivities([]), BuildError, "sensitivities: no parameter is given; name one, such as 'spring.k'"),
        (lambda s: s.sensitivities(["rod.theta"]), BuildError, "'rod.theta' is no real parameter; name one, such as a mass"),
        (lambda s: s.sensitivities(["rod.mass"]), BuildError, "'rod' (planar.Body1) has no port or variable 'mass'"),
        (lambda s: s.sensitivities(["rod.m"], ["rod.I"]), BuildError, "sensitivities: outputs: 'rod.I' does not vary continuously"),
        (lambda s: s.sensitivities(["rod.m"])["rod.thet", "rod.m"], AnalysisError, "did you mean 'rod.theta'?"),
        (
            lambda s: s.sensitivities(["rod.m"]).of_eigenvalue(7, "rod.m"),
            AnalysisError,
            "there are 2 eigenvalues, and the parameters are rod.m",
        ),
    ],
)
def test_sentences(ask, error, sentence):
    with pytest.raises(error) as told:
        ask(pendulum())
    assert sentence in str(told.value)
