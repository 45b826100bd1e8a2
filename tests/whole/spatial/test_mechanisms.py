"""Mechanisms in space against reference solutions: digits of formulations in relative coordinates, without multipliers."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from jourdain import Ending, System, orientation


def vector(name, values):
    return {f"{name}{axis}": float(value) for axis, value in zip("xyz", values, strict=True)}


def three(result, name):
    return np.stack([result[f"{name}{axis}"] for axis in "xyz"], axis=1)


def energy(result, *bodies):
    return sum(result[f"{body}.energy.{kind}"] for body in bodies for kind in ("kinetic", "potential"))


ROD = {"m": 1.0, "Ixx": 0.001, "Iyy": 1 / 12, "Izz": 1 / 12, "p1.rx": -0.5}
TWO_RODS = {
    0.5: ((-0.0682494097, 0.5915360171, -1.9092984417), -0.0025727843),
    1: ((-1.7621018296, -0.8577516142, -0.1667572787), 0.3645779184),
    2: ((1.1128040283, 0.5326463752, -1.3220718683), 0.8828402374),
}
"""Place of the tip and hinge angle, by time."""


def two_rods():
    """A rod on a spherical joint, and another on a skew hinge at its end, both along x at the start."""
    hinge, omega = np.array((0, -1, 1)) / np.sqrt(2), np.array((1, 2, 0.5))
    turned = omega + 3 * hinge
    axis = {"zx": 0.0, "zy": -1.0, "zz": 1.0}
    system = System("two rods")
    system.add("ground", "spatial.Fixed")
    system.add("ball", "spatial.Spherical")
    start = vector("", (0.5, 0, 0)) | vector("v", np.cross(omega, (0.5, 0, 0))) | vector("omega", omega)
    system.add("first", "spatial.Body2", {**ROD, "p2.rx": 0.5, **{f"p2.{n}": v for n, v in axis.items()}, **start})
    system.add("hinge", "spatial.Revolute")
    end = np.cross(omega, (1, 0, 0))
    start = vector("", (1.5, 0, 0)) | vector("v", end + np.cross(turned, (0.5, 0, 0))) | vector("omega", turned)
    system.add("second", "spatial.Body1", {**ROD, **{f"p1.{n}": v for n, v in axis.items()}, **start})
    for a, b in (("ground.p1", "ball.M"), ("ball.N", "first.p1"), ("first.p2", "hinge.M"), ("hinge.N", "second.p1")):
        system.connect(a, b)
    return system


def tip(result, body, arm):
    attitudes = Rotation.from_quat(np.stack([result[f"{body}.q{i}"] for i in (1, 2, 3, 0)], axis=1))
    return three(result, f"{body}.") + attitudes.apply(arm)


def test_two_rods_move_as_the_reference():
    """To 1e-8 for 2 s, after which their motion is chaotic; reactions at the start to 1e-9."""
    result = two_rods().simulate(2.0, solver="dop853", rtol=1e-12, output_times=[0, *TWO_RODS])
    assert result.outcome.ending is Ending.COMPLETED and not result.outcome.warnings
    assert energy(result, "first", "second") == pytest.approx(np.full(4, 4.516016237217), abs=1e-9)
    force = [result[f"ball.multiplier[{k}]"][0] for k in (1, 2, 3)]
    assert force == pytest.approx((-9.81801948466, -0.52013590437, 3.32513590437), abs=1e-9)
    for found, angle, (place, turned) in zip(
        tip(result, "second", (0.5, 0, 0))[1:], result["hinge.rotation.q"][1:], TWO_RODS.values(), strict=True
    ):
        assert found == pytest.approx(place, abs=1e-8)
        assert angle == pytest.approx(turned, abs=1e-8)


CRANK = {
    0.1: (0.56003148209, 5.82888813, 0.22678718855),
    0.5: (5.58376255331, 14.40816081, 0.18495262978),
    1: (10.91359072986, 10.42759300, 0.21172166139),
    2: (21.0727445228, 22.58424003, 0.28908519707),
}
"""Angle and rate of the crank, place of the slider, by time (IFToMM benchmark; minimal coordinates)."""


def slider_crank():
    """Revolute, spherical, universal and prismatic joint: crank about x, rod, slider along x."""
    rate, length = 6.0, 0.08
    pivot, B, C = np.array((0, 0.1, 0.12)), np.array((0, 0.1, 0.2)), np.array((0.2, 0, 0))
    e = (C - B) / np.linalg.norm(C - B)
    n0 = np.cross(e, (1, 0, 0)) / np.linalg.norm(np.cross(e, (1, 0, 0)))
    R = np.stack([e, n0, np.cross(e, n0)], axis=1)
    omega_rod = np.array((1.92, -0.96, 0.48))
    vB, vC = np.cross((rate, 0, 0), B - pivot), np.array((0.24, 0, 0))
    middle = (B + C) / 2
    system = System("slider-crank in space")
    along_x = {"zx": 1.0, "zy": 0.0, "zz": 0.0, "xx": 0.0, "xz": 1.0}
    at = lambda port, values: {f"{port}.{name}": value for name, value in values.items()}  # noqa: E731 - short for this table alone
    system.add("ground", "spatial.Fixed", vector("p1.r", pivot) | at("p1", along_x))
    system.add("pin", "spatial.Revolute")
    crank = {
        "m": 0.12,
        "Ixx": 1e-4,
        "Iyy": 1e-4,
        "Izz": 1e-5,
        "p1.rz": -length / 2,
        **at("p1", along_x),
        "p2.rz": length / 2,
        "omegax": rate,
    }
    system.add("crank", "spatial.Body2", crank | vector("", (pivot + B) / 2) | vector("v", vB / 2))
    system.add("ball", "spatial.Spherical")
    rod = {"m": 0.5, "Ixx": 4e-4, "Iyy": 4e-3, "Izz": 4e-3, "p1.rx": -0.15, "p2.rx": 0.15, **orientation(matrix=R)}
    system.add("rod", "spatial.Body2", rod | vector("", middle) | vector("v", (vB + vC) / 2) | vector("omega", omega_rod))
    system.add("cross", "spatial.Universal")  # x of the slider at right angles to n0 of the rod
    slider = {"m": 2.0, "Ixx": 1e-4, "Iyy": 1e-4, "Izz": 1e-4, **vector("", C), **vector("v", vC), **at("p2", along_x)}
    system.add("slider", "spatial.Body2", slider)
    system.add("guide", "spatial.Prismatic")
    system.add("rail", "spatial.Fixed", at("p1", along_x))
    for a, b in (
        ("ground.p1", "pin.M"),
        ("pin.N", "crank.p1"),
        ("crank.p2", "ball.M"),
        ("ball.N", "rod.p1"),
        ("slider.p1", "cross.M"),
        ("cross.N", "rod.p2"),
        ("rail.p1", "guide.M"),
        ("guide.N", "slider.p2"),
    ):
        system.connect(a, b)
    return system


@pytest.mark.slow
def test_the_slider_crank_in_space_moves_as_the_reference():
    """To 1e-8 for 2 s and more than three turns of the crank; the start is the published one."""
    result = slider_crank().simulate(2.0, solver="dop853", rtol=1e-12, output_times=[0, *CRANK])
    assert result.outcome.ending is Ending.COMPLETED and not result.outcome.warnings
    assert energy(result, "crank", "rod", "slider") == pytest.approx(np.full(5, 0.76643568), abs=1e-8)
    turned = result["pin.rotation.q"] - result["pin.rotation.q"][0]
    found = zip(turned[1:], result["crank.omegax"][1:], result["guide.translation.q"][1:], strict=True)
    for (angle, rate, place), expected in zip(found, CRANK.values(), strict=True):
        assert (angle, place) == pytest.approx((expected[0], expected[2]), abs=1e-8)
        assert rate == pytest.approx(expected[1], abs=2e-8)


BRICARD = {
    0.5: ((0.96828367911, -1.22462515944, 0.75014660944), 0.25252884052),
    1: ((0.51050146119, -1.64916759939, 0.14012311455), 1.03502845952),
    2: ((-0.96934034478, -1.22124689496, 0.75427801078), 2.89332820598),
}
"""Place of the joint P3 and angle at P0, by time (IFToMM benchmark)."""


def bricard():
    """Six hinges and five rods: thirty equations of which one is redundant, and one degree of freedom."""
    P = np.array([(0, 0, 0), (1, 0, 0), (1, -1, 0), (1, -1, 1), (0, -1, 1), (0, 0, 1)], dtype=float)
    axes = "yzxyzx"
    system = System("Bricard")

    def hinge(port, body_frame, number):
        axis = np.eye(3)["xyz".index(axes[number])]
        other = np.eye(3)[("xyz".index(axes[number]) + 1) % 3]
        return vector(f"{port}.z", body_frame.T @ axis) | vector(f"{port}.x", body_frame.T @ other)

    system.add("start", "spatial.Fixed", vector("p1.r", P[0]) | hinge("p1", np.eye(3), 0))
    system.add("end", "spatial.Fixed", vector("p1.r", P[5]) | hinge("p1", np.eye(3), 5))
    gravity = {"gy": -9.81, "gz": 0.0}
    for i in range(5):
        along = P[i + 1] - P[i]
        aside = np.roll(np.abs(along), 1)
        R = np.stack([along, aside, np.cross(along, aside)], axis=1)
        tensor = {"Ixx": 0.02 / 12, "Iyy": 1.01 / 12, "Izz": 1.01 / 12}
        ports = hinge("p1", R, i) | hinge("p2", R, i + 1) | {"p1.rx": -0.5, "p2.rx": 0.5}
        system.add(f"rod{i}", "spatial.Body2", gravity | tensor | ports | orientation(matrix=R) | vector("", (P[i] + P[i + 1]) / 2))
    for i in range(6):
        system.add(f"hinge{i}", "spatial.Revolute")
        system.connect("start.p1" if i == 0 else f"rod{i - 1}.p2", f"hinge{i}.M")
        system.connect(f"hinge{i}.N", "end.p1" if i == 5 else f"rod{i}.p1")
    return system


def test_bricards_mechanism_moves_as_the_reference():
    """To 1e-7 for 2 s; one warning says that a constraint is redundant."""
    result = bricard().simulate(2.0, solver="dop853", rtol=1e-11, output_times=[0, *BRICARD])
    assert result.outcome.ending is Ending.COMPLETED
    assert len(result.outcome.warnings) == 1 and "redundant" in result.outcome.warnings[0]
    assert energy(result, *(f"rod{i}" for i in range(5))) == pytest.approx(np.full(4, -29.43), abs=1e-7)
    angles = result["hinge0.rotation.q"] - result["hinge0.rotation.q"][0]
    for place, angle, expected in zip(tip(result, "rod2", (0.5, 0, 0))[1:], angles[1:], BRICARD.values(), strict=True):
        assert place == pytest.approx(expected[0], abs=1e-7)
        assert abs(angle) == pytest.approx(expected[1], abs=1e-7)


DISC = {
    0.5: (1.26794813284, 0.46778883113, 0.42140150480),
    1: (1.91248955977, 1.65650708005, 0.42151339372),
    2: (0.52918631976, 3.78188698423, 0.42129053798),
    5: (1.48427532049, 0.68863047404, 0.42107149389),
}
"""Centre of the disc, by time (Lagrange's equations with nonholonomic multipliers)."""


@pytest.mark.slow
def test_a_rolling_disc_moves_as_the_reference():
    """To 1e-8 for 5 s; the contact force at the start is known."""
    m, radius = 1.0, 0.5
    start = vector("", (0, 0, radius * np.sin(np.pi / 3))) | vector("v", (2.75, 0, 0)) | vector("omega", (0, 6 * np.sin(np.pi / 3), -2))
    system = System("disc")
    system.add("ground", "spatial.Fixed")
    system.add("contact", "spatial.RollingDisc")
    system.add("disc", "spatial.Body1", {"m": m, "Ixx": 1 / 16, "Iyy": 1 / 16, "Izz": 1 / 8, **orientation((1, 0, 0), np.pi / 3), **start})
    system.connect("ground.p1", "contact.M")
    system.connect("contact.N", "disc.p1")
    result = system.simulate(5.0, solver="dop853", rtol=1e-12, output_times=[0, *DISC])
    assert result.outcome.ending is Ending.COMPLETED and not result.outcome.warnings
    assert [result[f"contact.multiplier[{k}]"][0] for k in (1, 2, 3)] == pytest.approx((9.29859255134, 0, 3.63578368445), abs=1e-8)
    assert energy(result, "disc") == pytest.approx(np.full(5, 9.94316710556), abs=1e-9)
    assert three(result, "disc.")[1:] == pytest.approx(np.array(list(DISC.values())), abs=1e-8)
