"""Starts of spatial systems that violate constraints: quaternions are moved as rotations, and keep their length."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from jourdain import InitialStateError, System, orientation


def test_a_pose_is_found_from_nothing():
    """Bodies that were given no start values are moved and turned until the joints close; quaternions keep their length."""
    system = System("chain")
    system.add("ground", "spatial.Fixed", {"p1.rx": 0.3, "p1.zx": 0.4, "p1.zy": 1.0, "p1.zz": 0.2})
    system.add("pin", "spatial.Revolute")
    system.add("first", "spatial.Body2", {"p1.rx": -0.5, "p1.zy": 1.0, "p1.zz": 0.3, "p2.rx": 0.5})
    system.add("ball", "spatial.Spherical")
    system.add("second", "spatial.Body2", {"p1.rz": -0.7, "p2.rz": 0.7, "Ixx": 2.0})
    system.add("end", "spatial.Spherical")
    system.add("wall", "spatial.Fixed", {"p1.ry": -0.5, "p1.rz": 1.4})
    for a, b in (
        ("ground.p1", "pin.M"),
        ("pin.N", "first.p1"),
        ("first.p2", "ball.M"),
        ("ball.N", "second.p1"),
        ("second.p2", "end.M"),
        ("end.N", "wall.p1"),
    ):
        system.connect(a, b)
    result = system.simulate(0.0, initial="assemble")
    assert result.violation["position"].max() < 1e-12
    for body in ("first", "second"):
        q = np.array([result[f"{body}.q{i}"][0] for i in range(4)])
        assert np.linalg.norm(q) == pytest.approx(1, abs=1e-15)
        assert 0.01 < Rotation.from_quat(np.roll(q, -1)).magnitude() < np.pi


def test_what_the_user_turned_is_held():
    """An attitude that was given stays; the place follows it."""
    system = System("held")
    system.add("ground", "spatial.Fixed")
    system.add("ball", "spatial.Spherical")
    attitude = orientation((1, 2, 3), 1.0)
    system.add("rod", "spatial.Body1", {"p1.rx": -0.5, **attitude})
    system.connect("ground.p1", "ball.M")
    system.connect("ball.N", "rod.p1")
    result = system.simulate(0.0, initial="assemble")
    assert {name: result[f"rod.{name}"][0] for name in attitude} == attitude
    centre = Rotation.from_rotvec(np.array((1, 2, 3)) / np.sqrt(14)).apply((0.5, 0, 0))
    assert [result[f"rod.{axis}"][0] for axis in "xyz"] == pytest.approx(centre, abs=1e-12)


def test_places_and_attitudes_move_as_in_the_plane():
    """A free bar whose end is too far from a wall moves and turns as the planar one."""
    found = {}
    for library, tensor in (("planar", {"I": 0.3}), ("spatial", {"Izz": 0.3})):
        system = System(library)
        system.add("bar", f"{library}.Body1", {"m": 1.5, "p1.rx": 0.5, **tensor})
        system.add("link", f"{library}.{'ConnectingRod' if library == 'planar' else 'Rod'}", {"length": 0.75})
        system.add("wall", f"{library}.Fixed", {"p1.rx": 0.5, "p1.ry": -0.755})
        system.connect("bar.p1", "link.M")
        system.connect("link.N", "wall.p1")
        result = system.simulate(0.0, initial="assemble")
        angle = result["bar.theta"][0] if library == "planar" else 2 * np.arctan2(result["bar.q3"][0], result["bar.q0"][0])
        found[library] = [angle, result["bar.x"][0], result["bar.y"][0]]
    assert found["planar"] != [0.0, 0.0, 0.0]
    assert found["spatial"] == pytest.approx(found["planar"], abs=1e-6)


def test_velocities_are_put_right():
    """The mass centre gets the velocity that belongs to a held angular velocity."""
    system = System("spinning")
    system.add("ground", "spatial.Fixed")
    system.add("ball", "spatial.Spherical")
    system.add("rod", "spatial.Body1", {"p1.rx": -0.5, "x": 0.5, "omegax": 1.0, "omegay": 2.0, "omegaz": 3.0})
    system.connect("ground.p1", "ball.M")
    system.connect("ball.N", "rod.p1")
    result = system.simulate(0.0, initial="assemble")
    assert [result[f"rod.v{axis}"][0] for axis in "xyz"] == pytest.approx(np.cross((1, 2, 3), (0.5, 0, 0)), abs=1e-12)


def test_what_cannot_be_assembled_is_told():
    """Two walls that are farther apart than a bar, held by its attitude."""
    system = System("too long")
    system.add("ground", "spatial.Fixed")
    system.add("bar", "spatial.Body2", {"p1.rx": -0.5, "p2.rx": 0.5, **orientation((0, 0, 1), 0.0)})
    system.add("wall", "spatial.Fixed", {"p1.rx": 1.5})
    for pin, a, b in (("near", "ground.p1", "bar.p1"), ("far", "bar.p2", "wall.p1")):
        system.add(pin, "spatial.Spherical")
        system.connect(a, f"{pin}.M")
        system.connect(f"{pin}.N", b)
    with pytest.raises(
        InitialStateError,
        match=r"'bar' does not close at 'near', 'far': 0\.5 m is missing if only 'far' stays open; .* letting go of any does not help",
    ):
        system.simulate(0.0, initial="assemble")
