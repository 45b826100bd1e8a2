"""The spring of the spherical joint: its torque against SciPy's rotation vectors, and its motion against a closed form."""

from __future__ import annotations

import numpy as np
import pytest

from fmu_components.catalogue import find
from jourdain import System, orientation
from tests.support.components.motions import frame, turned_apart, vector
from tests.support.runtime.driver import Driver


@pytest.mark.parametrize("angle", [0.0, 1e-9, 0.1, 1.0, 2.0, 3.0, np.pi - 1e-4])
def test_the_torque_is_the_stiffness_times_the_angle_about_the_axis(fmu, angle):
    """The angles go from 0 to nearly half a turn. The torque is opposite on both bodies, and the energy is k angle^2 / 2."""
    for seed in range(3):
        axis = np.random.default_rng(seed).normal(size=3)
        M, N = turned_apart(seed, angle * axis / np.linalg.norm(axis))
        with Driver(fmu(find("spatial.Spherical"), 2), "me") as driver:
            driver.start({"rotation.k": 2.0})
            driver.set(frame("M", (1, 2, 3), M) | frame("N", (1, 2, 3), N))
            values = driver.get([*(f"{port}.C{axis}" for port in "MN" for axis in "xyz"), "rotation.energy"])
        torque = -2.0 * (N * M.inv()).as_rotvec()
        assert vector(values, "N.C") == pytest.approx(torque, abs=1e-11)
        assert vector(values, "M.C") == pytest.approx(-torque, abs=1e-11)
        assert values["rotation.energy"] == pytest.approx(angle**2, abs=1e-11)


def hung(body, **joint):
    system = System("hung")
    system.add("ground", "spatial.Fixed")
    system.add("ball", "spatial.Spherical", joint)
    system.add("body", "spatial.Body1", body)
    system.connect("ground.p1", "ball.M")
    system.connect("ball.N", "body.p1")
    return system


def test_a_body_swings_about_a_fixed_axis_as_an_oscillator():
    """The moments of inertia are equal, and it swings by nearly half a turn to either side: angle = A cos(sqrt(k/I) t), about any axis."""
    axis = np.array((1, -2, 2)) / 3
    start = {"Ixx": 0.5, "Iyy": 0.5, "Izz": 0.5, **orientation(axis, 3.0)}
    result = hung(start, **{"rotation.k": 2.0}).simulate(4.0, solver="dop853", rtol=1e-11)
    angle = 3.0 * np.cos(2.0 * result.time)
    q = np.stack([result[f"body.q{i}"] for i in range(4)], axis=1)
    expected = np.column_stack([np.cos(angle / 2), np.outer(np.sin(angle / 2), axis)])
    assert q / np.linalg.norm(q, axis=1)[:, None] == pytest.approx(expected, abs=1e-8)


def test_a_tumbling_body_keeps_its_energy():
    """The energy of motion, height and spring is constant to 1e-9 of its range; the damper's power is never positive."""
    start = {"Ixx": 0.2, "Iyy": 0.5, "p1.rz": 0.4, "z": -0.4, "vx": -0.8, "vy": 1.2, "omegax": 3.0, "omegay": 2.0, "omegaz": 4.0}
    result = hung(start, **{"rotation.k": 2.0}).simulate(5.0, solver="dop853", rtol=1e-12)
    parts = [result[name] for name in ("body.energy.kinetic", "body.energy.potential", "ball.rotation.energy")]
    assert np.ptp(sum(parts)) < 1e-9 * max(np.ptp(part) for part in parts)
    damped = hung(start, **{"rotation.b": 0.1}).simulate(2.0)
    assert damped["ball.rotation.power"].max() < 0
