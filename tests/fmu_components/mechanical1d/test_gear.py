"""The gear between two shafts."""

import pytest

from tests.support.systems.mechanism import Mechanism


@pytest.mark.parametrize("ratio", [4.0, 0.5, -2.5])
def test_a_torque_drives_a_load_through_a_gear(ratio):
    """The speeds are w_M = ratio w_N; the load acts with I/ratio^2 on M; the housing bears the difference of the torques."""
    motor, load, torque, t = 0.05, 1.4, 0.7, 1.5
    with Mechanism(
        {
            "motor": ("mechanical1d.Inertia", {"I": motor, "phi": 3.0}),
            "load": ("mechanical1d.Inertia", {"I": load, "phi": -1.0}),
            "gear": ("mechanical1d.Gear", {"ratio": ratio}),
            "drive": ("mechanical1d.Torque", {"torque": torque}),
        },
        [("motor.flange", "gear.M"), ("load.flange", "gear.N"), ("motor.flange", "drive.flange")],
    ) as mechanism:
        mechanism.simulate(t)
        alpha = torque / (motor + load / ratio**2)
        assert [mechanism["motor.w"], mechanism["load.w"]] == pytest.approx([alpha * t, alpha * t / ratio], rel=1e-9)
        turned = alpha * t**2 / 2
        assert [mechanism["motor.phi"], mechanism["load.phi"]] == pytest.approx([3 + turned, -1 + turned / ratio], rel=1e-9)
        on_load = load * alpha / ratio
        assert [mechanism["gear.N.tau"], mechanism["gear.M.tau"]] == pytest.approx([on_load, -on_load / ratio], rel=1e-9)
        assert mechanism["gear.housing"] == pytest.approx(on_load / ratio - on_load, rel=1e-9)
