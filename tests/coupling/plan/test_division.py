"""Parts that are integrated between communication points take what comes from outside; joints between both kinds are solved at the points."""

from __future__ import annotations

import pytest

from coupling import System


def pushed_mass() -> System:
    """2 kg in Model Exchange, pushed by 3 N that a gain in Co-Simulation makes of 1."""
    system = System("pushed")
    system.add("gain", "signal.Gain", {"k": 3.0}, kind="cs")
    system.add("push", "mechanical1d.Force", kind="me")
    system.add("mass", "mechanical1d.Mass", {"m": 2.0}, kind="me")
    system.connect("gain.y", "push.force")
    system.connect("push.flange", "mass.flange")
    system.drive("gain.u", [(0, 1), (9, 1)])
    return system


def test_what_is_integrated_between_the_points_are_the_parts_in_model_exchange() -> None:
    built = pushed_mass().build(communication=True)
    assert [built.parts[i].name for i in built.inner_parts] == ["push", "mass"]


def test_parts_between_the_points_follow_what_comes_from_outside() -> None:
    """The distance is F t^2 / (2 m), as the force stays what it is at the points."""
    result = pushed_mass().simulate(2.0, communication_step=0.1)
    assert result["mass.s"][-1] == pytest.approx(3.0 * 2.0**2 / (2 * 2.0), rel=1e-6)
