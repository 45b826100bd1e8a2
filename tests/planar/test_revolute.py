"""The revolute joint against equations 11 to 17 of Part II."""

import sympy
from symbols import M, N, dax, day, derived, dvx, dvy, dx, dy, lambda1, lambda2, same

from fmu_components.catalogue import find
from fmu_components.component import declaration

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
