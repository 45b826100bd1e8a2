"""Rigid connections of shafts and slides: their two sides keep a distance that is given, and share a load by their inertias."""

from __future__ import annotations

import pytest

from coupling import InitialStateError, System


def shaft(start: float, offset: float = 0.5) -> System:
    """A wheel at 0.2 rad drives another one, which stands at a given angle; 2.4 N.m act on the first."""
    system = System("shaft")
    for name, inertia, angle in (("first", 0.3, 0.2), ("second", 0.5, start)):
        system.add(name, "mechanical1d.Inertia", {"I": inertia, "phi": angle, "w": 2.0})
    system.add("motor", "mechanical1d.Torque", {"torque": 2.4})
    system.connect("motor.flange", "first.flange")
    system.join("mechanical1d.RigidShaft", "first.flange", "second.flange", {"offset": offset}, name="shaft")
    return system


def test_the_second_side_is_ahead_by_the_offset() -> None:
    """Both turn by w t + tau t^2 / 2 (I1 + I2); the shaft passes on what the second one needs."""
    result = shaft(0.7).simulate(1.0)
    assert (result["first.phi"][-1], result["second.phi"][-1]) == pytest.approx((3.7, 4.2), abs=1e-9)
    assert abs(result["shaft.lambda[1]"][-1]) == pytest.approx(2.4 * 0.5 / 0.8, rel=1e-9)


def test_angles_that_are_apart_by_another_offset_are_refused() -> None:
    with pytest.raises(InitialStateError, match=r"shaft\.position\[1\] = -1 "):
        shaft(-0.3).simulate(1.0)
