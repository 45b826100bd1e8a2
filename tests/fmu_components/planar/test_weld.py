"""The weld: two bodies move as one."""

from math import cos, sin

import pytest

from tests.support.systems.mechanism import Mechanism


def test_two_welded_bodies_swing_as_one():
    """The parallel axis theorem gives alpha = -g sum(m c sin)/sum(I + m c^2), and the relative pose stays while they swing."""
    m, I, bend, angle, rate, g = (1.2, 0.7), (0.1, 0.3), 0.8, 0.5, 1.5, 9.81  # noqa: E741
    # The first body hangs on its own end, the second is welded to its other end, bent by an angle.
    first, second = angle, angle + bend
    end = (0.8 * sin(first), -0.8 * cos(first))
    centres = [(0.4 * sin(first), -0.4 * cos(first)), (end[0] + 0.25 * sin(second), end[1] - 0.25 * cos(second))]
    poses = [
        {"x": x, "y": y, "vx": -rate * y, "vy": rate * x, "omega": rate, "m": mass, "I": inertia}
        for (x, y), mass, inertia in zip(centres, m, I, strict=True)
    ]
    with Mechanism(
        {
            "ground": ("planar.Fixed", {}),
            "pin": ("planar.Revolute", {}),
            "weld": ("planar.Weld", {}),
            "first": ("planar.Body2", {**poses[0], "theta": first, "p1.ry": 0.4, "p2.ry": -0.4, "p2.angle": bend}),
            "second": ("planar.Body1", {**poses[1], "theta": second, "p1.ry": 0.25}),
        },
        [("ground.p1", "pin.M"), ("first.p1", "pin.N"), ("first.p2", "weld.M"), ("second.p1", "weld.N")],
    ) as mechanism:
        mechanism.evaluate()
        inertia = sum(i + mass * (x**2 + y**2) for i, mass, (x, y) in zip(I, m, centres, strict=True))
        expected = -g * sum(mass * x for mass, (x, _) in zip(m, centres, strict=True)) / inertia
        assert [mechanism["first.der(omega)"], mechanism["second.der(omega)"]] == pytest.approx([expected] * 2, rel=1e-10)
        torque = (
            I[1] * expected
            - (centres[1][0] - end[0]) * -g * m[1]
            + m[1] * ((centres[1][0] - end[0]) * mechanism["second.der(vy)"] - (centres[1][1] - end[1]) * mechanism["second.der(vx)"])
        )
        assert mechanism["weld.N.Cz"] == pytest.approx(torque, rel=1e-10)
        mechanism.simulate(1.0)
        assert mechanism["first.theta"] != pytest.approx(first, abs=0.1)
        assert mechanism["second.theta"] - mechanism["first.theta"] == pytest.approx(bend, abs=1e-9)
        assert [mechanism["weld.N.x"], mechanism["weld.N.y"]] == pytest.approx([mechanism["weld.M.x"], mechanism["weld.M.y"]], abs=1e-9)
