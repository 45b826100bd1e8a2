"""The actuated translational joint: the forces of flange and signal add up, and the relative motion leaves at the flange."""

from math import cos, sin

import pytest

from tests.support.systems.mechanism import Mechanism


def test_forces_on_an_actuated_translational_add_up():
    """A body on a tilted axis moves along it with (flange + signal)/m - g sin(tilt); body i bears the opposite."""
    m, tilt, given, signal, t, g = 1.6, 0.6, 12.0, 3.0, 0.9, 9.81
    with Mechanism(
        {
            "ground": ("planar.Fixed", {"p1.angle": tilt}),
            "joint": ("planar.ActuatedTranslational", {"effort": signal}),
            "body": ("planar.Body1", {"m": m, "theta": tilt, "x": 0.5 * cos(tilt), "y": 0.5 * sin(tilt)}),
            "motor": ("mechanical1d.Force", {"force": given}),
        },
        [("ground.p1", "joint.M"), ("body.p1", "joint.N"), ("joint.flange", "motor.flange")],
    ) as mechanism:
        mechanism.simulate(t)
        a = (given + signal) / m - g * sin(tilt)
        motion = [mechanism[f"joint.flange.{name}"] for name in ("s", "v", "a")]
        assert motion == pytest.approx([0.5 + a * t**2 / 2, a * t, a], rel=1e-9)
        along = mechanism["joint.M.Fx"] * cos(tilt) + mechanism["joint.M.Fy"] * sin(tilt)
        assert along == pytest.approx(-(given + signal), rel=1e-9)
        assert mechanism["motor.power"] == pytest.approx(given * a * t, rel=1e-9)
