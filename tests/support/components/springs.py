"""Springs between two frames in space: their wrenches against the rate of their energy."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from tests.support.components.motions import frame, turned_apart, vector, velocities
from tests.support.runtime.driver import Driver

OUTPUTS = [
    *(f"{kind}.{axis}{rate}" for kind in ("translation", "rotation") for axis in "xyz" for rate in ("", "d")),
    *(f"{port}.{effort}{axis}" for port in "MN" for effort in "FC" for axis in "xyz"),
    "energy",
    "power",
]


def check_energy(fmu: Path, stiffness: dict[str, float], angle: float) -> None:
    """Undamped, the power of the wrenches is the rate of the energy, by differences; they balance; coordinates are those of SciPy."""
    random = np.random.default_rng(4)
    axis = random.normal(size=3)
    turn = angle * axis / np.linalg.norm(axis)
    M, N = turned_apart(4, turn)
    r, d, v_M, v_N, omega_M, omega_N = random.uniform(-1, 1, (6, 3))
    with Driver(fmu, "me") as driver:
        driver.start(stiffness)
        driver.set(velocities("M", v_M, omega_M) | velocities("N", v_N, omega_N))

        def after(h: float) -> dict[str, float]:
            driver.set(frame("M", r + h * v_M, Rotation.from_rotvec(h * omega_M) * M))
            driver.set(frame("N", r + d + h * v_N, Rotation.from_rotvec(h * omega_N) * N))
            return driver.get(OUTPUTS)

        later, earlier, values = after(1e-5), after(-1e-5), after(0.0)
    assert vector(values, "translation.") == pytest.approx(M.inv().apply(d), abs=1e-12)
    assert vector(values, "rotation.") == pytest.approx(turn, abs=1e-12)
    for kind in ("translation", "rotation"):
        rates = (vector(later, f"{kind}.") - vector(earlier, f"{kind}.")) / 2e-5
        assert [values[f"{kind}.{axis}d"] for axis in "xyz"] == pytest.approx(rates, abs=1e-7)
    force, torque = vector(values, "N.F"), vector(values, "N.C")
    assert vector(values, "M.F") == pytest.approx(-force, abs=1e-13)
    assert vector(values, "M.C") == pytest.approx(-torque - np.cross(d, force), abs=1e-12)
    power = force @ (v_N - v_M) + torque @ omega_N + vector(values, "M.C") @ omega_M
    assert power == pytest.approx(-(later["energy"] - earlier["energy"]) / 2e-5, abs=1e-7)
    assert values["power"] == pytest.approx(power, abs=1e-12)
