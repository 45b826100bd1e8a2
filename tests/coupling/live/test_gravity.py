"""Gravity on both sides of an adapter between the plane and space."""

from __future__ import annotations

import pytest

from coupling import System


def hung_on_a_planar_rod(**gravity: float) -> System:
    """A point mass in space on a rod below a planar pendulum that hangs at rest; gravity acts along -y in the plane."""
    system = System("mixed")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add("link", "planar.Body2", {"I": 0.1, "y": -0.5, "p1.ry": 0.5, "p2.ry": -0.5})
    system.add("frame", "spatial.PlanarFrame")
    system.add("rod", "spatial.Rod")
    system.add("ball", "spatial.PointMass1", {"y": -2.0, **gravity})
    for a, b in (
        ("ground.p1", "pin.M"),
        ("pin.N", "link.p1"),
        ("link.p2", "frame.planar"),
        ("frame.spatial", "rod.M"),
        ("rod.N", "ball.p1"),
    ):
        system.connect(a, b)
    return system


def test_different_gravities_are_warned_of() -> None:
    """The warning names the adapter, both bodies and both vectors; it comes also where they differ in one run alone."""
    said = (
        "'frame' (spatial.PlanarFrame) couples 'link', whose gravity is (0, -9.81, 0) m/s2, with 'ball', whose gravity is ({}) m/s2; "
        "give both the same gx, gy, gz"
    )
    assert hung_on_a_planar_rod().simulate(0.1).outcome.warnings == [said.format("0, 0, -9.81")]
    alike = hung_on_a_planar_rod(gy=-9.81, gz=0.0)
    result = alike.simulate(0.5)
    assert result.outcome.warnings == [] and result["ball.y"][-1] == pytest.approx(-2.0)
    assert alike.simulate(0.1, start_values={"ball.gy": -1.62}).outcome.warnings == [said.format("0, -1.62, 0")]


def test_gravity_across_the_plane_is_borne_by_the_plane() -> None:
    """A linkage seen from above has no gravity in its plane, and what hangs on it in space has gravity along -z."""
    seen_from_above = hung_on_a_planar_rod()
    result = seen_from_above.simulate(0.1, start_values={"link.gy": 0.0})
    assert result.outcome.warnings == []
    assert len(seen_from_above.simulate(0.1, start_values={"link.gy": 0.0, "ball.gx": 0.1}).outcome.warnings) == 1
