"""The translational joint against equations 21, 22 and 28 to 30 of Part I and 9, 10 of Part II, and on a slope."""

from math import cos as cosine
from math import sin as sine

import pytest
import sympy
from sympy import cos, sin

from fmu_components.catalogue import find
from fmu_components.declare.component import declaration
from fmu_components.declare.differentiate import ConstraintLevels, TimeDerivative, efforts_of
from tests.support.declare.symbols import M, N, dax, day, derived, dvx, dvy, dx, dy, lambda1, lambda2, on_axis_of, q, same, same_where
from tests.support.systems.mechanism import Mechanism

Translational = find("planar.Translational")
D = TimeDerivative(M.rates | N.rates)
# The symmetric form of the paper: MN.y_il = 0 and MN.y_jl = 0.
SYMMETRIC = [ConstraintLevels.of_position(f, D) for f in ((N.point - M.point).dot(M.y_axis), (N.point - M.point).dot(N.y_axis))]


def printed_levels(frame):
    """Equations 28, 29 and 30 for the axis of one frame; the squared angular velocity is left out, since f = 0."""
    c, s = cos(frame.theta), sin(frame.theta)
    along = dx * c + dy * s
    return (
        -dx * s + dy * c,
        -dvx * s + dvy * c - frame.omega * along,
        -dax * s + day * c - frame.alpha * along + 2 * frame.omega * (-dvx * c - dvy * s),
    )


@pytest.mark.parametrize(("level", "frame"), [(SYMMETRIC[0], M), (SYMMETRIC[1], N)], ids=["first", "second"])
def test_equations_28_to_30_of_part_1(level, frame):
    """The symmetric form at its three levels; the acceleration where f = 0.

    Misprint: the first line of equation 30 has theta_N in its last bracket where it must be theta_M.
    """
    position, velocity, acceleration = printed_levels(frame)
    assert same(level.position, position)
    assert same(level.velocity, velocity)
    assert same_where(on_axis_of(frame), level.acceleration, acceleration)


def test_the_misprint_of_equation_30_is_one():
    """The printed equation, with theta_N in the first line, contradicts the derivative of equation 29."""
    c, s = cos(M.theta), sin(M.theta)
    printed = -dax * s + day * c - M.alpha * (dx * c + dy * s) + 2 * M.omega * (-dvx * cos(N.theta) - dvy * sin(N.theta))
    assert not same_where(on_axis_of(M), SYMMETRIC[0].acceleration, printed)


def test_the_misprint_of_equation_21_is_one():
    """The second line as printed, with OM.y_il for OM.y_jl, depends on the place of the origin, and contradicts equation 28."""
    origin = sympy.Matrix([0, 0])
    printed = (N.point - origin).dot(N.y_axis) - (M.point - origin).dot(M.y_axis)
    assert not same(printed, printed_levels(N)[0])
    shift = sympy.Symbol("shift", real=True)
    moved = {M.x: M.x + shift, N.x: N.x + shift}
    assert not same(printed.subs(moved, simultaneous=True), printed)
    assert same(SYMMETRIC[1].position.subs(moved, simultaneous=True), SYMMETRIC[1].position)


def test_equation_22_of_part_1():
    """The wrenches of the symmetric form."""
    forms = [level.velocity for level in SYMMETRIC]
    sM, cM, sN, cN = sin(M.theta), cos(M.theta), sin(N.theta), cos(N.theta)
    expected = {
        M: (lambda1 * sM + lambda2 * sN, -lambda1 * cM - lambda2 * cN, -lambda1 * (dx * cM + dy * sM)),
        N: (-lambda1 * sM - lambda2 * sN, lambda1 * cM + lambda2 * cN, -lambda2 * (dx * cN + dy * sN)),
    }
    for port, wrench in expected.items():
        for found, value in zip(efforts_of(forms, [lambda1, lambda2], port), wrench, strict=True):
            assert same(found, value)


def test_the_declared_form_is_the_alternative_of_part_1():
    """MN.y_il = 0 and x_jl.y_il = 0: its first equation is that of the symmetric form, its second the sine of the angle."""
    for k, expected in enumerate(printed_levels(M)[:2]):
        assert same(derived(Translational, ("position[1]", "velocity[1]")[k]), expected)
    assert same(derived(Translational, "position[2]"), sin(N.theta - M.theta))


def test_the_symmetric_form_loses_a_rank_where_the_points_coincide():
    """At MN = 0 both rows of its Jacobian are parallel in a parallel pose, and those of the declared form are not."""
    pose = {N.x: M.x, N.y: M.y, N.theta: M.theta}
    velocities = [*M.velocities, *N.velocities]
    symmetric = sympy.Matrix([[sympy.diff(level.velocity, v) for v in velocities] for level in SYMMETRIC]).subs(pose)
    declared = sympy.Matrix([[sympy.diff(derived(Translational, f"velocity[{k}]"), v) for v in velocities] for k in (1, 2)]).subs(pose)
    assert sympy.simplify(symmetric).rank() == 1
    assert sympy.simplify(declared).rank() == 2


def test_both_forms_allow_the_same_motions():
    """A velocity of parallel bodies that are apart satisfies one form exactly if it satisfies the other."""
    pose = on_axis_of(M) | {N.theta: M.theta}
    velocities = [*M.velocities, *N.velocities]
    rows = [
        [sympy.diff(form, v).subs(pose) for v in velocities]
        for form in (*(level.velocity for level in SYMMETRIC), *(derived(Translational, f"velocity[{k}]") for k in (1, 2)))
    ]
    values = sympy.Matrix(rows).subs({M.theta: sympy.Rational(3, 10), q: sympy.Rational(7, 5)})
    assert values[:2, :].rank() == values[2:, :].rank() == sympy.Matrix(values.evalf(30)).rank(iszerofunc=lambda v: abs(v) < 1e-20) == 2


def test_equations_9_and_10_of_part_2_with_a_sign():
    """Spring and damper act along MN on the signed coordinate; for q > 0 this is the printed form, -k (q - rest) - b dq/dt."""
    declared = declaration(Translational)
    k, b, rest = sympy.symbols("translation.k translation.b translation.rest", real=True)
    force = -k * (q - rest) - b * (dvx * cos(M.theta) + dvy * sin(M.theta))
    ideal = {sympy.Symbol("ideal"): sympy.true, lambda1: 0, lambda2: 0}
    pose = on_axis_of(M) | {N.theta: M.theta}
    for name, expected in (
        ("N.Fx", force * cos(M.theta)),
        ("N.Fy", force * sin(M.theta)),
        ("M.Fx", -force * cos(M.theta)),
        ("N.Cz", 0),
        ("M.Cz", 0),
    ):
        assert same_where(pose, declared.expand(declared[name].symbol).xreplace(ideal), sympy.sympify(expected)), name


@pytest.mark.parametrize("tilt", [0.5, -2.0])
def test_free_fall_along_a_tilted_axis(tilt):
    """A body slides down with a = g sin(tilt); the guide bears m g cos(tilt) and, where its point is eccentric, a torque."""
    m, g, arm, t = 2.0, 9.81, 0.3, 0.8
    place = {"x": -arm * cosine(tilt), "y": -arm * sine(tilt), "theta": tilt, "p1.rx": arm, "m": m}
    with Mechanism(
        {"ground": ("planar.Fixed", {"p1.angle": tilt}), "joint": ("planar.Translational", {}), "body": ("planar.Body1", place)},
        [("ground.p1", "joint.M"), ("body.p1", "joint.N")],
    ) as mechanism:
        mechanism.simulate(t)
        fall = -g * sine(tilt)
        assert mechanism["joint.translation.q"] == pytest.approx(fall * t**2 / 2, rel=1e-9)
        assert mechanism["body.der(vx)"] == pytest.approx(fall * cosine(tilt), rel=1e-9)
        assert mechanism["body.der(vy)"] == pytest.approx(fall * sine(tilt), rel=1e-9)
        assert mechanism["joint.multiplier[1]"] == pytest.approx(m * g * cosine(tilt), rel=1e-9)
        assert mechanism["joint.multiplier[2]"] == pytest.approx(-arm * m * g * cosine(tilt), rel=1e-9)
