"""Flexible beams in space against beams in the plane, closed forms, Galerkin's method, and rods by shooting."""

from __future__ import annotations

import pickle

import numpy as np
import pytest
from scipy.integrate import solve_ivp
from scipy.optimize import fsolve
from scipy.spatial.transform import Rotation
from sympy import Matrix

from fmu_components.declare.beam import legendre
from fmu_components.declare.spatial_beam import Amplitudes, Shapes
from jourdain import DeclarationError, SpatialBeam, System, orientation
from tests.support.components.beams import UNIT, frequencies, in_plane, out_of_plane

SPACE = {"rho": 1000.0, "A": 1e-3, "Iy": 1e-3, "Iz": 2e-3, "E": 1e3, "It": 1e-3, "G": 1e3, "gz": 0.0}
"""Mass per length, stiffness of bending along z and in twist of 1, and of 2 along y, without gravity."""
HUB = {"m": 0.5, "Ixx": 0.01, "Iyy": 0.02, "Izz": 0.02, "gz": 0.0}

THIN, WIDE, LENGTH, YOUNG = 3.2024e-3, 12.377e-3, 0.508, 71.7e9
BAR = {
    "A": THIN * WIDE,
    "Iz": WIDE * THIN**3 / 12,
    "Iy": THIN * WIDE**3 / 12,
    "It": WIDE * THIN**3 * (1 / 3 - 0.21 * THIN / WIDE * (1 - (THIN / WIDE) ** 4 / 12)),
    "E": YOUNG,
    "G": YOUNG / 2.62,
    "rho": 2800.0,
    "gz": 0.0,
}
"""Thin bar of aluminium of the experiment of Princeton, 0.508 m long, without weight."""


def shot(force: np.ndarray, stiff: float = 1.0) -> np.ndarray:
    """Returns the end and the twist of this bar under a dead load, as a rod of Kirchhoff without shear, by shooting.

    The rod is ``stiff`` times as stiff in stretch.
    """
    stiffness = np.array([BAR["G"] * BAR["It"], YOUNG * BAR["Iy"], YOUNG * BAR["Iz"]])

    def rates(_, y):
        R, moment = y[3:12].reshape(3, 3), y[12:]
        curvature = R.T @ moment / stiffness
        a, b, c = curvature
        turning = np.array([[0, -c, b], [c, 0, -a], [-b, a, 0]])
        along = (1 + (R.T @ force)[0] / (stiff * YOUNG * BAR["A"])) * R[:, 0]
        return np.concatenate([along, (R @ turning).ravel(), -np.cross(along, force)])

    def end(moment: np.ndarray) -> np.ndarray:
        start = np.concatenate([np.zeros(3), np.eye(3).ravel(), moment])
        return solve_ivp(rates, (0, LENGTH), start, rtol=1e-10, atol=1e-12, method="DOP853").y[:, -1]

    y = end(fsolve(lambda moment: end(moment)[12:], np.cross([LENGTH, 0, 0], force), xtol=1e-12))
    return np.array([*y[:3], np.arctan2(y[10], y[7])])


def cantilever(pieces: int, length: float, beam: str | type, values: dict[str, float], load: tuple[float, float]) -> np.ndarray:
    """Returns the loaded end of a clamped beam in equal pieces and its twist, in equilibrium under a dead load along y and z."""
    system = System("cantilever")
    system.add("wall", "spatial.Fixed")
    at = "wall.p1"
    for k in range(pieces):
        system.add(f"piece{k}", beam, {**values, "L": length / pieces, "x": (k + 0.5) * length / pieces})
        system.join("spatial.Weld", at, f"piece{k}.p1", name=f"weld{k}")
        at = f"piece{k}.p2"
    system.add("load", "spatial.Wrench", {"Fy": load[0], "Fz": load[1]})
    system.connect("load.M", at)
    run = system.simulate(1e-6, initial=system.equilibrium())
    return np.array([*(run[f"{at}.{axis}"][0] for axis in "xyz"), np.arctan2(run[f"{at}.R32"][0], run[f"{at}.R22"][0])])


def test_a_tumbling_beam_keeps_its_energy_and_momentum():
    """A beam with a hub welded to it turns about all axes while it bends both ways and twists."""
    system = System("tumble")
    starts = {"omegax": 0.7, "omegaz": 1.0, "vy": 0.5, "bend.y.rate[1]": 0.5, "bend.z.rate[1]": -0.3, "twist.rate[1]": 0.5}
    system.add("beam", "spatial.Beam", {**SPACE, "x": 0.5, **starts})
    system.add("hub", "spatial.Body1", HUB)
    system.join("spatial.Weld", "hub.p1", "beam.p1")
    run = system.simulate(1.0, solver="dop853", rtol=1e-11, atol=1e-13, initial="assemble")
    energy = run["beam.energy.kinetic"] + run["beam.energy.elastic"] + run["hub.energy.kinetic"]
    assert np.ptp(run["beam.energy.elastic"]) > 0.2 * energy[0]
    assert np.ptp(run["beam.twist[1]"]) > 1e-2
    assert np.ptp(energy) < 1e-9 * energy[0]
    for axis in "xyz":
        assert np.ptp(run[f"beam.v{axis}"] + 0.5 * run[f"hub.v{axis}"]) < 1e-12


def test_a_beam_that_moves_in_the_plane_is_one_of_the_plane():
    """It has the motion, the moments and the strains of planar.Beam2, and its warning."""
    starts = [{"omega": 2.0}, {"bend.rate[1]": 1.0, "bend.rate[2]": 0.5}]
    system = System("plane")
    system.add("beam", "planar.Beam2", {**UNIT, "I": 2e-3, **starts[0], **starts[1]})
    system.add("hub", "planar.Body1", {"m": 0.5, "I": 0.02, "gy": 0.0})
    system.join("planar.Weld", "hub.p1", "beam.p1")
    other = System("space")
    other.add("beam", "spatial.Beam", {**SPACE, "omegaz": 2.0, "bend.y.rate[1]": 1.0, "bend.y.rate[2]": 0.5})
    other.add("hub", "spatial.Body1", HUB)
    other.join("spatial.Weld", "hub.p1", "beam.p1")
    runs = [
        each.simulate(1.0, solver="dop853", rtol=1e-11, atol=1e-13, initial="assemble", output_times=[0.5, 1.0]) for each in (system, other)
    ]
    names = {each: each for each in ("beam.p2.x", "beam.p2.y", "beam.strain[2]", "beam.bent", "beam.energy.elastic")}
    names |= {"beam.bend[1]": "beam.bend.y[1]", "beam.moment[1]": "beam.moment.z[1]", "beam.middle": "beam.middle.y"}
    for plane, space in names.items():
        assert runs[1][space] == pytest.approx(runs[0][plane], abs=1e-9)
    assert np.abs(runs[0]["beam.bent"]).max() > 0.01


def test_a_beam_that_bends_too_far_says_so():
    """Both planes count: 0.12 and 0.16 of the length make 0.2."""
    system = System("beams")
    system.add("coupler", "spatial.Beam", {**SPACE, "bend.y[1]": 0.12 / 1.5, "bend.z[1]": 0.16 / 1.5})
    (said,) = system.simulate(1e-3).outcome.warnings
    assert said == "'coupler' bends by 20 % of its length: cut it into 4 pieces"


def test_a_free_beam_rings_in_both_planes_and_in_twist():
    """Two Legendre polynomials have 720 and 8400 times the unit of each plane, those of twist 12 and 60 times that of twist."""
    system = System("free")
    system.add("beam", "spatial.Beam", SPACE)
    found = frequencies(system.linearise())
    twist = 1.0 / (1000.0 * 3e-3)
    assert found == pytest.approx(np.sqrt(sorted([720, 8400, 2 * 720, 2 * 8400, 12 * twist, 60 * twist])), rel=1e-9)


def test_classes_of_beams_in_space():
    """A class is made once and found by its name; bending needs a shape, stretch and twist need none."""
    assert SpatialBeam(3, 0, 2) is SpatialBeam(3)
    assert pickle.loads(pickle.dumps(SpatialBeam(3, 0, 0))) is SpatialBeam(3, twist=0)
    with pytest.raises(DeclarationError, match=r"Beam\(0, 0, 2\) is refused: give whole numbers of at least 1 and 0"):
        SpatialBeam(0)


def test_the_second_end_is_right_to_order_five():
    """Curvatures and twist that vary along the beam are integrated: half the length leaves a thirty-second of the error against the first end."""
    shapes = Shapes([legendre(2), legendre(3)], [], [legendre(1), legendre(2)])
    (t, y, z), (dt, dy, dz) = np.array([0.7, 0.9, 1.1]), np.array([0.5, -0.8, 0.6])  # twist and curvatures in the middle, and their slopes

    def rates(s, state):
        a, b, c = t + dt * s, y + dy * s, z + dz * s
        R = state[3:].reshape(3, 3)
        return np.concatenate([R[:, 0], (R @ [[0, -c, b], [c, 0, -a], [-b, a, 0]]).ravel()])

    errors = []
    for L in (0.2, 0.1):
        amplitudes = [[z * L**2 / 12, dz * L**3 / 120], [-y * L**2 / 12, -dy * L**3 / 120], [], [t * L / 2, dt * L**2 / 12]]
        q = Amplitudes(*(Matrix(len(each), 1, each) for each in amplitudes))
        place, turn = ([np.array(of(at, q, L), float).ravel() for at in (-1, 1)] for of in (shapes.place, shapes.turn))
        first, second = (Rotation.from_rotvec(each) for each in turn)
        exact = solve_ivp(rates, (-L / 2, L / 2), [0, 0, 0, *np.eye(3).ravel()], rtol=1e-12, atol=1e-15, method="DOP853").y[:, -1]
        off = first.inv().apply(place[1] - place[0] + [L, 0, 0]) - exact[:3]
        turned = (first.inv() * second).inv() * Rotation.from_matrix(exact[3:].reshape(3, 3))
        errors.append((np.abs(off).max(), np.abs(turned.as_rotvec()).max()))
    assert np.log2(np.array(errors[0]) / errors[1]) == pytest.approx([5, 5], abs=0.15)
    assert max(errors[1]) < 1e-7


@pytest.mark.slow
def test_pieces_of_a_thin_bar_approach_a_rod_with_order_four():
    """Princeton's bar, loaded askew, bends both ways and twists: half the length leaves a sixteenth of the error, down to 5e-7 of the bar.

    The rod stretches by 3e-7 m, which the beam leaves out. Eight pieces have accelerations of twist whose rounding is above 1e-8 rad/s2.
    """
    load = 8.896 * np.sqrt(0.5)
    force = np.array([0.0, load, load])
    assert shot(force) == pytest.approx([0.49361148, 0.10903825, 0.00888514, 0.02277592], abs=2e-8)
    exact = shot(force, stiff=1e6)
    ends = [cantilever(pieces, LENGTH, "spatial.Beam", BAR, (load, load)) for pieces in (1, 2, 4, 8)]
    errors = [np.linalg.norm((each - exact)[:3]) for each in ends]
    assert errors == pytest.approx([4.53e-4, 3.49e-5, 2.27e-6, 1.43e-7], rel=0.05)
    assert [abs(each[3] - exact[3]) for each in ends] == pytest.approx([3.2e-5, 9.6e-7, 1.1e-7, 7.5e-9], rel=0.1)


RADIUS, ANGLE, FORCE, BEND = 100.0, np.pi / 4, 600.0, 8.333e5
"""Arc in the plane x-y, clamped along x, with a dead force along z at its end; E I of both planes and G J are alike, E A is 1e7."""


def arc(pieces: int | None, shear: float = np.inf) -> np.ndarray:
    """Returns the displacement of the end of the arc, or of a polygon of ``pieces`` in it, as a rod of Reissner, by shooting."""
    force, step = np.zeros(3), ANGLE / (pieces or 1)
    kink = [[np.cos(step / 2), -np.sin(step / 2), 0], [np.sin(step / 2), np.cos(step / 2), 0], [0, 0, 1]]

    def rates(_, y, curved):
        R, moment = y[3:12].reshape(3, 3), y[12:]
        a, b, c = R.T @ moment / BEND + [0, 0, curved]
        along = R @ ([1, 0, 0] + R.T @ force / [1e7, shear, shear])
        return np.concatenate([along, (R @ [[0, -c, b], [c, 0, -a], [-b, a, 0]]).ravel(), -np.cross(along, force)])

    def end(moment):
        y = np.concatenate([np.zeros(3), np.eye(3).ravel(), moment])
        options = {"rtol": 1e-8, "atol": 1e-7, "method": "DOP853"}
        if pieces is None:
            return solve_ivp(rates, (0, RADIUS * ANGLE), y, args=(1 / RADIUS,), **options).y[:, -1]
        for _ in range(pieces):
            y[3:12] = (y[3:12].reshape(3, 3) @ kink).ravel()
            y = solve_ivp(rates, (0, 2 * RADIUS * np.sin(step / 2)), y, args=(0.0,), **options).y[:, -1]
            y[3:12] = (y[3:12].reshape(3, 3) @ kink).ravel()
        return y

    moment = np.zeros(3)
    for share in (0.5, 1.0):
        force[2] = share * FORCE
        moment = fsolve(lambda each: end(each)[12:], moment, xtol=1e-9)
    return end(moment)[:3] - RADIUS * np.array([np.sin(ANGLE), 1 - np.cos(ANGLE), 0])


def polygon(pieces: int) -> np.ndarray:
    """Returns the same of straight beams with an axial shape, which are welded at angles, in equilibrium."""
    step = ANGLE / pieces
    length, c, s = 2 * RADIUS * np.sin(step / 2), np.cos(step / 2), np.sin(step / 2)
    section = {"L": length, "A": 1.0, "E": 1e7, "Iy": BEND / 1e7, "Iz": BEND / 1e7, "It": BEND / 1e7, "G": 1e7, "rho": 1.0, "gz": 0.0}
    system = System("arc")
    system.add("wall", "spatial.Fixed")
    at, place = "wall.p1", np.zeros(3)
    for k in range(pieces):
        angle = step * (k + 0.5)
        along = length * np.array([np.cos(angle), np.sin(angle), 0.0])
        pose = {"x": place[0] + along[0] / 2, "y": place[1] + along[1] / 2, **orientation((0, 0, 1), angle)}
        system.add(f"piece{k}", SpatialBeam(2, 1, 2), section | pose | {"p1.xx": c, "p1.xy": -s, "p2.xx": c, "p2.xy": s})
        system.join("spatial.Weld", at, f"piece{k}.p1", name=f"weld{k}")
        at, place = f"piece{k}.p2", place + along
    system.add("load", "spatial.Wrench", {"Fz": FORCE})
    system.connect("load.M", at)
    run = system.simulate(1e-6, initial=system.equilibrium())
    return np.array([run[f"{at}.{axis}"][0] for axis in "xyz"]) - place


@pytest.mark.slow
def test_a_curved_beam_bends_out_of_its_plane():
    """Bathe's bend of 45 degrees: straight pieces come to a rod in a polygon with order four, and this to the arc with order two."""
    exact = arc(None)
    assert arc(None, shear=41.6667e5) == pytest.approx([-23.56130, -13.60502, 53.47610], abs=1e-5)
    assert exact == pytest.approx([-23.55924, -13.60436, 53.47239], abs=1e-5)
    found = {pieces: polygon(pieces) for pieces in (2, 4, 8)}
    errors = [float(np.linalg.norm(each - arc(pieces))) for pieces, each in found.items()]
    assert np.log2(np.array(errors[:-1]) / errors[1:]) == pytest.approx([4, 4], abs=0.4)
    assert errors[-1] < 1.1e-3
    assert (4 * found[8] - found[4]) / 3 == pytest.approx(exact, abs=6e-3)


@pytest.mark.slow
@pytest.mark.parametrize("speed", [0.0, 2.0, 4.0])
def test_rotation_stiffens_a_beam_both_ways(speed):
    """Eight pieces on a heavy hub have the first frequencies of Galerkin's method in the plane of rotation and across it."""
    system = System("turning")
    system.add("ground", "spatial.Fixed")
    system.add("hub", "spatial.RevoluteBody", {"Ixx": 1e7, "Iyy": 1e7, "Izz": 1e7, "gz": 0.0, "qd": speed})
    system.connect("ground.p1", "hub.P")
    at, slender = "hub.C1", {**SPACE, "Iy": 1e-9, "Iz": 1e-9, "It": 1e-9, "E": 1e9, "G": 1e9}
    for k in range(8):
        x = (k + 0.5) / 8
        system.add(f"piece{k}", "spatial.Beam", {**slender, "L": 1 / 8, "x": x, "vy": speed * x, "omegaz": speed})
        system.join("spatial.Weld", at, f"piece{k}.p1", name=f"weld{k}")
        at = f"piece{k}.p2"
    found = frequencies(system.linearise())
    assert found[:2] == pytest.approx([in_plane(speed)[0], out_of_plane(speed)[0]], rel=1e-5)
    assert found[2:4] == pytest.approx([in_plane(speed)[1], out_of_plane(speed)[1]], rel=1e-4)
