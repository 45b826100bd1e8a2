"""A point mass: it falls and swings as mechanics says, and takes no torque, which the message to a component that gives one says."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

from coupling.errors import BuildError
from jourdain import System
from tests.support.systems.systems import refusal


def hung_by(joint, values=None, **start):
    """A point mass below the origin, connected with the ground by a joint."""
    system = System("hung")
    system.add("ground", "spatial.Fixed")
    system.add("joint", joint, values or {})
    system.add("ball", "spatial.PointMass1", {"m": 2.0, **start})
    system.connect("ground.p1", "joint.M")
    system.connect("joint.N", "ball.p1")
    return system


def test_a_point_on_a_rod_is_a_pendulum():
    """It starts at rest at the amplitude A, and hangs down after T/4 = sqrt(l/g) K(sin^2(A/2)); the energy is kept."""
    length, amplitude = 0.7, 2.0
    quarter = np.sqrt(length / 9.81) * ellipk(np.sin(amplitude / 2) ** 2)
    start = {"y": length * np.sin(amplitude), "z": -length * np.cos(amplitude)}
    result = hung_by("spatial.Rod", {"length": length}, **start).simulate(
        2 * quarter, solver="dop853", rtol=1e-11, output_times=[0, quarter, 2 * quarter]
    )
    assert result["ball.y"] == pytest.approx([start["y"], 0, -start["y"]], abs=1e-8)
    assert result["ball.z"] == pytest.approx([start["z"], -length, start["z"]], abs=1e-8)
    energy = result["ball.energy.kinetic"] + result["ball.energy.potential"]
    assert energy == pytest.approx(np.full(3, 2.0 * 9.81 * start["z"]), abs=1e-9)


def test_gravity_and_a_force_accelerate_it():
    """Six signals of a wrench, of which those of the torque stay open."""
    system = System("thrown")
    system.add("force", "spatial.Wrench", {"Fx": 3.0})
    system.add("ball", "spatial.PointMass1", {"m": 2.0, "gz": -5.0, "vy": 1.0})
    system.connect("force.M", "ball.p1")
    result = system.simulate(2.0, rtol=1e-10)
    assert [result[f"ball.{axis}"][-1] for axis in "xyz"] == pytest.approx([3.0, 2.0, -10.0], abs=1e-9)


REMEDY = "or put a body that has moments of inertia in place of 'ball'"
TAKEN = "'ball.p1', which is a point without rotation and takes none"


@pytest.mark.parametrize("joint", ["Revolute", "Weld", "RollingSphere", "ConstantVelocity"])
def test_joints_that_give_torque_are_refused(joint):
    """The sentence names the ports, and both remedies."""
    said = refusal(lambda: hung_by(f"spatial.{joint}").simulate(1.0), BuildError)
    assert (
        said
        == f"'joint.N' gives torque to {TAKEN}; connect a component that gives none there, such as a rod or a spherical joint, {REMEDY}"
    )


def test_a_spherical_joint_fits_without_spring_and_damper():
    """Spring and damper would give torque; the sentence names them with their values, also those given for one run."""
    hung_by("spatial.Spherical").simulate(0.1)
    said = refusal(lambda: hung_by("spatial.Spherical", {"rotation.b": 0.5}).simulate(1.0), BuildError)
    assert said == f"'joint.N' gives torque to {TAKEN}: its rotation.b = 0.5; leave it at 0, {REMEDY}"
    said = refusal(lambda: hung_by("spatial.Spherical").simulate(1.0, start_values={"joint.rotation.b": 2.0}), BuildError)
    assert said == f"'joint.N' gives torque to {TAKEN}: its rotation.b = 2; leave it at 0, {REMEDY}"


@pytest.mark.parametrize("ports", [("force.M", "ball.p1"), ("ball.p1", "force.M")])
def test_a_driven_torque_is_refused(ports):
    """The signal is named, in whatever order the ports are."""
    system = System("driven")
    system.add("force", "spatial.Wrench")
    system.add("ball", "spatial.PointMass1")
    system.connect(*ports)
    system.drive("force.Cy", lambda t: t)
    said = refusal(lambda: system.simulate(1.0), BuildError)
    assert said == f"'force.M' gives torque to {TAKEN}: its Cy is connected or driven; leave it open, {REMEDY}"


def test_an_exported_mechanism_says_the_same(tmp_path):
    """A spring that is exported with an end open takes a point; a force does by the values of its torques."""
    half = System("half")
    half.add("ground", "spatial.Fixed")
    half.add("spring", "spatial.SpringDamper")
    half.add("force", "spatial.Wrench", {"Cx": 0.0})  # what is given is a parameter of the mechanism
    half.connect("ground.p1", "spring.M")
    path = half.export_fmu(tmp_path / "half.fmu", inputs=["spring.N", "force.M"])
    system = System("whole")
    system.add("half", path)
    system.add("ball", "spatial.PointMass1", {"x": 1.0})
    system.connect("half.spring.N", "ball.p1")
    system.connect("half.force.M", "ball.p1")
    system.simulate(0.1)
    said = refusal(lambda: system.simulate(0.1, start_values={"half.force.Cx": 2.0}), BuildError)
    assert said == f"'half.force.M' gives torque to {TAKEN}: its force.Cx = 2; leave it at 0, {REMEDY}"
