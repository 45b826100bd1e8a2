"""Flexible beams in the plane against closed forms, Galerkin's method, the elastica, and published and independent digits."""

from __future__ import annotations

import pickle

import numpy as np
import pytest

from fmu_components.catalogue import all_components
from jourdain import Beam, DeclarationError, System
from tests.support.components.beams import APPENDAGES, TURNING, UNIT, elastica, frequencies, hub_frequency, in_plane, out_of_plane

FREE = (22.3732854481, 61.6728228679, 120.903391727)
"""Frequencies of a free beam in units of (E I/(rho A L^4))^(1/2): cos k cosh k = 1."""


def cantilever(bending: int, pieces: int, load: float, torque: float = 0.0, **values: float) -> System:
    """Returns a beam of length 1 that is clamped at one end, in equal pieces, with a dead load across the other end and a torque on it."""
    system = System("cantilever")
    system.add("wall", "planar.Fixed")
    at = "wall.p1"
    for k in range(pieces):
        system.add(f"piece{k}", Beam(bending), {**UNIT, "L": 1 / pieces, "x": (k + 0.5) / pieces, **values})
        system.add(f"weld{k}", "planar.Weld")
        system.connect(at, f"weld{k}.M")
        system.connect(f"weld{k}.N", f"piece{k}.p1")
        at = f"piece{k}.p2"
    system.add("load", "planar.Wrench", {"Fy": -load, "Cz": torque})
    system.connect("load.M", at)
    return system


def tip_at_rest(system: System, pieces: int) -> np.ndarray:
    """Returns the place of the loaded end in equilibrium."""
    run = system.simulate(1e-6, initial=system.equilibrium())
    return np.array([run[f"piece{pieces - 1}.p2.{axis}"][0] for axis in "xy"])


def turning(speed: float, bending: int, radius: float = 0.0) -> System:
    """Returns a beam that is clamped to a heavy hub in rotation, at a ``radius``."""
    system = System("turning")
    system.add("ground", "planar.Fixed")
    system.add("hub", "planar.RevoluteBody", {"I": 1e7, "gy": 0.0, "qd": speed, "C1.rx": radius})
    system.add("weld", "planar.Weld")
    system.add("beam", Beam(bending), {**UNIT, "x": radius + 0.5, "vy": speed * (radius + 0.5), "omega": speed})
    for a, b in (("ground.p1", "hub.P"), ("hub.C1", "weld.M"), ("weld.N", "beam.p1")):
        system.connect(a, b)
    return system


def test_a_free_beam_rings_and_decays():
    """Two Legendre polynomials are the shapes of Beam2, with frequencies of 720 and 8400: a viscous stress damps them by tau omega^2/2."""
    system = System("free")
    system.add("beam", "planar.Beam2", {**UNIT, "tau": 1e-3})
    model = system.linearise()
    pairs = [each for each in model.eigenvalues if each.imag > 1e-3]
    assert np.sort(np.abs(pairs)) == pytest.approx(np.sqrt([720, 8400]), rel=1e-9)
    assert np.sort([-each.real for each in pairs]) == pytest.approx([0.36, 4.2], rel=1e-9)


def test_a_hinged_beam_finds_its_equilibrium_a_quarter_turn_away():
    """Its shapes settle at once, and it has to turn all the same."""
    system = System("rod", gravity=(0.0, -9.81))
    system.add("ground", "planar.Fixed")
    system.add("rod", "planar.Beam3", {"x": 0.5})
    system.join("planar.Revolute", "ground.p1", "rod.p1")
    rest = system.equilibrium()
    assert (rest["rod.x"], rest["rod.y"]) == pytest.approx((0.0, -0.5), abs=1e-7)


def test_a_stiff_clamped_beam_has_a_linear_model():
    """Its fastest shape has 1e10 times the square of the frequency of the first; what of it cancels in the constraint is rounding."""
    system = System("reed", gravity=(0.0, 0.0))
    system.add("wall", "planar.Fixed")
    system.add("beam", "planar.Beam5", {**UNIT, "E": 1e8 * UNIT["E"], "x": 0.5})
    system.join("planar.Weld", "wall.p1", "beam.p1")
    assert frequencies(system.linearise())[0] == pytest.approx(3.5160152685e4, rel=1e-5)


@pytest.mark.slow
def test_eight_shapes_give_the_frequencies_of_a_free_beam():
    """The first three frequencies are right to 1e-7, 1e-5 and 2e-3."""
    system = System("free")
    system.add("beam", Beam(8), UNIT)
    found = frequencies(system.linearise())[:3]
    assert np.all(np.abs(found / FREE - 1) < [1e-7, 1e-5, 2e-3])


@pytest.mark.slow
@pytest.mark.parametrize(("ends", "stretch", "exact"), [(1, 0, (3.5160152685, 22.0344915647, 61.6972144135)), (2, 1, FREE)])
def test_eight_shapes_give_the_frequencies_of_a_clamped_beam(ends, stretch, exact):
    """A cantilever, and a beam clamped at both ends, which rings as a free one; it cannot bend without an axial shape."""
    system = System("clamped")
    system.add("beam", Beam(8, stretch), {**UNIT, "x": 0.5})
    for k in range(1, ends + 1):
        system.add(f"wall{k}", "planar.Fixed", {"p1.rx": k - 1.0})
        system.join("planar.Weld", f"wall{k}.p1", f"beam.p{k}", name=f"weld{k}")
    assert np.all(np.abs(frequencies(system.linearise())[:3] / exact - 1) < [2e-8, 4e-6, 2e-3])


@pytest.mark.parametrize(("radius", "speed"), TURNING)
def test_two_formulations_of_a_turning_beam_agree(radius, speed):
    """Galerkin's method with eighteen polynomials has the three lowest frequencies of the differential equation, in both planes."""
    found = out_of_plane(speed, radius)[:3], in_plane(speed, radius=radius)[:3]
    assert np.array(found) == pytest.approx(np.array(TURNING[radius, speed]), abs=1.1e-6)


@pytest.mark.parametrize(
    ("radius", "speed", "share"),
    [(0, 0.0, 1e-6), (0, 2.0, 1e-5), (0, 4.0, 1e-5), (0, 6.0, 1e-4), (0, 8.0, 2e-4), (0, 12.0, 2e-3), (1, 4.0, 1e-4), (1, 12.0, 2e-3)],
)
def test_rotation_stiffens_a_beam(radius, speed, share):
    """A linear beam would lose its stiffness at a speed of 3.516; the shortening of second order makes it stiffer with speed instead."""
    model = turning(speed, 5, radius).linearise(coordinates=["hub.q", *(f"beam.bend[{k}]" for k in range(1, 6))])
    assert frequencies(model)[0] == pytest.approx(TURNING[radius, speed][1][0], rel=share)


@pytest.mark.slow
def test_nine_shapes_give_all_digits_of_a_turning_beam():
    """Polynomials up to the tenth have the first two frequencies of the plane at a speed of 2 to 1e-7."""
    model = turning(2.0, 9).linearise(coordinates=["hub.q", *(f"beam.bend[{k}]" for k in range(1, 10))])
    assert frequencies(model)[:2] == pytest.approx([3.62179696, 22.52631117], abs=1e-6)


def test_a_hub_swings_with_its_two_appendages():
    """The determinant of the beam equation with the balance of the hub has the roots 4.2187134 (both alike) and 6.3783441 (opposed)."""

    exact = [hub_frequency(True, (4, 4.5)), hub_frequency(False, (6, 7))]
    assert exact == pytest.approx(APPENDAGES, abs=1e-9)
    system = System("satellite")
    system.add("hub", "planar.Body2", {"m": 2.0, "I": 0.4, "gy": 0.0, "p1.rx": -0.3, "p1.angle": np.pi, "p2.rx": 0.3})
    for name, port, x, angle in (("left", "p1", -0.8, np.pi), ("right", "p2", 0.8, 0.0)):
        system.add(name, "planar.Beam4", {**UNIT, "x": x, "theta": angle})
        system.add(f"{name} weld", "planar.Weld")
        system.connect(f"hub.{port}", f"{name} weld.M")
        system.connect(f"{name} weld.N", f"{name}.p1")
    assert frequencies(system.linearise())[:2] == pytest.approx(exact, rel=3e-5)


def test_a_cantilever_sinks_under_its_weight():
    """Equilibrium gives m g L^3/(8 E I) of a stiff steel beam, of which the mean frame sees the mean."""
    system = System("shelf")
    system.add("wall", "planar.Fixed")
    system.add("shelf", "planar.Beam3", {"x": 0.5})
    system.add("weld", "planar.Weld")
    system.connect("wall.p1", "weld.M")
    system.connect("weld.N", "shelf.p1")
    run = system.simulate(1e-6, initial=system.equilibrium())
    weight, stiffness = 0.785 * 9.81, 2.1e11 * 1e-9
    assert run["shelf.p2.y"][0] == pytest.approx(-weight / (8 * stiffness), rel=1e-4)
    assert run["shelf.moment[1]"][0] == pytest.approx(-weight / 2, rel=0.02)  # three shapes resolve curvature to second order
    assert run["shelf.strain[1]"][0] == pytest.approx(0.005 * weight / (2 * stiffness), rel=0.02)


ELASTICA = {
    0.5: (0.98408104, -0.16214358),
    1.0: (0.94356676, -0.30172077),
    2.0: (0.83935828, -0.49345748),
    3.0: (0.74557982, -0.60325344),
    10.0: (0.4450044, -0.8106090),
}
"""End of an inextensible cantilever under a dead load, by shooting."""


@pytest.mark.parametrize(
    ("load", "errors"),
    [
        (1.0, {(3, 1): 1.5e-3, (3, 2): 1.3e-4, (3, 4): 9e-6}),
        (3.0, {(3, 1): 1.2e-2, (3, 2): 1.4e-3, (3, 4): 1e-4}),
    ],
)
def test_half_the_length_leaves_a_sixteenth_of_the_error(load, errors):
    """The end of a cantilever under a dead load approaches the elastica with order 4, whatever the size of the bend."""
    assert elastica(load) == pytest.approx(ELASTICA[load], abs=2e-8)
    found = [np.linalg.norm(tip_at_rest(cantilever(*beam, load), beam[1]) - ELASTICA[load]) for beam in errors]
    assert found == pytest.approx(list(errors.values()), rel=0.15)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("load", "beam", "error"),
    [
        (0.5, (3, 4), 1.3e-6),
        (1.0, (2, 8), 5e-7),
        (2.0, (3, 4), 4.4e-5),
        (3.0, (2, 8), 6e-6),
        (10.0, (2, 8), 4.7e-5),
        (10.0, (2, 16), 2.9e-6),
    ],
)
def test_short_beams_follow_the_elastica_far(load, beam, error):
    """Under ten times E I/L^2 the end hangs below the clamp by four fifths of the length; equilibrium finds it from the straight beam."""
    assert elastica(load) == pytest.approx(ELASTICA[load], abs=2e-7)
    found = tip_at_rest(cantilever(*beam, load), beam[1])
    assert np.linalg.norm(found - ELASTICA[load]) == pytest.approx(error, rel=0.15)


@pytest.mark.parametrize(("share", "error"), [(0.25, 1.12e-5), (0.5, 1.29e-4), (1.0, 0.0)])
def test_a_torque_rolls_a_beam_up(share, error):
    """A torque of 2 pi E I/L makes a circle of it, whose end is at the clamp; a share of it makes an arc."""
    angle = 2 * np.pi * share
    system = cantilever(2, 4, 0.0, torque=angle)
    run = system.simulate(1e-6, initial=system.equilibrium())
    assert run["piece3.p2.theta"][0] == pytest.approx(angle, abs=1e-9)
    off = np.array([run["piece3.p2.x"][0] - np.sin(angle) / angle, run["piece3.p2.y"][0] - (1 - np.cos(angle)) / angle])
    assert np.linalg.norm(off) == pytest.approx(error, rel=0.02, abs=1e-9)


def test_a_beam_stretches_under_a_pull():
    """A dead load along the beam stretches it by F L/(E A): the second and third axial shapes stay at rest."""
    system = System("bar")
    system.add("wall", "planar.Fixed")
    system.add("bar", Beam(2, 3), {"gy": 0.0, "x": 0.5})
    system.add("pin", "planar.Weld")
    system.add("load", "planar.Wrench", {"Fx": 1e4})
    for a, b in (("wall.p1", "pin.M"), ("pin.N", "bar.p1"), ("load.M", "bar.p2")):
        system.connect(a, b)
    rest = system.equilibrium()
    assert rest["bar.stretch[1]"] * 2 == pytest.approx(1e4 / (2.1e11 * 1e-4), rel=1e-9)
    assert [rest[f"bar.stretch[{k}]"] for k in (2, 3)] == pytest.approx([0, 0], abs=1e-12)
    assert [mode for mode in frequencies(system.linearise(initial=rest)) / np.sqrt(2.1e11 / 7850) if 1.4 < mode < 1.7] == pytest.approx(
        [np.pi / 2], rel=1e-4
    )


@pytest.mark.parametrize("stretch", [0, 2])
def test_a_tumbling_beam_keeps_its_energy_and_momentum(stretch):
    """A free beam that turns while it bends and stretches keeps energy and the speed of its mass centre, without damping."""
    system = System("tumble")
    starts = {"omega": 2.0, "vx": 0.3, "bend.rate[1]": 1.0, "bend.rate[2]": 0.5, **({"stretch.rate[2]": 0.3} if stretch else {})}
    system.add("beam", Beam(3, stretch), {**UNIT, **starts})
    run = system.simulate(3.0, solver="dop853", rtol=1e-11, atol=1e-13)
    energy = run["beam.energy.kinetic"] + run["beam.energy.elastic"]
    assert np.ptp(run["beam.energy.elastic"]) > 0.25 * energy[0]
    assert np.ptp(energy) < 1e-11 * energy[0] + 1e-11
    assert run["beam.vx"] == pytest.approx(0.3 + 0 * run.time, abs=1e-13)


def welded_pendulum() -> System:
    """Returns a pendulum of two welded beams that starts at rest, level."""
    system = System("pendulum")
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    system.add("weld", "planar.Weld")
    for name, x in (("upper", 0.25), ("lower", 0.75)):
        system.add(name, "planar.Beam2", {**UNIT, "gy": -9.81, "E": 2e3, "L": 0.5, "x": x})
    for a, b in (("ground.p1", "pin.M"), ("pin.N", "upper.p1"), ("upper.p2", "weld.M"), ("weld.N", "lower.p1")):
        system.connect(a, b)
    return system


def test_a_pendulum_of_welded_beams_runs_each_way():
    """FMUs, the tape of their equations and compiled equations give one motion, which keeps the energy; projection keeps the joints."""
    system = welded_pendulum()
    runs = [system.simulate(0.5, solver="dop853", rtol=1e-11, evaluation=each) for each in ("fmus", "tape", "compiled")]
    for run in runs:
        energy = sum(run[f"{name}.energy.{kind}"] for name in ("upper", "lower") for kind in ("kinetic", "elastic", "potential"))
        assert np.ptp(energy) < 1e-9
        assert run["lower.p2.y"][-1] == pytest.approx(runs[0]["lower.p2.y"][-1], abs=1e-11)
    projected = system.simulate(0.5, solver="dop853", rtol=1e-11, stabilisation="projection")
    assert projected["lower.p2.y"][-1] == pytest.approx(runs[0]["lower.p2.y"][-1], abs=1e-9)


@pytest.mark.slow
@pytest.mark.parametrize("fmi", [2, 3])
@pytest.mark.parametrize("kind", ["ModelExchange", "CoSimulation"])
def test_an_exported_pendulum_of_beams_runs_elsewhere(tmp_path, fmi, kind):
    """FMPy integrates the exported pendulum to the end point of our own master."""
    fmpy = pytest.importorskip("fmpy")
    system = welded_pendulum()
    file = system.export_fmu(tmp_path / "pendulum.fmu", fmi=fmi)
    names = ["lower.x", "lower.y", "lower.theta", "lower.bend[1]"]
    run = fmpy.simulate_fmu(
        str(file), fmi_type=kind, stop_time=0.5, output_interval=0.01, relative_tolerance=1e-11, output=names, step_size=1e-3
    )
    master = system.simulate(0.5, solver="dop853", rtol=1e-12)
    assert [run[name][-1] for name in names] == pytest.approx([master[name][-1] for name in names], abs=1e-9)


def test_assembly_leaves_beams_straight():
    """Two beams are pinned to each other at an angle by rotation alone; an amplitude moves only if it is guessed."""
    system = System("frame")
    for name, at in (("left", 0.0), ("right", 1.2)):
        system.add(name, "planar.Fixed", {"p1.rx": at})
        system.add(f"{name} pin", "planar.Revolute")
        system.add(f"{name} beam", "planar.Beam2", guess={"theta": 1.0 if at == 0 else 2.0})
        system.connect(f"{name}.p1", f"{name} pin.M")
        system.connect(f"{name} pin.N", f"{name} beam.p1")
    system.add("top", "planar.Revolute")
    system.connect("left beam.p2", "top.M")
    system.connect("right beam.p2", "top.N")
    pose = system.assemble()
    assert [pose[f"{name} beam.bend[{k}]"] for name in ("left", "right") for k in (1, 2)] == [0, 0, 0, 0]
    assert pose["left beam.theta"] == pytest.approx(np.arccos(0.6), abs=1e-12)
    guessed = system.assemble(guess={"left beam.bend[1]": 0.02})
    assert 1e-3 < guessed["left beam.bend[1]"] < 0.02


def test_a_beam_that_bends_too_far_says_so():
    """The sentence names the beam, its bend, and the number of pieces that bring it below the limit."""
    system = System("beams")
    system.add("coupler", "planar.Beam2", {**UNIT, "bend[1]": 0.2 / 1.5})
    system.add("stiff", "planar.Beam2", {**UNIT, "bend[1]": 0.05 / 1.5})
    (said,) = system.simulate(1e-3).outcome.warnings
    assert said == "'coupler' bends by 20 % of its length: cut it into 4 pieces"


@pytest.mark.slow
def test_the_sentence_passes_an_export(tmp_path):
    """An exported mechanism names the beam inside it."""
    system = System("beams")
    system.add("coupler", "planar.Beam2", {**UNIT, "bend[1]": 0.2 / 1.5})
    outer = System("outer")
    outer.add("mechanism", system.export_fmu(tmp_path / "beams.fmu"))
    (said,) = outer.simulate(1e-3).outcome.warnings
    assert said == "'mechanism.coupler' bends by 20 % of its length: cut it into 4 pieces"


def test_classes_of_beams():
    """The catalogue has two to five shapes; other classes are made once, found by their names, and of whole numbers."""
    assert {f"planar.Beam{n}" for n in (2, 3, 4, 5)} < set(all_components())
    assert "planar.Beam1" not in all_components()
    assert Beam(3) is all_components()["planar.Beam3"] and Beam(3, 2) is Beam(3, 2)
    assert pickle.loads(pickle.dumps(Beam(7, 1))) is Beam(7, 1)
    with pytest.raises(DeclarationError, match=r"Beam\(0\) is refused: give whole numbers of at least 1"):
        Beam(0)
