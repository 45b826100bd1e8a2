"""The rolling disc: on a slope, and the example of the non-holonomic paper."""

from math import cos, sin

import pytest

from tests.support.systems.mechanism import Mechanism

m, I, r, g = 2.5467, 0.045224, 0.175, 9.81  # noqa: E741


def disc(slope, Fx=0.0, position=0.0, **start):
    place = {"x": position * cos(slope) - r * sin(slope), "y": position * sin(slope) + r * cos(slope), "m": m, "I": I}
    return Mechanism(
        {
            "ground": ("planar.Fixed", {"p1.angle": slope}),
            "joint": ("planar.RollingDisc", {"radius": r}),
            "push": ("planar.Wrench", {"Fx": Fx}),
            "disc": ("planar.Body2", {**place, **start}),
        },
        [("ground.p1", "joint.M"), ("disc.p1", "joint.N"), ("disc.p2", "push.M")],
    )


@pytest.mark.parametrize("slope", [0.4, -0.9])
def test_a_disc_rolls_down_a_slope(slope):
    """It accelerates by g sin/(1 + I/(m r^2)); the ground gives m g cos and I a/r^2; and x + r phi stays, as the paper writes it."""
    t = 0.8
    with disc(slope, position=0.3, theta=2.0) as mechanism:
        mechanism.simulate(t)
        a = -g * sin(slope) / (1 + I / (m * r**2))
        s = 0.3 + a * t**2 / 2
        expected = [s * cos(slope) - r * sin(slope), s * sin(slope) + r * cos(slope), 2.0 - a * t**2 / 2 / r]
        assert [mechanism[f"disc.{name}"] for name in ("x", "y", "theta")] == pytest.approx(expected, rel=1e-9)
        assert mechanism["joint.contact.normal"] == pytest.approx(m * g * cos(slope), rel=1e-9)
        assert mechanism["joint.contact.tangential"] == pytest.approx(-I * a / r**2, rel=1e-9)


def test_the_wheel_of_the_non_holonomic_paper():
    """A force of 2 N at the centre of the wheel has the reaction f_t = f I/(I + m r^2) = 0.734 N, as printed, against it."""
    with disc(0.0, Fx=2.0) as mechanism:
        mechanism.evaluate()
        assert mechanism["joint.contact.tangential"] == pytest.approx(-2.0 * I / (I + m * r**2), rel=1e-10)
        assert round(mechanism["joint.contact.tangential"], 3) == -0.734
        assert mechanism["joint.contact.normal"] == pytest.approx(m * g, rel=1e-10)


def test_a_line_that_turns_carries_the_disc_along():
    """A beam and a disc that move as one rigid body do not slip on each other, whether the disc touches the line or not."""
    omega, along = 2.0, 0.4
    for height in (r, 1.3 * r):
        carried = {"x": along, "y": height, "vx": -omega * height, "vy": omega * along, "omega": omega}
        with Mechanism(
            {"beam": ("planar.Body1", {"omega": omega}), "disc": ("planar.Body1", carried), "joint": ("planar.RollingDisc", {"radius": r})},
            [("beam.p1", "joint.M"), ("disc.p1", "joint.N")],
        ) as mechanism:
            mechanism.evaluate()
            assert [mechanism["joint.velocity[1]"], mechanism["joint.velocity[2]"]] == pytest.approx([0, 0], abs=1e-12)
