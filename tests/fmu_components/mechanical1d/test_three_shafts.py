"""Gears of three shafts: accelerations under torques, and torques that add up, against the equations of their wheels in NumPy."""

from __future__ import annotations

import numpy as np
import pytest

from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu
from jourdain import System
from tests.support.runtime.driver import Driver

INERTIAS = (0.3, 0.7, 1.1)
TORQUES = (2.0, -1.0, 0.5)


def turned(component: str, shafts: tuple[str, str, str], values: dict[str, float]) -> tuple[np.ndarray, np.ndarray]:
    """The angular velocities after 2 s, and the torques of the gear on its shafts, each with an inertia and a torque."""
    system = System("three shafts")
    system.add("gear", component, values)
    for name, inertia, torque in zip(shafts, INERTIAS, TORQUES, strict=True):
        system.add(name, "mechanical1d.Inertia", {"I": inertia, "phi": 0.3})
        system.add(f"{name} torque", "mechanical1d.Torque", {"torque": torque})
        system.connect(f"{name}.flange", f"gear.{name}")
        system.connect(f"{name}.flange", f"{name} torque.flange")
    result = system.simulate(2.0, rtol=1e-11)
    return np.array([result[f"{name}.w"][-1] for name in shafts]), np.array([result[f"gear.{name}.tau"][-1] for name in shafts])


def expected(row: tuple[float, float, float]) -> tuple[np.ndarray, np.ndarray]:
    """Solves M a = torques + row' x, row a = 0."""
    G = np.array([row])
    matrix = np.block([[np.diag(INERTIAS), -G.T], [G, np.zeros((1, 1))]])
    *a, x = np.linalg.solve(matrix, [*TORQUES, 0.0])
    return 2.0 * np.array(a), G[0] * x


@pytest.mark.parametrize(
    ("component", "shafts", "values", "row"),
    [
        ("mechanical1d.Planetary", ("sun", "carrier", "ring"), {"ratio": 2.5}, (1.0, -3.5, 2.5)),
        ("mechanical1d.Differential", ("drive", "left", "right"), {"ratio": 3.2}, (1.0, -1.6, -1.6)),
    ],
)
def test_three_shafts_under_torque(component, shafts, values, row):
    """The speeds of the teeth of a planetary gear agree (Willis); the drive of a differential turns as the mean of both sides."""
    speeds, torques = turned(component, shafts, values)
    assert speeds == pytest.approx(expected(row)[0], abs=1e-9)
    assert torques == pytest.approx(expected(row)[1], abs=1e-9)


def test_a_differential_divides_the_torque_of_a_motor_equally():
    """A torque at a shaft without inertia: both sides get half of it times the ratio, however fast each turns; the housing bears the rest."""
    system = System("axle")
    system.add("motor", "mechanical1d.Torque", {"torque": 10.0})
    system.add("shaft", "mechanical1d.MasslessShaft", {"w": 6.0})
    system.add("gear", "mechanical1d.Differential", {"ratio": 3.0})
    system.connect("motor.flange", "shaft.flange")
    system.connect("shaft.flange", "gear.drive")
    for name, w in (("left", 1.0), ("right", 3.0)):
        system.add(name, "mechanical1d.Inertia", {"I": 0.5, "w": w})
        system.connect(f"{name}.flange", f"gear.{name}")
    result = system.simulate(1.0, rtol=1e-11)
    assert (result["left.w"][-1], result["right.w"][-1]) == pytest.approx((31.0, 33.0), abs=1e-8)
    assert result["gear.housing"][-1] == pytest.approx(10.0 - 30.0, abs=1e-8)


@pytest.mark.parametrize(("crossed", "slip"), [(False, 0.2 * 40 - 0.1 * 100), (True, 0.2 * 40 + 0.1 * 100)])
def test_a_crossed_belt_turns_its_pulleys_against_each_other(crossed, slip):
    """The rims run at one speed, or at opposite ones; the force on both rims follows."""
    with Driver(cached_fmu(find("mechanical1d.BeltDrive"), 3), "me") as belt:
        belt.configure({"ideal": True})
        belt.start({"crossed": crossed, "radius_M": 0.1, "radius_N": 0.2, "M.w": 100.0, "N.w": 40.0, "lambda[1]": 5.0})
        assert belt["velocity[1]"] == pytest.approx(slip)
        assert (belt["M.tau"], belt["N.tau"]) == (pytest.approx(0.5 if crossed else -0.5), pytest.approx(1.0))
