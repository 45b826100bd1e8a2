"""The double translational joint against equations 18 to 22 of Part II, and under an eccentric force."""

import pytest
import sympy

from fmu_components.catalogue import find
from tests.support.declare.symbols import M, N, derived, lambda1, same, same_where
from tests.support.systems.mechanism import Mechanism

DoubleTranslational = find("planar.DoubleTranslational")
relative = N.theta - M.theta
# All solutions of sin(theta_N - theta_M) = 0, both branches included.
PARALLEL = {N.theta: M.theta + sympy.pi * sympy.Symbol("n", integer=True)}


def test_equations_18_and_20_geometry():
    """The constraint is x_jl.y_il = 0, the sine of the relative angle.

    Misprint: equation 18 prints x_il.y_il for x_jl.y_il.
    """
    assert same(derived(DoubleTranslational, "position[1]"), N.x_axis.dot(M.y_axis))
    assert same(derived(DoubleTranslational, "position[1]"), sympy.sin(relative))


def test_the_misprint_of_equation_18_is_one():
    """The printed constraint is between two axes of one frame: it vanishes identically, and cannot be equation 20."""
    printed = M.x_axis.dot(M.y_axis)
    assert same(printed, sympy.Integer(0))
    assert not same(printed, sympy.sin(relative))


def test_equation_19_wrenches():
    """The force is 0; the torques are opposite."""
    torque = lambda1 * sympy.cos(relative)
    expected = {"M.Fx": 0, "M.Fy": 0, "M.Cz": -torque, "N.Fx": 0, "N.Fy": 0, "N.Cz": torque}
    for name, value in expected.items():
        assert same(derived(DoubleTranslational, name), sympy.sympify(value)), name


def test_equation_21_kinematics():
    """The relative angular velocity, with the cosine that keeps the sign."""
    assert same(derived(DoubleTranslational, "velocity[1]"), sympy.cos(relative) * (N.omega - M.omega))


def test_equation_22_accelerations():
    """The relative angular acceleration, where equation 20 holds; elsewhere a term with the sine stays."""
    printed = sympy.cos(relative) * (N.alpha - M.alpha)
    assert same_where(PARALLEL, derived(DoubleTranslational, "acceleration[1]"), printed)
    assert same(derived(DoubleTranslational, "acceleration[1]"), printed - sympy.sin(relative) * (N.omega - M.omega) ** 2)


def test_an_eccentric_force_does_not_turn_the_body():
    """The mass centre moves with F t^2/(2 m), the angle stays, and the joint bears the torque of the force."""
    Fx, Fy, rx, ry, m = 3.0, -2.0, 0.4, 0.7, 2.5
    with Mechanism(
        {
            "ground": ("planar.Fixed", {}),
            "joint": ("planar.DoubleTranslational", {}),
            "push": ("planar.Wrench", {"Fx": Fx, "Fy": Fy}),
            "body": ("planar.Body2", {"m": m, "I": 0.3, "gy": 0.0, "p2.rx": rx, "p2.ry": ry}),
        },
        [("ground.p1", "joint.M"), ("body.p1", "joint.N"), ("body.p2", "push.M")],
    ) as mechanism:
        mechanism.simulate(1.5)
        assert mechanism["body.theta"] == pytest.approx(0, abs=1e-12)
        assert [mechanism["body.x"], mechanism["body.y"]] == pytest.approx([Fx / m * 1.5**2 / 2, Fy / m * 1.5**2 / 2], rel=1e-9)
        assert mechanism["joint.M.Cz"] == pytest.approx(rx * Fy - ry * Fx, rel=1e-9)
