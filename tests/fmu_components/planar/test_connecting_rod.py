"""The massless connecting rod as a mathematical pendulum."""

from math import cos, sin, sqrt

import pytest
from scipy.special import ellipk

from tests.support.systems.mechanism import Mechanism

m, L, g = 1.4, 0.7, 9.81


def pendulum(angle, rate):
    place = {"m": m, "x": L * sin(angle), "y": -L * cos(angle), "vx": L * cos(angle) * rate, "vy": L * sin(angle) * rate}
    return Mechanism(
        {"ground": ("planar.Fixed", {}), "rod": ("planar.ConnectingRod", {"length": L}), "bob": ("planar.Body1", place)},
        [("ground.p1", "rod.M"), ("bob.p1", "rod.N")],
    )


@pytest.mark.parametrize(("angle", "rate"), [(0.4, 0.0), (2.0, 3.0), (3.0, -5.0)])
def test_acceleration_and_force_in_the_rod(angle, rate):
    """It accelerates by -g sin across the rod and L rate^2 towards the pivot; the rod pulls with m (g cos + L rate^2)."""
    with pendulum(angle, rate) as mechanism:
        mechanism.evaluate()
        ax, ay = mechanism["bob.der(vx)"], mechanism["bob.der(vy)"]
        assert ax * cos(angle) + ay * sin(angle) == pytest.approx(-g * sin(angle), rel=1e-10)
        assert ax * sin(angle) - ay * cos(angle) == pytest.approx(-L * rate**2, rel=1e-10, abs=1e-12)
        assert mechanism["bob.der(omega)"] == 0
        assert mechanism["rod.multiplier[1]"] == pytest.approx(-m * (g * cos(angle) + L * rate**2), rel=1e-10)
        assert mechanism["rod.reaction"] == pytest.approx(abs(m * (g * cos(angle) + L * rate**2)), rel=1e-10)


def test_the_period_is_that_of_the_mathematical_pendulum():
    """It starts at rest at the amplitude A, and hangs down after sqrt(L/g) K(sin^2(A/2))."""
    with pendulum(1.5, 0.0) as mechanism:
        mechanism.simulate(sqrt(L / g) * ellipk(sin(0.75) ** 2))
        assert [mechanism["bob.x"], mechanism["bob.y"]] == pytest.approx([0, -L], abs=1e-9)
