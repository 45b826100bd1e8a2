"""Spring and damper between two points: balance, energy, and the force where the points come together."""

import numpy as np
import pytest

from fmu_components.catalogue import find
from tests.support.runtime.driver import Driver
from tests.support.systems.mechanism import Mechanism

k, rest, smoothing = 250.0, 0.3, 1e-4


def hanging(y, x=0.0, b=0.0, **speed):
    """A mass on a spring below the origin."""
    return Mechanism(
        {
            "ground": ("planar.Fixed", {}),
            "spring": ("planar.SpringDamper", {"k": k, "rest": rest, "b": b}),
            "body": ("planar.Body1", {"m": 1.8, "x": x, "y": y, **speed}),
        },
        [("ground.p1", "spring.M"), ("body.p1", "spring.N")],
    )


def test_a_hanging_mass_is_in_balance():
    """It hangs at rest + m g/k below, and stays there."""
    length = rest + 1.8 * 9.81 / k
    with hanging(-length) as mechanism:
        assert mechanism.evaluate() == pytest.approx(np.zeros(6), abs=1e-8)
        assert mechanism["spring.tension"] == pytest.approx(1.8 * 9.81, rel=1e-9)
        assert mechanism["spring.length"] == pytest.approx(length, rel=1e-9)


def test_an_elastic_pendulum_keeps_its_energy():
    """Kinetic, potential and stored energy are exchanged, and their sum stays."""
    with hanging(-0.2, x=0.5, vy=1.0) as mechanism:
        states = mechanism.simulate(1.0, np.linspace(0, 1, 6))
        parts = np.array([mechanism.trajectory(states, n) for n in ("body.energy.kinetic", "body.energy.potential", "spring.energy")])
        assert np.ptp(parts, axis=1).min() > 0.5
        assert parts.sum(axis=0) == pytest.approx(np.full(6, parts[:, 0].sum()), rel=1e-8)


def test_the_damper_takes_the_power_of_the_rate():
    """The damper's power, beside that of the spring, is -b rate^2, and the energy sinks by it."""
    with hanging(-0.2, x=0.5, b=4.0, vy=1.0, vx=-2.0) as mechanism, hanging(-0.2, x=0.5, vy=1.0, vx=-2.0) as undamped:
        mechanism.evaluate()
        undamped.evaluate()
        rate = mechanism["spring.rate"]
        assert rate == pytest.approx((0.5 * -2.0 - 0.2 * 1.0) / np.hypot(0.5, 0.2), rel=1e-9)
        assert mechanism["spring.power"] - undamped["spring.power"] == pytest.approx(-4.0 * rate**2, rel=1e-12)


def test_the_force_is_bounded_and_smooth_as_the_points_come_together(fmu):
    """Down to the distance 0 it is odd, bounded by k times the shortening, with a slope below k (1 + rest/smoothing), and 0 at 0."""
    distances = np.concatenate([[0.0], np.geomspace(1e-12, 1e-1, 400)])
    with Driver(fmu(find("planar.SpringDamper"), 3), "me") as spring:
        spring.start({"k": k, "rest": rest, "smoothing": smoothing})

        def force(distance):
            spring.set({"N.x": 0.6 * distance, "N.y": 0.8 * distance})
            found = spring.get(["N.Fx", "N.Fy", "M.Fx", "M.Fy"])
            assert [found["M.Fx"], found["M.Fy"]] == [-found["N.Fx"], -found["N.Fy"]]
            return np.array([found["N.Fx"], found["N.Fy"]])

        forces = np.array([force(d) for d in distances])
        back = np.array([force(-d) for d in distances])
    assert np.array_equal(forces[0], [0, 0])
    assert np.array_equal(back, -forces)
    size = np.linalg.norm(forces, axis=1)
    assert np.all(size <= k * rest)
    assert np.all(np.abs(np.diff(size)) <= k * (1 + rest / smoothing) * np.diff(distances) * (1 + 1e-6) + 1e-12)
    # Away from the centre it is the force of the plain spring.
    assert size[-1] == pytest.approx(k * (rest - 0.1), rel=(smoothing / 0.1) ** 2)
