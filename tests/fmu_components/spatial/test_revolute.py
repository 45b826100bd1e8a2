"""The revolute joint in space: its angle counts turns, and it swings as the planar one."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.special import ellipk

from jourdain import StartError, System, orientation


def flywheel(values, joint=None):
    """A wheel that turns about a horizontal axis through its mass centre."""
    system = System("flywheel")
    system.add("ground", "spatial.Fixed", {"p1.zy": 1.0, "p1.zz": 0.0, "p1.xx": 0.0, "p1.xz": 1.0})
    system.add("pin", "spatial.Revolute", joint or {})
    system.add("wheel", "spatial.Body1", {"Izz": 0.5, **values})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "wheel.p1")
    return system


def turned(angle):
    """The attitude in which the axis z is that of the ground's frame, along y, and x has turned by the angle from its x."""
    z, x0 = np.array((0, 1.0, 0)), np.array((0, 0, 1.0))
    x = np.cos(angle) * x0 + np.sin(angle) * np.cross(z, x0)
    return orientation(matrix=np.stack([x, np.cross(z, x), z], axis=1))


@pytest.mark.parametrize("start", [0.0, np.pi, -np.pi, -3.0])
def test_the_angle_counts_turns(start):
    """Three turns and more at an even rate, in both directions, from any angle: half a turn is no exception."""
    first = start + 2 * np.pi if start < 0.1 - np.pi else start
    for rate in (7.0, -7.0):
        result = flywheel({**turned(start), "omegay": rate}).simulate(3.0)
        assert result["pin.rotation.q"] == pytest.approx(first + rate * result.time, abs=1e-6)
        assert result["pin.rotation.qd"] == pytest.approx(np.full(len(result), rate), abs=1e-6)


def test_a_start_may_be_turns_away():
    """The start of the state that counts them says so; a spring is then wound up by as much."""
    joint = {"rotation.turned": 4 * np.pi, "rotation.k": 0.2, "rotation.rest": 1.0}
    result = flywheel(turned(0.5), joint).simulate(3.0, solver="dop853", rtol=1e-10)
    wound = 4 * np.pi + 0.5 - 1.0
    assert result["pin.rotation.q"] == pytest.approx(1.0 + wound * np.cos(np.sqrt(0.2 / 0.5) * result.time), abs=1e-8)
    energy = result["wheel.energy.kinetic"] + result["pin.rotation.energy"]
    assert energy == pytest.approx(np.full(len(result), 0.1 * wound**2), rel=1e-9)


def test_the_period_of_a_pendulum_is_a_complete_elliptic_integral():
    """A pendulum starts at rest at the amplitude A, on an axis that slants in x-y. It hangs down after T/4 = sqrt((I + m c^2)/(m g c))
    K(sin^2(A/2))."""
    m, I, c, amplitude, slant = 1.3, 0.2, 0.6, 2.0, 0.4  # noqa: E741
    quarter = np.sqrt((I + m * c**2) / (m * 9.81 * c)) * ellipk(np.sin(amplitude / 2) ** 2)
    axis, down = np.array((np.cos(slant), np.sin(slant), 0)), np.array((0, 0, -1.0))
    x = np.cos(amplitude) * down + np.sin(amplitude) * np.cross(axis, down)
    start = orientation(matrix=np.stack([x, np.cross(axis, x), axis], axis=1)) | dict(zip("xyz", map(float, c * x), strict=True))
    system = System("pendulum")
    system.add("ground", "spatial.Fixed", {"p1.zx": axis[0], "p1.zy": axis[1], "p1.zz": 0.0, "p1.xx": 0.0, "p1.xz": -1.0})
    system.add("pin", "spatial.Revolute")
    system.add("rod", "spatial.Body1", {"m": m, "Ixx": 0.05, "Iyy": 0.3, "Izz": I, "p1.rx": -c, **start})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "rod.p1")
    result = system.simulate(2 * quarter, solver="dop853", rtol=1e-11, output_times=[0, quarter, 2 * quarter])
    assert result["pin.rotation.q"] == pytest.approx([amplitude, 0, -amplitude], abs=1e-8)


def test_axes_that_point_opposite_ways_are_refused():
    """The constraint holds there as well; the sentence names joint, condition and value."""
    upside_down = orientation(matrix=np.diag((1.0, -1.0, -1.0)))
    system = System("upside down")
    system.add("ground", "spatial.Fixed")
    system.add("pin", "spatial.Revolute")
    system.add("wheel", "spatial.Body1", upside_down)
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "wheel.p1")
    with pytest.raises(StartError) as refused:
        system.simulate(1.0)
    assert "pin: it is required that the axes z of M and N point the same way (their product is positive)" in str(refused.value)
    assert "the value that must be positive is -1" in str(refused.value)
