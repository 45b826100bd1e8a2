"""The gimbal: its angles against SciPy's rotations, their rates and its torques against differences, its motion against a closed form."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from fmu_components.catalogue import find
from jourdain import StartError, System, orientation
from tests.support.components.motions import frame, vector, velocities
from tests.support.runtime.driver import Driver

AT_ZERO = Rotation.from_euler("x", -np.pi / 2)


def turned(heading: float, lean: float, spin: float) -> Rotation:
    """Each turn after the one before."""
    return Rotation.from_euler("z", heading) * Rotation.from_euler("x", lean) * AT_ZERO * Rotation.from_euler("z", spin)


@pytest.mark.parametrize("angles", [(0.0, 0.0, 0.0), (0.4, -0.7, 1.1), (-2.5, 1.2, 2.9)])
def test_angles_and_torques(fmu, angles):
    """Angles are those that make the attitude; undamped, the power of the torques is the rate of the springs' energy."""
    random = np.random.default_rng(3)
    M = Rotation.from_rotvec(random.uniform(-1, 1, 3))
    N = M * turned(*angles)
    omega_M, omega_N = random.uniform(-1, 1, (2, 3))
    names = [f"rotation{i}.{what}" for i in (1, 2, 3) for what in ("q", "qd", "qdd", "energy", "power")]
    names += ["der(rotation1.turned)", "der(rotation3.turned)"]
    with Driver(fmu(find("spatial.Gimbal"), 3), "me") as driver:
        driver.start({"rotation1.k": 3.0, "rotation2.k": 5.0, "rotation3.k": 7.0, "rotation1.rest": 0.2})

        def after(h):
            for port, attitude, omega in (("M", M, omega_M), ("N", N, omega_N)):
                driver.set(frame(port, np.zeros(3), Rotation.from_rotvec(h * omega) * attitude) | velocities(port, np.zeros(3), omega))
            return driver.get([*names, *(f"{port}.{what}{axis}" for port in "MN" for what in "FC" for axis in "xyz")])

        later, earlier, values = after(1e-4), after(-1e-4), after(0.0)
    assert [values[f"rotation{i}.q"] for i in (1, 2, 3)] == pytest.approx(angles, abs=1e-12)
    for i in (1, 2, 3):
        for what, rate in (("q", "qd"), ("qd", "qdd")):
            slope = (later[f"rotation{i}.{what}"] - earlier[f"rotation{i}.{what}"]) / 2e-4
            assert values[f"rotation{i}.{rate}"] == pytest.approx(slope, abs=1e-6)
    for i in (1, 3):  # whole turns are counted by the same rates
        assert values[f"der(rotation{i}.turned)"] == pytest.approx(values[f"rotation{i}.qd"], abs=1e-9)
    torque = vector(values, "N.C")
    assert vector(values, "M.C") == pytest.approx(-torque, abs=1e-12) and not vector(values, "N.F").any()
    lost = sum(earlier[f"rotation{i}.energy"] - later[f"rotation{i}.energy"] for i in (1, 2, 3)) / 2e-4
    assert torque @ (omega_N - omega_M) == pytest.approx(lost, abs=1e-6)
    assert sum(values[f"rotation{i}.power"] for i in (1, 2, 3)) == pytest.approx(lost, abs=1e-6)


def gimballed(values: dict[str, float]) -> System:
    system = System("gimballed")
    system.add("ground", "spatial.Fixed")
    system.add("gimbal", "spatial.Gimbal", {"rotation1.k": 0.6})
    system.add("body", "spatial.Body1", {"gz": 0.0, **values})
    system.connect("ground.p1", "gimbal.M")
    system.connect("body.p1", "gimbal.N")
    return system


def test_a_body_turns_to_and_fro_about_its_heading():
    """Its angle is cos(sqrt(k/J) t), with J about the vertical."""
    attitude = Rotation.from_euler("z", 0.5) * AT_ZERO
    system = gimballed({"Ixx": 0.2, "Iyy": 0.3, "Izz": 0.2, **orientation(matrix=attitude.as_matrix())})
    result = system.simulate(3.0, rtol=1e-10)
    assert result["gimbal.rotation1.q"] == pytest.approx(0.5 * np.cos(np.sqrt(0.6 / 0.3) * result.time), abs=1e-8)


def test_parallel_axes_are_refused():
    with pytest.raises(
        StartError, match="it is required that the axis z of N does not point along the axis z of M, where heading and spin"
    ):
        gimballed({}).simulate(0.1)
