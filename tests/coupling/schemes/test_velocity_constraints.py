"""Implicit schemes on constraints that exist at velocity level only, beside others: a pendulum that a gear couples with a flywheel."""

from __future__ import annotations

import numpy as np
import pytest

from coupling import System
from tests.support.oracles.motion import swing

RATIO, FLYWHEEL = 10.0, 1e-3


def geared_pendulum() -> System:
    """Level and at rest at the start; the flywheel turns ten times as fast."""
    system = System("geared pendulum")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.ActuatedRevolute")
    system.add("rod", "planar.Body1", {"I": 1 / 12, "p1.rx": -0.5, "x": 0.5})
    system.add("gear", "mechanical1d.Gear", {"ratio": RATIO})
    system.add("flywheel", "mechanical1d.Inertia", {"I": FLYWHEEL})
    for a, b in (("ground.p1", "pin.M"), ("rod.p1", "pin.N"), ("pin.flange", "gear.N"), ("flywheel.flange", "gear.M")):
        system.connect(a, b)
    return system


@pytest.mark.parametrize("scheme", ["implicit", "implicit-position", "implicit-velocity"])
def test_a_geared_pendulum_swings_with_the_inertia_of_both(scheme: str) -> None:
    """It agrees with the closed form. Halved steps make a quarter of the error or less, and the torque of the gear does not alternate from
    step to step."""
    errors = []
    for h in (0.01, 0.005, 0.0025):
        result = geared_pendulum().simulate(2.0, communication_step=h, scheme=scheme, output_interval=h)
        assert result.outcome.completed, result.outcome.sentence
        angle, _ = swing(result.time, np.pi / 2, 0.0, np.sqrt(9.81 * 0.5 / (1 / 3 + RATIO**2 * FLYWHEEL)))
        errors.append(np.abs(result["rod.theta"] - (angle - np.pi / 2)).max())
        assert np.abs(np.diff(result["gear.multiplier[1]"], 2)).max() < 0.01 * np.abs(result["gear.multiplier[1]"]).max()
    assert errors[0] < 1e-3 and errors[0] > 3.9 * errors[1] > 3.9**2 * errors[2]
