"""A given force and torque."""

import pytest

from tests.support.systems.mechanism import Mechanism


def test_a_wrench_accelerates_a_free_body():
    """F/m for the mass centre; the torque and the moment of the force about the centre, over I; the power is that on the point."""
    m, I, Fx, Fy, Cz, rx, ry = 1.7, 0.4, 3.0, -2.0, 0.9, 0.3, -0.5  # noqa: E741
    with Mechanism(
        {
            "push": ("planar.Wrench", {"Fx": Fx, "Fy": Fy, "Cz": Cz}),
            "body": ("planar.Body1", {"m": m, "I": I, "gy": 0.0, "p1.rx": rx, "p1.ry": ry, "vx": 2.0, "omega": 1.5}),
        },
        [("body.p1", "push.M")],
    ) as mechanism:
        mechanism.evaluate()
        found = [mechanism[f"body.der({name})"] for name in ("vx", "vy", "omega")]
        assert found == pytest.approx([Fx / m, Fy / m, (Cz + rx * Fy - ry * Fx) / I], rel=1e-12)
        assert mechanism["push.power"] == pytest.approx(Fx * (2.0 - 1.5 * ry) + Fy * 1.5 * rx + Cz * 1.5, rel=1e-12)
