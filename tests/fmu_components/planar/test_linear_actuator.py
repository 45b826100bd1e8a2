"""The linear actuator: a force along the line between two free bodies."""

import numpy as np
import pytest

from tests.support.systems.mechanism import Mechanism

f, offset = 7.0, 0.4
BODIES = {
    "first": {"m": 1.5, "I": 0.2, "gy": 0.0, "x": 0.1, "y": -0.3, "theta": 0.4, "vx": 0.5, "vy": -0.2, "omega": 1.1},
    "second": {
        "m": 2.5,
        "I": 0.6,
        "gy": 0.0,
        "x": 1.4,
        "y": 0.9,
        "theta": -0.7,
        "vx": -0.3,
        "vy": 0.8,
        "omega": -0.6,
        "p1.rx": 0.2,
        "p1.ry": 0.1,
    },
}


@pytest.fixture
def mechanism():
    with Mechanism(
        {
            **{name: ("planar.Body1", start) for name, start in BODIES.items()},
            "actuator": ("planar.LinearActuator", {"offset": offset}),
            "push": ("mechanical1d.Force", {"force": f}),
        },
        [("first.p1", "actuator.M"), ("second.p1", "actuator.N"), ("actuator.flange", "push.flange")],
    ) as found:
        found.evaluate()
        yield found


def vector(mechanism, name, kind):
    return np.array([mechanism[f"{name}.p1.{kind}{axis}"] for axis in "xy"])


def test_the_force_acts_along_the_line_and_pushes_the_points_apart(mechanism):
    """Both mass centres accelerate along it in opposite directions; the eccentric one turns by the moment of the force."""
    MN = vector(mechanism, "second", "") - vector(mechanism, "first", "")
    along = MN / np.linalg.norm(MN)
    for name, sign in (("first", -1), ("second", 1)):
        found = [mechanism[f"{name}.der({v})"] for v in ("vx", "vy")]
        assert found == pytest.approx(list(sign * f * along / BODIES[name]["m"]), rel=1e-12)
    arm = vector(mechanism, "second", "") - [mechanism["second.x"], mechanism["second.y"]]
    assert mechanism["first.der(omega)"] == 0
    assert mechanism["second.der(omega)"] == pytest.approx(f * (arm[0] * along[1] - arm[1] * along[0]) / 0.6, rel=1e-12)


def test_the_rates_of_the_length_are_projections(mechanism):
    """L' is the relative velocity along the line; L'' the relative acceleration along it and that of turning, v_across^2/L."""
    MN, velocity, acceleration = (vector(mechanism, "second", kind) - vector(mechanism, "first", kind) for kind in ("", "v", "a"))
    length = np.linalg.norm(MN)
    across = (MN[0] * velocity[1] - MN[1] * velocity[0]) / length
    expected = [length - offset, MN @ velocity / length, MN @ acceleration / length + across**2 / length]
    assert [mechanism[f"actuator.flange.{name}"] for name in "sva"] == pytest.approx(expected, rel=1e-12)
    assert mechanism["actuator.length"] == pytest.approx(length, rel=1e-12)


def test_the_work_of_the_force_is_the_gain_of_kinetic_energy(mechanism):
    """The work of a constant force is the force times the gain of length, over a whole motion."""

    def energy():
        return sum(mechanism[f"{name}.energy.kinetic"] for name in BODIES)

    before, length = energy(), mechanism["actuator.length"]
    mechanism.simulate(1.0)
    assert abs(mechanism["actuator.length"] - length) > 0.5
    assert energy() - before == pytest.approx(f * (mechanism["actuator.length"] - length), rel=1e-9)
    assert mechanism["actuator.power"] == pytest.approx(f * mechanism["actuator.flange.v"], rel=1e-12)
