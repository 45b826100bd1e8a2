"""The bushing: its six coordinates against SciPy's rotations, its wrenches against the rate of its energy, its motion against closed forms."""

from __future__ import annotations

import numpy as np
import pytest

from fmu_components.catalogue import find
from jourdain import System, orientation
from tests.support.components.springs import check_energy

SPRINGS = {
    f"{kind}.k{axis}": k
    for kind, most in (("translation", 20.0), ("rotation", 6.0))
    for axis, k in zip("xyz", (most, 5.0, 2.0), strict=True)
}
"""Six different stiffnesses."""


@pytest.mark.slow
@pytest.mark.parametrize("angle", [0.0, 0.2, 1.5, 3.0])
def test_wrenches_are_those_of_the_energy(fmu, angle):
    """Undamped, their power is the rate of the energy, by differences; they balance; coordinates are those of SciPy."""
    check_energy(fmu(find("spatial.Bushing"), 3), SPRINGS, angle)


def mounted(body, bushing):
    system = System("mounted")
    system.add("ground", "spatial.Fixed")
    system.add("bushing", "spatial.Bushing", bushing)
    system.add("body", "spatial.Body1", {"gz": 0.0, **body})
    system.connect("ground.p1", "bushing.M")
    system.connect("bushing.N", "body.p1")
    return system


def test_each_direction_has_its_own_frequency():
    """The directions are x, and a turn about z by more than a quarter turn: two independent oscillators, of which the second is damped."""
    values = {"translation.kx": 9.0, "rotation.kz": 0.8, "rotation.bz": 0.1}
    result = mounted({"x": 0.2, "Izz": 0.2, **orientation((0, 0, 1), 2.0)}, values).simulate(5.0, solver="dop853", rtol=1e-11)
    decay, pulse = 0.25, np.sqrt(4.0 - 0.25**2)
    assert result["bushing.translation.x"] == pytest.approx(0.2 * np.cos(3.0 * result.time), abs=1e-8)
    angle = 2.0 * np.exp(-decay * result.time) * (np.cos(pulse * result.time) + decay / pulse * np.sin(pulse * result.time))
    assert result["bushing.rotation.z"] == pytest.approx(angle, abs=1e-8)


def test_a_body_on_six_springs_keeps_its_energy():
    """The energy is constant to 1e-9 of its range, with six different stiffnesses, in large motions, and with the mount beside the mass
    centre."""
    start = {"Ixx": 0.3, "p1.rx": 0.2, "vx": 1.0, "vz": -2.0, "omegax": 1.0, "omegay": 2.0, "omegaz": -1.0}
    result = mounted(start, SPRINGS).simulate(5.0, solver="dop853", rtol=1e-12)
    parts = [result["body.energy.kinetic"], result["bushing.energy"]]
    assert np.ptp(sum(parts)) < 1e-9 * max(np.ptp(part) for part in parts)
