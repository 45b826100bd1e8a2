"""The revolute joint against equations 11 to 17 of Part II, and as the pin of a pendulum."""

import numpy as np
import pytest
import sympy
from scipy.special import ellipk

from fmu_components.catalogue import find
from fmu_components.declare.component import declaration
from tests.support.declare.symbols import M, N, dax, day, derived, dvx, dvy, dx, dy, lambda1, lambda2, same
from tests.support.systems.mechanism import Mechanism

Revolute = find("planar.Revolute")


def test_equations_13_and_15_geometry():
    """MN = 0 along both absolute axes."""
    assert same(derived(Revolute, "position[1]"), dx)
    assert same(derived(Revolute, "position[2]"), dy)


def test_equation_14_wrenches():
    """The multipliers are the force on body j, and its opposite on body i; there is no torque."""
    expected = {"M.Fx": -lambda1, "M.Fy": -lambda2, "M.Cz": 0, "N.Fx": lambda1, "N.Fy": lambda2, "N.Cz": 0}
    for name, value in expected.items():
        assert same(derived(Revolute, name), sympy.sympify(value)), name


def test_equations_16_and_17_kinematics_and_accelerations():
    """Velocities and accelerations of M and N agree."""
    for k, (velocity, acceleration) in enumerate(((dvx, dax), (dvy, day)), start=1):
        assert same(derived(Revolute, f"velocity[{k}]"), velocity)
        assert same(derived(Revolute, f"acceleration[{k}]"), acceleration)


def test_equation_6_residual():
    """The Baumgarte residual is DDf + 2 alpha Df + beta^2 f."""
    alpha, beta = sympy.symbols("baumgarte.alpha baumgarte.beta", real=True)
    assert same(derived(Revolute, "residual[2]"), day + 2 * alpha * dvy + beta**2 * dy)


def test_equations_11_and_12_spring_and_damper():
    """A spring with a rest angle and a damper act as torques between the bodies."""
    declared = declaration(Revolute)
    k, b, rest = sympy.symbols("rotation.k rotation.b rotation.rest", real=True)
    torque = -k * (N.theta - M.theta - rest) - b * (N.omega - M.omega)
    assert same(declared.expand(declared["N.Cz"].symbol), torque)
    assert same(declared.expand(declared["M.Cz"].symbol), -torque)


def test_compliant_mode_is_a_spring_and_a_damper_across_the_constraint():
    """Without an outer solver the multipliers are -(k f + c Df)."""
    k, c = sympy.symbols("compliant.k compliant.c", real=True)
    assert same(derived(Revolute, "N.Fx", ideal=False), -k * dx - c * dvx)


def test_the_period_of_a_pendulum_is_a_complete_elliptic_integral():
    """A physical pendulum starts at rest at the amplitude A. It hangs down after T/4 = sqrt((I + m c^2)/(m g c)) K(sin^2(A/2))."""
    m, I, c, amplitude = 1.3, 0.2, 0.6, 2.0  # noqa: E741
    quarter = np.sqrt((I + m * c**2) / (m * 9.81 * c)) * ellipk(np.sin(amplitude / 2) ** 2)
    rod = {"m": m, "I": I, "p1.ry": c, "x": c * np.sin(amplitude), "y": -c * np.cos(amplitude), "theta": amplitude}
    with Mechanism(
        {"ground": ("planar.Fixed", {}), "pin": ("planar.Revolute", {}), "rod": ("planar.Body1", rod)},
        [("ground.p1", "pin.M"), ("rod.p1", "pin.N")],
    ) as mechanism:
        hanging, _ = mechanism.simulate(2 * quarter, [quarter, 2 * quarter])
        assert mechanism["rod.theta"] == pytest.approx(-amplitude, abs=1e-8)
        assert mechanism["rod.omega"] == pytest.approx(0, abs=1e-8)
        assert mechanism.trajectory([hanging], "rod.theta")[0] == pytest.approx(0, abs=1e-8)
