"""The knife edge: the sleigh of Chaplygin with its mass centre on the edge."""

from math import cos, pi, sin

import numpy as np
import pytest

from tests.support.systems.mechanism import Mechanism


def test_a_sleigh_moves_on_a_circle_at_constant_speed():
    """The radius is v/omega, the edge pushes with m v omega towards the centre, and after a turn the sleigh is back."""
    m, speed, omega, course = 1.9, 1.2, 0.8, 0.5
    with Mechanism(
        {
            "ice": ("planar.Fixed", {}),
            "edge": ("planar.KnifeEdge", {}),
            "sleigh": (
                "planar.Body1",
                {"m": m, "I": 0.3, "gy": 0.0, "theta": course, "vx": speed * cos(course), "vy": speed * sin(course), "omega": omega},
            ),
        },
        [("ice.p1", "edge.M"), ("sleigh.p1", "edge.N")],
    ) as mechanism:
        states = mechanism.simulate(2 * pi / omega, np.linspace(0, 2 * pi / omega, 9))
        assert mechanism["sleigh.theta"] == pytest.approx(course + 2 * pi, rel=1e-9)
        x, y = mechanism.trajectory(states, "sleigh.x"), mechanism.trajectory(states, "sleigh.y")
        radius = speed / omega
        assert np.hypot(x + radius * sin(course), y - radius * cos(course)) == pytest.approx(np.full(9, radius), rel=1e-8)
        assert mechanism.trajectory(states, "edge.multiplier[1]") == pytest.approx(np.full(9, m * speed * omega), rel=1e-8)
        assert [x[-1], y[-1]] == pytest.approx([0, 0], abs=1e-8)


def test_on_a_moving_body_the_material_below_the_point_counts():
    """An edge that moves with a turning disc, and slides along itself besides, does not violate the constraint."""
    x, y, omega, slide, course = 0.5, -0.3, 2.0, 0.7, 0.9
    with Mechanism(
        {
            "disc": ("planar.Body1", {"omega": omega, "vx": 0.4, "gy": 0.0}),
            "edge": ("planar.KnifeEdge", {}),
            "sleigh": (
                "planar.Body1",
                {
                    "x": x,
                    "y": y,
                    "theta": course,
                    "gy": 0.0,
                    "vx": 0.4 - omega * y + slide * cos(course),
                    "vy": omega * x + slide * sin(course),
                },
            ),
        },
        [("disc.p1", "edge.M"), ("sleigh.p1", "edge.N")],
    ) as mechanism:
        mechanism.evaluate()
        assert mechanism["edge.velocity[1]"] == pytest.approx(0, abs=1e-14)
