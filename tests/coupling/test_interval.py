"""Model Exchange instances between the communication points of others."""

from __future__ import annotations

import pytest

from coupling import Result, System


def swing(communication_step: float | None) -> Result:
    """A pendulum with ideal joints; with a step, beside a lag that runs in Co-Simulation and feeds another, whose values are huge."""
    system = System("pendulum")
    system.add("ground", "planar.Fixed", kind="me")
    system.add("pin", "planar.Revolute", kind="me")
    system.add("rod", "planar.Body1", {"p1.rx": -0.5, "x": 0.5}, "me")
    system.connect("ground.p1", "pin.M")
    system.connect("rod.p1", "pin.N")
    if communication_step is not None:
        system.add("stepped", "signal.FirstOrder", {"u": 1.0, "x": 1.0}, "cs")
        system.add("huge", "signal.FirstOrder", {"k": 1e13}, "me")
        system.connect("stepped.y", "huge.u")
    return system.simulate(1.0, communication_step=communication_step, output_times=[0.0, 0.5, 1.0])


def test_a_mechanism_between_the_points_moves_as_it_does_alone() -> None:
    """Derivatives that change at events only, such as 1/m, are known there from the start; large states do not hide that they are not."""
    alone, between = swing(None), swing(0.01)
    assert between.violation["position"].max() < 1e-9
    assert between["rod.theta"] == pytest.approx(alone["rod.theta"], abs=1e-7)
