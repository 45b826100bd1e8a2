"""Spatial bodies as Co-Simulation FMUs, coupled by joints in Model Exchange."""

from __future__ import annotations

import numpy as np
import pytest

from jourdain import BuildError, System


def pendulum(joint, kind):
    """A body that swings about the origin from the horizontal, with a spin of its own."""
    system = System("pendulum")
    system.add("ground", "spatial.Fixed")
    system.add("pin", f"spatial.{joint}")
    start = {"Ixx": 0.5, "Iyy": 0.3, "Izz": 0.4, "p1.rx": -0.5, "x": 0.5, "omegax": 2.0, "omegaz": 1.0, "vy": 0.5}
    system.add("rod", "spatial.Body1", start, kind=kind)
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    return system


def place(result):
    return np.array([result[f"rod.{name}"][-1] for name in ("x", "y", "z", "q0", "q1", "q2", "q3")])


def test_an_implicit_scheme_keeps_a_spherical_joint_closed():
    """Places and attitude with steps of 10 ms are those of integration in one piece, to 1e-6; the joint is closed to 1e-9."""
    expected = place(pendulum("Spherical", "me").simulate(0.5, solver="dop853", rtol=1e-11))
    result = pendulum("Spherical", "cs").simulate(0.5, communication_step=0.01, scheme="implicit")
    assert not result.outcome.warnings
    assert np.abs(place(result) - expected).max() < 1e-6
    assert result.violation["position"].max() < 1e-9


def test_a_joint_that_counts_turns_does_not_connect_to_co_simulation():
    """The sentence names both and says what to do; left to itself, such a joint runs in Model Exchange."""
    with pytest.raises(BuildError) as refused:
        pendulum("Revolute", None).simulate(0.5, communication_step=0.01)
    assert str(refused.value) == (
        "'pin' (spatial.Revolute) counts the turns of its angle by a state, for which co-simulation has no place, and is connected to 'rod', "
        "which runs in Co-Simulation; give 'rod' the kind 'me'"
    )
