"""Linear models of steady motions, in coordinates whose matrices do not change, against closed forms of discs and tops."""

from __future__ import annotations

import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from coupling import System
from coupling.errors import AnalysisError
from jourdain import orientation
from tests.support.systems.space import on_a_joint, turning, vector

G = 9.81
ANGLES = [f"gimbal.rotation{i}.q" for i in (1, 2, 3)]


def with_gimbal(system: System, ground: str = "ground") -> System:
    system.add("gimbal", "spatial.Gimbal")
    system.connect(f"{ground}.p1", "gimbal.M")
    system.connect("top.p1", "gimbal.N")
    return system


def rolling(speed: float, radius: float = 0.5, m: float = 1.3, lean: float = 0.0, spin: float | None = None) -> System:
    """A thin disc that rolls along x."""
    tensor = {"Ixx": m * radius**2 / 4, "Iyy": m * radius**2 / 4, "Izz": m * radius**2 / 2}
    moving = vector("v", (speed, 0, 0)) | vector("omega", (0, speed / radius, 0))
    start = vector("", (0, 0, radius)) | moving | orientation((1, 0, 0), -np.pi / 2)
    return on_a_joint("RollingDisc", {"m": m, **tensor, **start}, {"radius": radius})


@pytest.mark.slow
@pytest.mark.parametrize("speed", [1.2, 1.3, 10.0])
def test_an_upright_disc_rolls_stably_above_its_speed(speed):
    """Heading, lean and spin give lambda^2 = 0.8 g/rho - 2.4 (v/rho)^2, and six zeros, of place, heading, spin and their rates."""
    model = with_gimbal(rolling(speed)).linearise(coordinates=ANGLES)
    assert model.states[:6] == tuple(f"{name}{rate}" for name in ANGLES for rate in ("", "d"))
    square = 0.8 * G / 0.5 - 2.4 * (speed / 0.5) ** 2
    mechanical, zeros = np.split(model.eigenvalues[::-1], [2])
    assert mechanical**2 == pytest.approx([square, square], rel=1e-9)
    assert np.abs(zeros).max() < 1e-4 and len(zeros) == 6
    assert model.stable == (speed**2 > G * 0.5 / 3)


@pytest.mark.slow
def test_a_disc_in_coordinates_that_change_is_refused():
    """Quaternions, which spin along, are such coordinates."""
    with pytest.raises(
        AnalysisError, match=r"nor move steadily: 'top\.x' changes by 2 m/s, .*or name coordinates=\[\.\.\.\] in which the motion"
    ):
        rolling(2.0).linearise()


@pytest.mark.slow
def test_a_disc_that_falls_is_refused():
    """Its lean changes, and nothing that anybody names helps."""
    system = with_gimbal(rolling(1.0))
    attitude = Rotation.from_euler("x", 0.3) * Rotation.from_euler("x", -np.pi / 2)
    R = attitude.as_matrix()
    start = {**{f"top.{n}": v for n, v in orientation(matrix=R).items()}, "top.z": 0.5 * np.cos(0.3), "top.y": -0.5 * np.sin(0.3)}
    with pytest.raises(AnalysisError, match=r"does not stand still here, nor move steadily: 'gimbal\.rotation\d\.qd' changes by .* rad/s2"):
        system.linearise(initial={**start, **{f"top.omega{a}": 0.0 for a in "xyz"}, "top.vx": 0.0}, coordinates=ANGLES)


M, J1, J3, LENGTH, TILT, PRECESSION = 1.2, 0.02, 0.03, 0.4, 0.7, 2.0
PIVOT = J1 + M * LENGTH**2
MOMENT = M * G * LENGTH


def nutation(spin: float, tilt: float, precession: float) -> float:
    """The square of the frequency: the curvature of the potential that the conserved momenta make, by differences of sixth order."""
    along = J3 * (spin + precession * np.cos(tilt))
    upright = PIVOT * precession * np.sin(tilt) ** 2 + along * np.cos(tilt)

    def potential(a: float) -> float:
        return (upright - along * np.cos(a)) ** 2 / (2 * PIVOT * np.sin(a) ** 2) + MOMENT * np.cos(a)

    h = 1e-2
    weights = {0: -49 / 18, 1: 3 / 2, 2: -3 / 20, 3: 1 / 90}
    return sum(w * (potential(tilt + i * h) + potential(tilt - i * h)) / (1 if i else 2) for i, w in weights.items()) / h**2 / PIVOT


@pytest.mark.slow
def test_a_top_precesses_steadily():
    """It precesses on a ball joint, in the angles of a gimbal. Its nutation is that of the reduced potential, all else is neutral."""
    spin = (MOMENT + PIVOT * PRECESSION**2 * np.cos(TILT)) / (J3 * PRECESSION) - PRECESSION * np.cos(TILT)
    axis = np.array((np.sin(TILT), 0, np.cos(TILT)))
    start = {**orientation((0, 1, 0), TILT), **turning(LENGTH * axis, spin * axis + PRECESSION * np.array((0, 0, 1)))}
    system = on_a_joint("Spherical", {"m": M, "Ixx": J1, "Iyy": J1, "Izz": J3, "p1.rz": -LENGTH, **start})
    model = with_gimbal(system).linearise(coordinates=ANGLES)
    assert model.states == tuple(f"{name}{rate}" for name in ANGLES for rate in ("", "d"))
    assert model.point["gimbal.rotation1.qd"] == pytest.approx(PRECESSION, rel=1e-12)
    assert -(model.eigenvalues[-2:] ** 2) == pytest.approx([nutation(spin, TILT, PRECESSION)] * 2, rel=1e-7)
    assert np.abs(model.eigenvalues[:4]).max() < 1e-4 and model.stable


def top_of_blocks(tilt: float, precession: float, spin: float) -> System:
    """Three hinges after one another: about z, about y, about the top's axis; links have no mass."""
    nothing = {"m": 0.0, "Ixx": 0.0, "Iyy": 0.0, "Izz": 0.0}
    system = System("top of blocks")
    system.add("ground", "spatial.Fixed")
    system.add("turning", "spatial.RevoluteBody", {**nothing, "C1.zy": 1.0, "C1.zz": 0.0, "qd": precession})
    system.add("tilting", "spatial.RevoluteBody", {**nothing, "P.zy": 1.0, "P.zz": 0.0, "q": tilt})
    system.add("spinning", "spatial.RevoluteBody", {"m": M, "Ixx": J1, "Iyy": J1, "Izz": J3, "rz": LENGTH, "qd": spin})
    for a, b in (("ground.p1", "turning.P"), ("turning.C1", "tilting.P"), ("tilting.C1", "spinning.P")):
        system.connect(a, b)
    return system


@pytest.mark.slow
def test_a_top_of_blocks_needs_no_gimbal():
    """The angles of three hinges are its states, and the same nutation comes out."""
    spin = (MOMENT + PIVOT * PRECESSION**2 * np.cos(TILT)) / (J3 * PRECESSION) - PRECESSION * np.cos(TILT)
    model = top_of_blocks(TILT, PRECESSION, spin).linearise()
    assert set(model.states) == {f"{name}.{q}" for name in ("turning", "tilting", "spinning") for q in ("q", "qd")}
    assert -(model.eigenvalues[-2:] ** 2) == pytest.approx([nutation(spin, TILT, PRECESSION)] * 2, rel=1e-7)
    with pytest.raises(AnalysisError, match=r"nor move steadily: 'spinning\.q' changes by 79 rad/s, and in 0\.0013 s entries of A"):
        top_of_blocks(TILT, PRECESSION, 0.9 * spin).linearise()


@pytest.mark.parametrize("share", [0.8, 1.3])
def test_a_top_sleeps_above_its_speed(share):
    """Upright, where heading and spin about the vertical are one: the gimbal's first axis is level. J1 z'' - i J3 s z' - m g l z = 0."""
    spin = share * 2 * np.sqrt(MOMENT * PIVOT) / J3
    start = {**turning((0, 0, LENGTH), (0, 0, spin)), **orientation(matrix=[[0, -1, 0], [1, 0, 0], [0, 0, 1]])}
    system = on_a_joint("Spherical", {"m": M, "Ixx": J1, "Iyy": J1, "Izz": J3, "p1.rz": -LENGTH, **start})
    system.add("level", "spatial.Fixed", {"p1.zx": 1.0, "p1.zz": 0.0, "p1.xx": 0.0, "p1.xy": 1.0})
    model = with_gimbal(system, "level").linearise(coordinates=ANGLES)
    roots = np.roots([PIVOT, -1j * J3 * spin, -MOMENT])
    expected = np.sort_complex([*roots, *roots.conj()])
    assert np.sort_complex(model.eigenvalues[2:]) == pytest.approx(expected, rel=1e-7)
    assert model.stable == (share > 1)
