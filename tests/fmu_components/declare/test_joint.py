"""Properties of the declarations of all joints in the catalogue: power and time derivatives."""

from __future__ import annotations

from itertools import combinations, pairwise

import mpmath
import numpy as np
import pytest
import sympy
from scipy.linalg import null_space

from fmu_components.catalogue import all_components
from fmu_components.declare.component import declaration
from fmu_components.declare.declaration import DeclarationError, Role
from fmu_components.declare.joint import Joint
from fmu_components.declare.ports import SPATIAL, Side
from tests.support.declare.arrays import FUNCTIONS
from tests.support.declare.reference import DIGITS, reference
from tests.support.properties import check_all

JOINTS = {name: component for name, component in all_components().items() if issubclass(component, Joint) and component.constrains()}


@pytest.fixture(params=list(JOINTS.values()), ids=list(JOINTS))
def joint(request):
    return request.param


def without_springs(joint, point):
    """The point with all springs, dampers and friction along the freedoms, and all other efforts that come from outside, off."""
    off = [
        v.name
        for v in declaration(joint).with_role(Role.PARAMETER)
        if v.name.endswith((".k", ".b", ".mu")) and not v.name.startswith("compliant")
    ]
    efforts = [v.name for v in declaration(joint).with_role(Role.INPUT) if v.order == 3]
    return point | dict.fromkeys([*off, *efforts], 0.0)


def check_wrenches_have_no_power_on_allowed_velocities(joint):
    """On any velocity in the null space of the constraint's Jacobian the wrenches of the multipliers do no work."""
    random = np.random.default_rng(9)
    declared = declaration(joint)
    joined = [port for port in declared.ports if port.side is Side.EFFORT]
    velocities = [str(v) for port in joined for v in port.velocities]
    efforts = [str(e) for port in joined for e in port.efforts]
    count = len(declared.with_role(Role.ALGEBRAIC))
    for _ in range(10):
        point = without_springs(joint, reference(joint).random_point(random, switch=True))
        jacobian, values = reference(joint).jacobian(point), reference(joint).values(point)
        G = np.array([[jacobian.get((f"velocity[{k + 1}]", v), (0.0, 1.0))[0] for v in velocities] for k in range(count)])
        assert np.linalg.matrix_rank(G) == count - two_sided(declared, G)
        wrench = np.array([values[e][0] for e in efforts])
        assert np.linalg.norm(wrench) > 1e-3
        assert np.abs(wrench @ null_space(G)).max(initial=0) < 1e-12 * max(1, np.abs(wrench).max() * np.abs(G).max())


def two_sided(declared, G):
    """Returns the number of constraints that are the opposite of another one, as stops at both ends are; one of each two holds at a time."""
    contacts = [int(each.multiplier[7:-1]) - 1 for each in declared.switched if each.kind == "unilateral"]
    return sum(np.array_equal(G[i], -G[j]) for i, j in combinations(contacts, 2))


def check_levels_are_time_derivatives_of_each_other(joint):
    """Along random motions of the ports Df is the derivative of f, and DDf that of Df, to 15 digits of 40."""
    random = np.random.default_rng(10)
    declared = declaration(joint)
    point = reference(joint).random_point(random, switch=True)
    with mpmath.workdps(DIGITS):
        motions = {}
        for port in declared.ports:
            for chain in port.kind.chains:
                motions[port, chain] = [mpmath.mpf(c) for c in random.uniform(-1, 1, 5)]
        signals = {
            v.name: [mpmath.mpf(c) for c in random.uniform(-1, 1, 5)]
            for v in declared.with_role(Role.INPUT)
            if v.port is None and v.order < 3
        }

        def at(t):
            moved = dict(point)
            for (port, chain), coefficients in motions.items():
                for quantity in chain:
                    moved[f"{port.name}.{quantity.name}"] = mpmath.diff(lambda s, c=coefficients: mpmath.polyval(c, s), t, quantity.order)
            for port in (port for port in declared.ports if port.kind is SPATIAL):
                angles = [coefficients for (each, _), coefficients in motions.items() if each is port][3:]
                moved |= {f"{port.name}.{name}": value for name, value in turning(angles, t).items()}
            for rate, value in rates_of_signals(declared, signals, t).items():
                moved[rate] = value
            return moved

        names = [v.name for v in declared.variables]
        for k in range(1, len(declared.with_role(Role.ALGEBRAIC)) + 1):
            levels = [n for n in (f"position[{k}]", f"velocity[{k}]", f"acceleration[{k}]") if n in names]
            for low, high in pairwise(levels):
                exact = precise(joint, high, at(mpmath.mpf("0.3")))
                slope = mpmath.diff(lambda t, name=low: precise(joint, name, at(t)), mpmath.mpf("0.3"))
                assert abs(slope - exact) < mpmath.mpf(10) ** -15 * max(1, abs(exact)), (low, high)


def turning(angles, t):
    """Attitude, angular velocity and acceleration of a frame that has turned by three polynomials of time about x, y and z."""
    axes, R = mpmath.eye(3), mpmath.eye(3)
    omega, alpha = mpmath.matrix(3, 1), mpmath.matrix(3, 1)
    for number, coefficients in enumerate(angles):
        slope = [c * power for c, power in zip(coefficients, range(len(coefficients) - 1, 0, -1), strict=False)]
        angle, (rate, second) = mpmath.polyval(coefficients, t), mpmath.polyval(slope, t, derivative=1)
        axis = R * axes[:, number]
        alpha += second * axis + rate * cross(omega, axis)
        omega += rate * axis
        R *= plane_rotation(number, angle)
    found = {f"R{i + 1}{j + 1}": R[i, j] for i in range(3) for j in range(3)}
    return found | {f"{name}{axis}": values[i] for name, values in (("omega", omega), ("alpha", alpha)) for i, axis in enumerate("xyz")}


def plane_rotation(axis, angle):
    turned, j, k = mpmath.eye(3), (axis + 1) % 3, (axis + 2) % 3
    turned[j, j] = turned[k, k] = mpmath.cos(angle)
    turned[k, j] = mpmath.sin(angle)
    turned[j, k] = -turned[k, j]
    return turned


def cross(a, b):
    return mpmath.matrix([a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]])


def rates_of_signals(declared, signals, t):
    """Signal inputs that the constraint contains, with their rates; by convention those of `u` are `u.rate` and `u.acceleration`."""
    found = {}
    for name, coefficients in signals.items():
        if not name.endswith((".rate", ".acceleration")):
            found[name] = mpmath.polyval(coefficients, t)
            for order, rate in enumerate(("rate", "acceleration"), 1):
                if f"{name}.{rate}" in signals:
                    found[f"{name}.{rate}"] = mpmath.diff(lambda s, c=coefficients: mpmath.polyval(c, s), t, order)
    return found


def precise(joint, name, point):
    """One variable in all 40 digits."""
    declared = declaration(joint)
    symbols = sorted(declared.expand(declared[name].symbol).free_symbols, key=str)
    return _lambdified(joint, name, tuple(map(str, symbols)))(*(point[str(s)] for s in symbols))


_functions = {}


def _lambdified(joint, name, arguments):
    if (joint, name) not in _functions:
        declared = declaration(joint)
        expression = declared.expand(declared[name].symbol)
        _functions[joint, name] = sympy.lambdify([declared[a].symbol for a in arguments], expression, modules=[FUNCTIONS, "mpmath"])
    return _functions[joint, name]


def test_every_joint(joint):
    """The checks above, of one reference."""
    check_all(
        check_wrenches_have_no_power_on_allowed_velocities,
        check_levels_are_time_derivatives_of_each_other,
        joint=joint,
    )


def test_a_joint_without_a_constraint_says_so():
    """The sentence names the joint and the methods to write."""

    class Nothing(Joint):
        """Joint without a constraint."""

    with pytest.raises(
        DeclarationError, match=r"Nothing: a joint needs at least one equation; return it from constraint\(\) or velocity_constraint\(\)"
    ):
        declaration(Nothing)


def test_a_velocity_level_constraint_goes_through_the_same_path():
    """It has no position output, its residual is Dg + gamma g, and its compliant multiplier is -c g."""

    class Skate(Joint):
        """N moves along the axis of M only."""

        def velocity_constraint(self, M, N):
            return [(N.velocity - M.velocity).dot(M.y_axis)]

    declared = declaration(Skate)
    assert "position[1]" not in declared.by_name and "baumgarte.alpha" not in declared.by_name and "compliant.k" not in declared.by_name
    g, Dg = declared["velocity[1]"].symbol, declared["acceleration[1]"].symbol
    assert declared["residual[1]"].equation == Dg + declared["baumgarte.gamma"].symbol * g
    assert declared["multiplier[1]"].equation == sympy.Piecewise(
        (declared["lambda[1]"].symbol, sympy.Symbol("ideal")), (-declared["compliant.c"].symbol * g, True)
    )
    check_wrenches_have_no_power_on_allowed_velocities(Skate)
    check_levels_are_time_derivatives_of_each_other(Skate)
