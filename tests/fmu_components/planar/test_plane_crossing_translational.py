"""The crossing of two motion planes with a translation against equations 33 to 37 of Part II, and its accelerations in a pose."""

from math import cos, sin

import pytest
import sympy

from fmu_components.catalogue import find
from tests.support.declare.symbols import M, N, dax, derived, dvx, dx, lambda1, lambda2, q, same, same_where
from tests.support.systems.mechanism import Mechanism

PlaneCrossingTranslational = find("planar.PlaneCrossingTranslational")
s, c = sympy.sin(M.theta), sympy.cos(M.theta)
# MN along the axis of M, with N on the line.
ON_THE_AXIS = {N.x: M.x + q * c, M.y: -q * s, N.y: sympy.Integer(0)}


def test_equations_33_and_35_geometry():
    """MN.y_il = 0, where N on the line has no y in the plane of M; and N stays on the line in its own plane."""
    assert same(derived(PlaneCrossingTranslational, "position[1]"), -dx * s + (-M.y) * c)
    assert same(derived(PlaneCrossingTranslational, "position[2]"), N.y)


def test_free_directions():
    """The way of N along the axis of M, and along the line in its own plane."""
    assert same_where(ON_THE_AXIS, derived(PlaneCrossingTranslational, "translation1.q"), q)
    assert same(derived(PlaneCrossingTranslational, "translation2.q"), N.x)


def test_equation_34_wrenches():
    """The force at right angles to the axis of M reaches body j by its part along the line only."""
    expected = {
        "M.Fx": lambda1 * s,
        "M.Fy": -lambda1 * c,
        "M.Cz": -lambda1 * (dx * c + (-M.y) * s),
        "N.Fx": -lambda1 * s,
        "N.Fy": lambda2,
        "N.Cz": 0,
    }
    for name, value in expected.items():
        assert same(derived(PlaneCrossingTranslational, name), sympy.sympify(value)), name


def test_equation_36_kinematics():
    """The velocity of N relative to the axis of M, and that of N across the line."""
    assert same(derived(PlaneCrossingTranslational, "velocity[1]"), -dvx * s + (-M.vy) * c - M.omega * (dx * c + (-M.y) * s))
    assert same(derived(PlaneCrossingTranslational, "velocity[2]"), N.vy)


def printed_37():
    """The one equation that is printed."""
    return -dax * s + (-M.ay) * c - M.alpha * (dx * c + (-M.y) * s) - 2 * M.omega * (dvx * c + (-M.vy) * s)


def test_equation_37_accelerations():
    """The printed equation leaves out the squared angular velocity, which vanishes where f = 0.

    Misprint: the second equation, a'_yN = 0, which belongs to v'_yN = 0 of equation 36, is missing.
    """
    assert same_where(ON_THE_AXIS, derived(PlaneCrossingTranslational, "acceleration[1]"), printed_37())
    assert same(derived(PlaneCrossingTranslational, "acceleration[2]"), N.ay)


def test_the_misprint_of_equation_37_is_one():
    """The printed equation lets N leave the line with any acceleration; the second multiplier would have no equation."""
    assert N.ay not in printed_37().free_symbols
    assert derived(PlaneCrossingTranslational, "acceleration[2]").free_symbols == {N.ay}


def test_accelerations_in_a_pose_at_rest():
    """A force along the line on body j, with the axis of body i at an angle d and its mass centre at the distance L from N.

    With one multiplier l: a_N = (F - l sin d)/m2, a_M = l (sin d, -cos d)/m1, alpha_M = -l L/I1 and, from the constraint,
    l = sin d F/m2 / (sin^2 d/m2 + 1/m1 + L^2/I1).
    """
    m1, I1, m2, F, d, L, g = 1.4, 0.3, 2.2, 5.0, 0.6, 0.8, 4.0
    with Mechanism(
        {
            "first": ("planar.Body1", {"m": m1, "I": I1, "gy": 0.0, "x": -L * cos(d), "y": -L * sin(d), "theta": d}),
            "second": ("planar.Body2", {"m": m2, "gy": -g}),
            "joint": ("planar.PlaneCrossingTranslational", {}),
            "push": ("planar.Wrench", {"Fx": F}),
        },
        [("first.p1", "joint.M"), ("second.p1", "joint.N"), ("second.p2", "push.M")],
    ) as mechanism:
        mechanism.evaluate()
        first = [mechanism[f"first.der({name})"] for name in ("vx", "vy", "omega")]
        second = [mechanism[f"second.der({name})"] for name in ("vx", "vy", "omega")]
        borne = mechanism["joint.multiplier[2]"]
    force = sin(d) * F / m2 / (sin(d) ** 2 / m2 + 1 / m1 + L**2 / I1)
    assert first == pytest.approx([force * sin(d) / m1, -force * cos(d) / m1, -force * L / I1], rel=1e-10)
    assert second == pytest.approx([(F - force * sin(d)) / m2, 0, 0], rel=1e-10, abs=1e-12)
    assert borne == pytest.approx(m2 * g, rel=1e-10)
