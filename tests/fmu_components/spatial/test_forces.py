"""Forces and actuators in space, at random motions, against vectors of NumPy; and a driven joint in motion."""

from __future__ import annotations

import numpy as np
import pytest

from fmu_components.catalogue import find
from jourdain import System
from tests.support.declare.reference import reference


def at_random(name, seed=1):
    """A point, and all that the component makes of it."""
    component = reference(find(name))
    point = component.random_point(np.random.default_rng(seed))
    return point | {each: value for each, (value, _) in component.values(point).items()}


def vector(values, name):
    return np.array([values[f"{name}{axis}"] for axis in "xyz"])


def test_a_wrench_is_what_its_signals_say():
    """It acts on the body, along the absolute axes; its power is that on the velocities of the port."""
    values = at_random("spatial.Wrench")
    for kind in "FC":
        assert vector(values, f"M.{kind}") == pytest.approx(vector(values, kind))
    power = vector(values, "F") @ vector(values, "M.v") + vector(values, "C") @ vector(values, "M.omega")
    assert values["power"] == pytest.approx(power)


def test_a_follower_wrench_turns_with_the_port():
    """Its signals are along the columns of R."""
    values = at_random("spatial.FollowerWrench")
    R = np.array([[values[f"M.R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)])
    for kind in "FC":
        assert vector(values, f"M.{kind}") == pytest.approx(R @ vector(values, kind))


def test_spring_and_damper_pull_along_the_line():
    """The force is k (length - rest) + b rate, opposite on both bodies, without torque; the power is that of both forces."""
    values = at_random("spatial.SpringDamper")
    MN, relative = (vector(values, f"N.{kind}") - vector(values, f"M.{kind}") for kind in ("", "v"))
    length = np.sqrt(MN @ MN + values["smoothing"] ** 2)
    tension = values["k"] * (length - values["rest"]) + values["b"] * (MN @ relative) / length
    assert vector(values, "M.F") == pytest.approx(tension * MN / length)
    assert vector(values, "N.F") == pytest.approx(-tension * MN / length)
    assert not vector(values, "M.C").any() and not vector(values, "N.C").any()
    assert values["power"] == pytest.approx(vector(values, "M.F") @ vector(values, "M.v") + vector(values, "N.F") @ vector(values, "N.v"))


def test_a_planar_frame_passes_on_what_acts_in_the_plane():
    """The point and the turn in the plane, which is turned about x by ``angle``; the force in the plane and the torque across it."""
    values = at_random("spatial.PlanarFrame")
    angle, theta = values["angle"], values["planar.theta"]
    y, z = np.array([0, np.cos(angle), np.sin(angle)]), np.array([0, -np.sin(angle), np.cos(angle)])
    assert angle != 0
    for here, there in (("", ""), ("v", "v"), ("a", "a")):
        expected = values[f"planar.{here}x"] * np.array([1, 0, 0]) + values[f"planar.{here}y"] * y
        assert vector(values, f"spatial.{there}") == pytest.approx(expected)
    for turn, rate in (("omega", "omega"), ("alpha", "alpha")):
        assert vector(values, f"spatial.{turn}") == pytest.approx(values[f"planar.{rate}"] * z)
    columns = np.array([[values[f"spatial.R{i}{j}"] for j in (1, 2, 3)] for i in (1, 2, 3)])
    assert columns[:, 0] == pytest.approx(np.cos(theta) * np.array([1, 0, 0]) + np.sin(theta) * y)
    assert columns[:, 2] == pytest.approx(z) and np.linalg.det(columns) == pytest.approx(1)
    force, torque = vector(values, "spatial.F"), vector(values, "spatial.C")
    assert [values[f"planar.{name}"] for name in ("Fx", "Fy", "Cz")] == pytest.approx([force[0], force @ y, torque @ z])


def test_a_prescribed_angular_velocity_is_kept():
    """A wheel on a spherical joint turns about z as the input says, and the multiplier is the torque that it takes."""
    system = System("driven")
    system.add("ground", "spatial.Fixed")
    system.add("ball", "spatial.Spherical")
    system.add("drive", "spatial.RelativeVelocity")
    system.add("wheel", "spatial.Body2", {"Izz": 0.7, "gz": 0.0, "omegaz": 0.0})
    for a, b in (("ground.p1", "ball.M"), ("ball.N", "wheel.p1"), ("ground.p1", "drive.M"), ("drive.N", "wheel.p2")):
        system.connect(a, b)
    system.drive("drive.velocity", lambda t: np.sin(t))
    system.drive("drive.velocity.rate", lambda t: np.cos(t))
    result = system.simulate(2.0, rtol=1e-10)
    assert result["wheel.omegaz"] == pytest.approx(np.sin(result.time), abs=1e-7)
    assert result["drive.multiplier[1]"] == pytest.approx(0.7 * np.cos(result.time), abs=1e-6)
