"""Stiffness and damping matrices between two frames: wrenches against the rate of the energy, Euler angles against SciPy, sentences."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from fmu_components.catalogue import find
from fmu_components.declare.component import declaration
from tests.support.components.motions import frame, vector, velocities
from tests.support.components.springs import check_energy
from tests.support.runtime.driver import Driver

RANDOM = np.random.default_rng(5)
_ROOT = RANDOM.normal(size=(6, 6))
K, D = _ROOT @ _ROOT.T, np.diag(RANDOM.uniform(0.5, 1.0, 6)) + 0.1


def entries(name: str, matrix: np.ndarray) -> dict[str, float]:
    return {f"{name}{i + 1}{j + 1}": matrix[i, j] for i in range(len(matrix)) for j in range(i, len(matrix))}


def test_efforts_draw_back_and_damp() -> None:
    """They are -K q - D qd in the declaration, without an FMU."""
    declared = declaration(find("spatial.LoopClosure"))
    places = [f"{kind}.{axis}" for kind in ("translation", "rotation") for axis in "xyz"]
    q, qd = RANDOM.uniform(-1, 1, (2, 6))
    values = (
        entries("K", K)
        | entries("D", D)
        | dict(zip(places, q, strict=True))
        | {f"{name}d": rate for name, rate in zip(places, qd, strict=True)}
    )
    numbers = {declared[name].symbol: value for name, value in values.items()}
    efforts = [declared[f"{kind}{axis}"].equation for kind in ("force", "torque") for axis in "xyz"]
    assert [float(each.subs(numbers)) for each in efforts] == pytest.approx(-K @ q - D @ qd, rel=1e-12)


@pytest.mark.slow  # the component takes ten times as long to build as its planar twin
def test_wrenches_are_those_of_the_energy(fmu):
    """The stiffness matrix is full, and the turn is 0.2 rad."""
    check_energy(fmu(find("spatial.LoopClosure"), 3), entries("K", K) | entries("D", 0 * D), 0.2)


@pytest.mark.slow
def test_differences_of_euler_angles(fmu):
    """The wrench is K times the displacement and D times its rate, whose rotation is the difference of the angles of the sequence z, y, x."""
    M, N = Rotation.from_euler("ZYX", (0.3, -0.2, 0.1)), Rotation.from_euler("ZYX", (0.5, 0.1, -0.2))
    d, v, omega = (0.3, -0.1, 0.2), (0.4, 0.5, -0.6), (0.1, -0.2, 0.3)
    with Driver(fmu(find("spatial.LoopClosure"), 3), "me") as driver:
        driver.start(entries("K", K) | entries("D", D) | {"euler": True})
        driver.set(velocities("M", (0, 0, 0), (0, 0, 0)) | velocities("N", v, omega))
        driver.set(frame("M", np.zeros(3), M) | frame("N", np.array(d), N))
        values = driver.get([f"N.{effort}{axis}" for effort in "FC" for axis in "xyz"])
    q = np.concatenate([M.inv().apply(d), N.as_euler("ZYX")[::-1] - M.as_euler("ZYX")[::-1]])
    wrench = -K @ q - D @ np.concatenate([M.inv().apply(v), M.inv().apply(omega)])
    assert vector(values, "N.F") == pytest.approx(M.apply(wrench[:3]), abs=1e-12)
    assert vector(values, "N.C") == pytest.approx(M.apply(wrench[3:]), abs=1e-12)


@pytest.mark.slow
def test_a_matrix_that_is_not_positive_is_named(fmu):
    with Driver(fmu(find("spatial.LoopClosure"), 3), "me", logging=True) as driver:
        driver.start({"K12": 2e6})
        assert any("K is positive semidefinite: K12 squared is at most K11 times K22" in each for each in driver.log), driver.log
