"""Parts that are integrated between communication points take what comes from outside; joints between both kinds are solved at the points."""

from __future__ import annotations

import pytest

from coupling import Scheme, System


def pushed_mass() -> System:
    """2 kg in Model Exchange, pushed by 3 t N that a gain in Co-Simulation makes of t."""
    system = System("pushed")
    system.add("gain", "signal.Gain", {"k": 3.0}, kind="cs")
    system.add("push", "mechanical1d.Force", kind="me")
    system.add("mass", "mechanical1d.Mass", {"m": 2.0}, kind="me")
    system.connect("gain.y", "push.force")
    system.connect("push.flange", "mass.flange")
    system.drive("gain.u", [(0, 0), (9, 9)])
    return system


def test_what_is_integrated_between_the_points_are_the_parts_in_model_exchange() -> None:
    built = pushed_mass().build(communication=True)
    assert [built.parts[i].name for i in built.inner_parts] == ["push", "mass"]


def test_parts_between_the_points_follow_the_course_of_what_comes_from_outside() -> None:
    """The distance is k t^3 / (6 m), as the force is a line that is extrapolated; one that stays as at the points lags by half a step, 3.75 %."""
    result = pushed_mass().simulate(2.0, communication_step=0.05, scheme=Scheme("explicit", extrapolation=1))
    assert result["mass.s"][-1] == pytest.approx(3.0 * 2.0**3 / (6 * 2.0), rel=5e-3)
