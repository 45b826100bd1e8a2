"""The actuated revolute joint: the torques of flange and signal add up, and the relative motion leaves at the flange."""

import pytest

from tests.support.systems.mechanism import Mechanism


def test_torques_on_an_actuated_revolute_add_up():
    """A body that is held in its mass centre turns with (flange + signal)/I; body i bears the opposite."""
    I, given, signal, t = 0.4, 0.7, -0.2, 1.5  # noqa: E741
    with Mechanism(
        {
            "ground": ("planar.Fixed", {"p1.angle": 0.3}),
            "joint": ("planar.ActuatedRevolute", {"effort": signal}),
            "body": ("planar.Body1", {"I": I, "theta": 1.0, "omega": 2.0}),
            "motor": ("mechanical1d.Torque", {"torque": given}),
        },
        [("ground.p1", "joint.M"), ("body.p1", "joint.N"), ("joint.flange", "motor.flange")],
    ) as mechanism:
        mechanism.simulate(t)
        alpha = (given + signal) / I
        assert mechanism["joint.M.Cz"] == pytest.approx(-(given + signal), rel=1e-12)
        motion = [mechanism[f"joint.flange.{name}"] for name in ("phi", "w", "a")]
        assert motion == pytest.approx([0.7 + 2.0 * t + alpha * t**2 / 2, 2.0 + alpha * t, alpha], rel=1e-9)
        assert mechanism["motor.power"] == pytest.approx(given * (2.0 + alpha * t), rel=1e-9)
