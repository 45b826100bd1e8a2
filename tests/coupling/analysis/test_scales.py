"""Analyses of machines of any size: lengths, forces and gravity times s, inertias and torques times s^2. They give the digits of that of 1 m."""

from __future__ import annotations

import re
from collections.abc import Mapping

import numpy as np
import pytest

from coupling import System
from coupling.errors import AnalysisError, InitialStateError
from tests.coupling.live.test_scales import four_bar, start
from tests.whole.test_singular_poses import joint

SLOW = pytest.mark.slow
SIZES = [pytest.param(1e-3, marks=SLOW), 1e-6, 1e6]
FEWER = [1e-6, pytest.param(1e6, marks=SLOW)]
POWERS = {"m": 1, "m/s": 1, "m/s2": 1, "N": 1, "N.m": 2}


def in_sizes(values: Mapping[str, float], units: Mapping[str, str], size: float) -> np.ndarray:
    return np.array([value / size ** POWERS.get(units[name], 0) for name, value in values.items()])


def cart(size: float, ahead: float = 0.0) -> System:
    """A cart on a rail with a spring, from which a rod hangs, seen from where the spring is relaxed."""
    system = System("cart")
    system.add("ground", "planar.Fixed", {"p1.rx": size})
    system.add("cart", "planar.Body2", {"I": size**2, "p2.rx": 0.1 * size, "gy": -9.81 * size, "x": (1.3 + ahead) * size})
    rod = {"x": (1.4 + ahead) * size, "y": -0.5 * size, "p1.ry": 0.5 * size}
    system.add("rod", "planar.Body1", {"I": size**2 / 12, **rod, "gx": 2.0 * size, "gy": -9.81 * size})
    system.add("rail", "planar.Translational", {"translation.k": 40.0, "translation.b": 3.0, "translation.rest": 0.3 * size})
    system.add("pin", "planar.Revolute", {"rotation.b": 0.1 * size**2})
    for a, b in (("ground.p1", "rail.M"), ("rail.N", "cart.p1"), ("cart.p2", "pin.M"), ("pin.N", "rod.p1")):
        system.connect(a, b)
    for name, port in (("push", "cart.p1"), ("twist", "rod.p1")):
        system.add(name, "planar.Wrench")
        system.connect(f"{name}.M", port)
    return system


@pytest.mark.parametrize("size", SIZES)
def test_equilibria_have_the_same_digits(size):
    found, reference = (four_bar(s).equilibrium(start(s)) for s in (size, 1.0))
    assert in_sizes(found.states, found.units, size) == pytest.approx(in_sizes(reference.states, reference.units, 1.0), rel=0, abs=1e-12)
    assert found.stable is reference.stable is True
    assert found.eigenvalues == pytest.approx(reference.eigenvalues, rel=0, abs=1e-8)


@pytest.mark.parametrize("size", FEWER)
def test_equilibria_of_what_slides_and_turns(size):
    """Closed form: the spring carries both loads, and the rod hangs along the gravity that it feels."""
    found, reference = (cart(s).equilibrium() for s in (size, 1.0))
    assert found["cart.x"] / size == pytest.approx(1.3 + 2.0 / 40, rel=0, abs=1e-13)
    assert found["rod.theta"] == pytest.approx(np.arctan2(2.0, 9.81), rel=0, abs=1e-13)
    assert in_sizes(found.states, found.units, size) == pytest.approx(in_sizes(reference.states, reference.units, 1.0), rel=0, abs=1e-13)


@pytest.mark.parametrize("size", FEWER)
def test_efforts_that_are_free_have_the_same_digits(size):
    found = cart(size).equilibrium({"rod.theta": 0.5}, hold=["pin.rotation.q"], free=["twist.Cz"])
    torque = 0.5 * (9.81 * np.sin(0.5) - 2.0 * np.cos(0.5))
    assert found.inputs["twist.Cz"] / size**2 == pytest.approx(torque, rel=1e-12)
    found = cart(size).equilibrium({"cart.x": 1.4 * size}, hold=["rail.translation.q"], free=["push.Fx"])
    assert found.inputs["push.Fx"] / size == pytest.approx(40.0 * 0.1 - 2.0, rel=1e-12)
    found = cart(size).equilibrium({"cart.x": 1.4 * size}, hold=["rail.translation.q"], free=["rail.translation.k"])
    assert found.inputs["rail.translation.k"] == pytest.approx(20.0, rel=1e-9)


@pytest.mark.parametrize("size", FEWER)
def test_an_unstable_pose_is_left_by_the_size(size):
    theta = np.pi + np.arctan2(2.0, 9.81)
    rod = {"rod.theta": theta, "rod.x": (1.45 + 0.5 * np.sin(theta)) * size, "rod.y": -0.5 * np.cos(theta) * size}
    upright = cart(size).equilibrium({"cart.x": 1.35 * size, **rod})
    assert not upright.stable and len(upright.alternatives) == 2
    for each in upright.alternatives:
        assert each["cart.x"] / size == pytest.approx(1.35, rel=0, abs=1e-11)
        assert np.cos(each["rod.theta"] - np.arctan2(2.0, 9.81)) == pytest.approx(1.0, abs=1e-11)


@pytest.mark.parametrize("size", FEWER)
def test_linear_models_have_the_same_digits(size):
    def model(size: float) -> list[np.ndarray]:
        system = cart(size)
        found = system.linearise(["twist.Cz", "push.Fx"], ["rod.x", "rail.multiplier[1]", "pin.rotation.q"], system.equilibrium())
        x, u, y = (
            np.array([size ** POWERS.get(found.units[name], 0) for name in names]) for names in (found.states, found.inputs, found.outputs)
        )
        assert found.states == ("rail.translation.q", "rail.translation.qd", "pin.rotation.q", "pin.rotation.qd")
        return [found.A * x / x[:, None], found.B * u / x[:, None], found.C * x / y[:, None], found.D * u / y[:, None]]

    for found, expected in zip(model(size), model(1.0), strict=True):
        assert found == pytest.approx(expected, rel=0, abs=1e-11)


@pytest.mark.parametrize("size", FEWER)
def test_points_that_move_have_no_linear_model_by_the_size(size):
    """The cart of 1 m may accelerate by 1e-6 m/s^2; 1e-4 is too much."""
    off = {"cart.x": 1e-8, "rod.x": 1e-8}
    still = cart(size).equilibrium()
    for times, moves in ((1.0, False), (1e5, True)):
        there = still.states | {name: still[name] + times * by * size for name, by in off.items()}
        if not moves:
            assert cart(size).linearise(initial=there).stable
            continue
        with pytest.raises(AnalysisError, match=r"nor move steadily: 'pin\.rotation\.qd' changes by 0\.0459 rad/s2"):
            cart(size).linearise(initial=there)


@SLOW
@pytest.mark.parametrize("size", FEWER)
def test_sensitivities_have_the_same_digits(size):
    found = cart(size).sensitivities(["rail.translation.k", "rail.translation.rest", "rod.gx"])
    assert found["cart.x", "rail.translation.k"] / size == pytest.approx(-2.0 / 40**2, rel=1e-10)
    assert found["cart.x", "rail.translation.rest"] == pytest.approx(1.0, rel=1e-10)
    assert found["rod.theta", "rod.gx"] * size == pytest.approx(9.81 / (9.81**2 + 4), rel=1e-10)


@pytest.mark.parametrize("size", [1e-8, pytest.param(1e6, marks=SLOW)])
def test_gaps_that_cannot_be_closed_are_told_of_by_the_size(size):
    """A rod of 1 m cannot reach two pins 3 m apart: all numbers are those of 1 m, multiplied by the size."""

    def sentence(size: float) -> str:
        system = System("open")
        system.add("ground", "planar.Fixed")
        system.add("wall", "planar.Fixed", {"p1.rx": 3.0 * size})
        system.add("rod", "planar.Body2", {"p1.rx": -0.5 * size, "p2.rx": 0.5 * size, "I": size**2 / 12})
        for pin, a, b in (("a", "ground.p1", "rod.p1"), ("b", "rod.p2", "wall.p1")):
            joint(system, pin, a, b)
        with pytest.raises(InitialStateError) as error:
            system.assemble(guess={"rod.theta": 0.1})
        return str(error.value)

    numbers = r"(?<![\w\[])-?\d[\d.e+-]*(?= m)"
    found, expected = ([float(each) / s for each in re.findall(numbers, sentence(s))] for s in (size, 1.0))
    assert expected and found == pytest.approx(expected, rel=1e-3)
