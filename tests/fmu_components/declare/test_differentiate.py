"""The operator D and what it makes of a constraint."""

import sympy

from fmu_components.declare.differentiate import ConstraintLevels, TimeDerivative, efforts_of
from tests.support.declare.symbols import M, N

D = TimeDerivative(M.rates | N.rates)


def test_D_follows_the_chain_from_coordinate_to_acceleration():
    """D x = vx, D vx = ax, D theta = omega, D omega = alpha; what has no rate is constant."""
    c = sympy.Symbol("c")
    assert D(M.x) == M.vx
    assert D(M.vx) == M.ax
    assert D(c * M.theta) == c * M.omega
    assert sympy.simplify(D(D(sympy.sin(M.theta))) - (sympy.cos(M.theta) * M.alpha - sympy.sin(M.theta) * M.omega**2)) == 0


def test_a_velocity_constraint_has_no_position():
    """Its residual is Dg + gamma g."""
    gamma = sympy.Symbol("gamma")
    levels = ConstraintLevels.of_velocity(N.vx - M.vx, D)
    assert levels.position is None
    assert sympy.expand(levels.residual(0, 0, gamma) - (N.ax - M.ax + gamma * (N.vx - M.vx))) == 0


def test_efforts_give_the_power_of_the_multipliers():
    """Wrench times velocities equals multiplier times velocity form, identically."""
    mu = sympy.Symbol("mu")
    levels = ConstraintLevels.of_position((N.point - M.point).dot(M.y_axis), D)
    power = sum(e * v for port in (M, N) for e, v in zip(efforts_of([levels.velocity], [mu], port), port.velocities, strict=True))
    assert sympy.simplify(power - mu * levels.velocity) == 0
