"""The prescribed relative velocity: the first example of the non-holonomic paper, and a ramp."""

from math import cos, sin

import pytest

from tests.support.systems.mechanism import Mechanism

m1, m2 = 7.0, 5.0


def two_masses(push, direction, signals=None):
    return Mechanism(
        {
            "first": ("planar.Body2", {"m": m1, "gy": 0.0}),
            "second": ("planar.Body1", {"m": m2, "gy": 0.0, "x": 3.0}),
            "joint": ("planar.RelativeVelocity", {"direction": direction}),
            "push": ("planar.Wrench", push),
        },
        [("first.p1", "joint.M"), ("second.p1", "joint.N"), ("first.p2", "push.M")],
        signals,
    )


def test_the_first_example_of_the_non_holonomic_paper():
    """A force of 2 N on the first mass reaches the second by f_c = f m2/(m1 + m2) = 0.833 N, as printed."""
    with two_masses({"Fx": 2.0}, 0.0) as mechanism:
        mechanism.evaluate()
        assert mechanism["joint.multiplier[1]"] == pytest.approx(2.0 * m2 / (m1 + m2), rel=1e-12)
        assert round(mechanism["joint.N.Fx"], 3) == 0.833
        assert [mechanism["first.der(vx)"], mechanism["second.der(vx)"]] == pytest.approx([2.0 / (m1 + m2)] * 2, rel=1e-12)


def test_across_the_direction_the_masses_are_free():
    """Only the part of a force along the direction reaches the other mass."""
    direction = 0.7
    with two_masses({"Fx": -2.0 * sin(direction), "Fy": 2.0 * cos(direction)}, direction) as mechanism:
        mechanism.evaluate()
        assert mechanism["joint.multiplier[1]"] == pytest.approx(0, abs=1e-12)
        assert [mechanism["second.der(vx)"], mechanism["second.der(vy)"]] == pytest.approx([0, 0], abs=1e-12)


def test_a_ramp_of_velocity():
    """The relative velocity follows c t; the force is that of the reduced mass, c m1 m2/(m1 + m2)."""
    c, t, direction = 0.6, 2.0, 0.7
    with two_masses({}, direction, {"joint.velocity": lambda time: c * time, "joint.velocity.rate": lambda time: c}) as mechanism:
        mechanism.simulate(t)
        relative = [mechanism[f"second.{v}"] - mechanism[f"first.{v}"] for v in ("vx", "vy")]
        assert relative == pytest.approx([c * t * cos(direction), c * t * sin(direction)], rel=1e-9)
        assert mechanism["joint.multiplier[1]"] == pytest.approx(c * m1 * m2 / (m1 + m2), rel=1e-9)
