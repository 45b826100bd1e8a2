"""The translational-revolute joint against equations 23 to 27 of Part II, and in the elliptic trammel."""

from math import cos, pi, sin

import numpy as np
import pytest
import sympy

from fmu_components.catalogue import find
from fmu_components.declare.differentiate import ConstraintLevels, TimeDerivative, efforts_of
from tests.support.declare.symbols import M, N, dax, day, derived, dvx, dvy, dx, dy, lambda1, on_axis_of, same, same_where
from tests.support.systems.mechanism import Mechanism

TranslationalRevolute = find("planar.TranslationalRevolute")
D = TimeDerivative(M.rates | N.rates)
s, c = sympy.sin(N.theta), sympy.cos(N.theta)


def test_equations_23_and_25_geometry():
    """The constraint is MN.y_jl = 0.

    Misprint: equation 23 and the sentence before it print y_il and x_il; all that follows, from equation 24 on, has y_jl.
    """
    assert same(derived(TranslationalRevolute, "position[1]"), sympy.Matrix([dx, dy]).dot(N.y_axis))
    assert same(derived(TranslationalRevolute, "position[1]"), -dx * s + dy * c)


def test_equation_24_wrenches():
    """The force is at right angles to the axis of N; its torque acts on body j only."""
    expected = {
        "M.Fx": lambda1 * s,
        "M.Fy": -lambda1 * c,
        "M.Cz": 0,
        "N.Fx": -lambda1 * s,
        "N.Fy": lambda1 * c,
        "N.Cz": -lambda1 * (dx * c + dy * s),
    }
    for name, value in expected.items():
        assert same(derived(TranslationalRevolute, name), sympy.sympify(value)), name


def test_the_misprint_of_equation_23_is_one():
    """The printed MN.y_il = 0 would put a torque on body i and none on body j, contrary to equation 24."""
    printed = ConstraintLevels.of_position((N.point - M.point).dot(M.y_axis), D)
    assert not same(printed.position, derived(TranslationalRevolute, "position[1]"))
    assert not same(efforts_of([printed.velocity], [lambda1], M)[2], sympy.Integer(0))
    assert same(efforts_of([printed.velocity], [lambda1], N)[2], sympy.Integer(0))


def test_equation_26_kinematics():
    """The velocity of M relative to the axis of N."""
    assert same(derived(TranslationalRevolute, "velocity[1]"), -dvx * s + dvy * c - N.omega * (dx * c + dy * s))


def test_equation_27_accelerations():
    """The printed form leaves out the squared angular velocity, which vanishes where f = 0."""
    printed = -dax * s + day * c - N.alpha * (dx * c + dy * s) - 2 * N.omega * (dvx * c + dvy * s)
    assert same_where(on_axis_of(N), derived(TranslationalRevolute, "acceleration[1]"), printed)


def test_springs_act_on_the_place_along_the_axis_and_on_the_angle():
    """M lies at ``translation`` on the axis x of N, which ``rotation`` turns against M; both rates are their derivatives."""
    along = -(dx * c + dy * s)
    for name, value in (("translation", along), ("rotation", N.theta - M.theta)):
        assert same(derived(TranslationalRevolute, f"{name}.q"), value), name
        assert same(derived(TranslationalRevolute, f"{name}.qd"), D(value)), name


def trammel(a, b, m, I, phi, rate):  # noqa: E741
    """A rod whose end A runs on the axis x, and B on the axis y; its mass centre is at the distance a from A and b from B.

    With A = ((a + b) cos phi, 0) and B = (0, (a + b) sin phi) the mass centre is (b cos phi, a sin phi).
    """
    rod = {
        "m": m,
        "I": I,
        "p1.rx": -a,
        "p2.rx": b,
        "x": b * cos(phi),
        "y": a * sin(phi),
        "theta": pi - phi,
        "vx": -b * sin(phi) * rate,
        "vy": a * cos(phi) * rate,
        "omega": -rate,
    }
    return Mechanism(
        {
            "level": ("planar.Fixed", {}),
            "upright": ("planar.Fixed", {"p1.angle": pi / 2}),
            "rod": ("planar.Body2", rod),
            "A": ("planar.TranslationalRevolute", {}),
            "B": ("planar.TranslationalRevolute", {}),
        },
        [("rod.p1", "A.M"), ("level.p1", "A.N"), ("rod.p2", "B.M"), ("upright.p1", "B.N")],
    )


@pytest.mark.parametrize(("phi", "rate"), [(0.3, 0.0), (1.1, 2.0), (-0.7, -3.0)])
def test_the_angular_acceleration_of_the_elliptic_trammel(phi, rate):
    """Lagrange's equation in phi is (m (b^2 sin^2 + a^2 cos^2) + I) phi'' = -m (b^2 - a^2) sin cos phi'^2 - m g a cos."""
    a, b, m, I, g = 0.4, 0.9, 1.7, 0.25, 9.81  # noqa: E741
    inertia = m * (b**2 * sin(phi) ** 2 + a**2 * cos(phi) ** 2) + I
    expected = -(m * (b**2 - a**2) * sin(phi) * cos(phi) * rate**2 + m * g * a * cos(phi)) / inertia
    with trammel(a, b, m, I, phi, rate) as mechanism:
        mechanism.evaluate()
        assert -mechanism["rod.der(omega)"] == pytest.approx(expected, rel=1e-10)


@pytest.mark.slow
def test_the_mass_centre_of_the_trammel_traces_an_ellipse():
    """Over a whole turn and more (x/b)^2 + (y/a)^2 = 1, with a constant energy."""
    a, b = 0.4, 0.9
    with trammel(a, b, 1.7, 0.25, 0.3, 9.0) as mechanism:
        times = np.linspace(0, 1, 21)
        states = mechanism.simulate(1.0, times)
        x, y = mechanism.trajectory(states, "rod.x"), mechanism.trajectory(states, "rod.y")
        assert np.ptp(mechanism.trajectory(states, "rod.theta")) > 2 * pi
        assert (x / b) ** 2 + (y / a) ** 2 == pytest.approx(np.ones(21), abs=1e-9)
        energy = mechanism.trajectory(states, "rod.energy.kinetic") + mechanism.trajectory(states, "rod.energy.potential")
        assert energy == pytest.approx(np.full(21, energy[0]), rel=1e-9)
