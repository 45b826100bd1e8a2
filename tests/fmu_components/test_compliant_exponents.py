"""Single FMUs in FMPy, compliant: how far bearing, guide, belt, side, disc and Geneva drive are from rigid, with the exponents of what they miss."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping

import pytest

from fmu_components.catalogue import find
from fmu_components.export.build import cached_fmu
from tests.support.runtime.driver import Driver

W, MU, R, Q = 30.0, 0.4, 0.05, 0.8
"""The load across, the coefficient of friction, a radius, and the share of the limit that pushes what should stick."""
CREEP = Q / math.sqrt(1 - Q**2)
"""The speed of creeping, by the regularising speed."""
Motion = Callable[[float, float], Mapping[str, float]]
FRICTIONS: Mapping[str, tuple[Mapping[str, float], Motion, Mapping[str, float]]] = {
    "planar.RevoluteFriction": (
        {"mu": MU, "radius": R},
        lambda depth, speed: {"N.y": -depth, "N.omega": speed},
        {"N.Fx": 0, "N.Fy": W, "N.Cz": -Q * MU * R * W},
    ),
    "planar.TranslationalFriction": (
        {"mu": MU, "length": 0.2},
        lambda depth, speed: {"N.y": -depth, "N.vx": speed},
        {"N.Fx": -Q * MU * W, "N.Fy": W},
    ),
    "planar.DiscContact": (
        {"mu": MU, "radius": 0.5},
        lambda depth, speed: {"N.y": 0.5 - depth, "N.vx": speed},
        {"N.Fx": -Q * MU * W, "N.Fy": W},
    ),
    "planar.LineContact": (
        {"mu": MU, "length": 0.8},
        lambda depth, speed: {"N.y": -depth / 2, "N.vx": speed},  # two ends carry the load
        {"N.Fx": -Q * MU * W, "N.Fy": W},
    ),
    "mechanical1d.BeltDrive": (
        {"tension": 50.0, "mu": 0.3, "wrap": 3.0, "radius_N": 0.2},
        lambda depth, speed: {"N.w": speed / 0.2},
        {"N.tau": -Q * 0.2 * 100 * math.tanh(0.45)},
    ),
}
"""Values that are set, the motion at rest or in creep, by its depth and its speed, and the efforts that carry the load there."""


@pytest.mark.parametrize("name", FRICTIONS)
def test_depth_falls_with_the_stiffness_and_creeping_with_the_regularising_speed_to_the_power_1(name: str) -> None:
    """The load W goes in by W/k; what should stick creeps at vr q/sqrt(1 - q^2) under the share q of its limit."""
    values, motion, efforts = FRICTIONS[name]
    with Driver(cached_fmu(find(name), 3), "cs") as d:
        d.enter()
        d.set(values)
        for k, vr in ((1e4, 1e-2), (1e6, 1e-2), (1e6, 1e-5)):
            d.set({"compliant.vr": vr} | ({} if name.endswith("BeltDrive") else {"compliant.k": k}))
            d.set(motion(W / k, vr * CREEP))
            for effort, load in efforts.items():
                assert d[effort] == pytest.approx(load, rel=1e-9, abs=1e-9 * W)


@pytest.mark.parametrize("phi", [0.0, 3.0])
def test_a_geneva_wheel_gives_way_with_the_damping_to_the_power_minus_1(phi: float) -> None:
    """It turns at torque/c under a torque, in the slot and locked."""
    with Driver(cached_fmu(find("mechanical1d.Geneva"), 3), "cs") as d:
        d.enter()
        for c in (10.0, 1e4):
            d.set({"M.phi": phi, "compliant.c": c, "N.w": 5 / c})
            assert d["N.tau"] == pytest.approx(-5, rel=1e-12)
