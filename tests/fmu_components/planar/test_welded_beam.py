"""Flexible blocks against beams in their mean frame, Galerkin's method, closed forms and the elastica."""

from __future__ import annotations

import numpy as np
import pytest

from fmu_components.catalogue import all_components
from jourdain import DeclarationError, System, WeldedBeam
from tests.support.components.beams import APPENDAGES, HIGHER, TURNING, UNIT, elastica, frequencies, hub_frequency


def satellite(block: bool) -> System:
    """Returns a free hub with two appendages: blocks of four shapes, or welded beams of four shapes."""
    system = System("satellite")
    system.add("hub", "planar.Body2", {"m": 2.0, "I": 0.4, "gy": 0.0, "p1.rx": -0.3, "p1.angle": np.pi, "p2.rx": 0.3})
    for name, port, x, angle in (("left", "p1", -0.8, np.pi), ("right", "p2", 0.8, 0.0)):
        if block:
            system.add(name, WeldedBeam(4), UNIT)
            system.connect(f"hub.{port}", f"{name}.P")
        else:
            system.add(name, "planar.Beam4", {**UNIT, "x": x, "theta": angle})
            system.add(f"{name} weld", "planar.Weld")
            system.connect(f"hub.{port}", f"{name} weld.M")
            system.connect(f"{name} weld.N", f"{name}.p1")
    return system


def turning(speed: float, bending: int, radius: float = 0.0) -> System:
    """Returns a beam that is clamped to a heavy hub in rotation, at a ``radius``."""
    system = System("turning")
    system.add("ground", "planar.Fixed")
    system.add("hub", "planar.RevoluteBody", {"I": 1e7, "gy": 0.0, "qd": speed, "C1.rx": radius})
    system.add("beam", WeldedBeam(bending), UNIT)
    system.connect("ground.p1", "hub.P")
    system.connect("hub.C1", "beam.P")
    return system


@pytest.mark.slow
def test_blocks_and_welded_beams_span_the_same_shapes():
    """A hub with two appendages has the same eight frequencies either way, the first two near their closed form, all above it."""
    found = [frequencies(satellite(block).linearise())[:8] for block in (True, False)]
    assert found[0] == pytest.approx(found[1], rel=1e-9)
    assert found[0][:2] == pytest.approx(APPENDAGES, rel=3e-5)
    assert found[0][:4] == pytest.approx([4.218729, 6.378486, 23.873832, 24.562111], abs=1e-6)
    assert np.all(found[0][:6] > [*APPENDAGES, *HIGHER]) and found[0][2:6] == pytest.approx(HIGHER, rel=3e-2)


def test_the_closed_form_of_a_hub_with_appendages():
    """The determinant vanishes at the known frequencies, both alike and opposed."""
    alike = [hub_frequency(True, each) for each in ((4, 4.5), (23, 24), (63, 64))]
    opposed = [hub_frequency(False, each) for each in ((6, 7), (24, 25), (63, 64))]
    assert [alike[0], opposed[0], alike[1], opposed[1], opposed[2], alike[2]] == pytest.approx([*APPENDAGES, *HIGHER], abs=1e-9)


@pytest.mark.parametrize(
    ("radius", "speed", "share"),
    [(0, 0.0, 1e-6), (0, 2.0, 1e-5), (0, 4.0, 1e-5), (0, 6.0, 1e-4), (0, 8.0, 2e-4), (0, 12.0, 2e-3), (1, 4.0, 1e-4), (1, 12.0, 2e-3)],
)
def test_rotation_stiffens_a_block(radius, speed, share):
    """The linear model of a turning hub with a block of five shapes has the first two frequencies of the differential equation."""
    found = frequencies(turning(speed, 5, radius).linearise())
    assert found[0] == pytest.approx(TURNING[radius, speed][1][0], rel=share)
    assert found[1] == pytest.approx(TURNING[radius, speed][1][1], rel=3e-3)


@pytest.mark.parametrize(
    ("shapes", "first", "second"),
    [
        (3, (3.621944, 3.900252, 4.713766, 5.643782), ()),
        (5, (3.621797, 3.897724, 4.657550, 5.432327), (22.527, 23.944, 28.920, 35.671)),
    ],
)
def test_blocks_have_known_digits(shapes, first, second):
    """Blocks of three and five shapes on a turning hub had the same digits in another program."""
    found = [frequencies(turning(speed, shapes).linearise())[:2] for speed in (2.0, 4.0, 8.0, 12.0)]
    assert [each[0] for each in found] == pytest.approx(first, abs=1e-6)
    assert [each[1] for each in found][: len(second)] == pytest.approx(second, abs=1e-3)


def test_a_free_hub_with_a_block_keeps_its_energy():
    """The whole second derivative of the first moment belongs to the wrench: the energy of a tumbling hub stays to 1e-12."""
    system = System("tumble")
    system.add("hub", "planar.Body1", {"I": 0.1, "gy": 0.0, "omega": 4.0, "vx": 0.5})
    system.add("beam", "planar.WeldedBeam3", {**UNIT, "bend.rate[1]": 0.6})
    system.connect("hub.p1", "beam.P")
    run = system.simulate(3.0, solver="dop853", rtol=1e-11, atol=1e-13)
    energy = sum(run[name] for name in ("hub.energy.kinetic", "beam.energy.kinetic", "beam.energy.elastic"))
    assert np.ptp(run["beam.energy.elastic"]) > 1e-3 * energy[0]
    assert np.ptp(energy) < 1e-12 * energy[0]


@pytest.mark.parametrize("load", [0.1, 0.29])
def test_a_loaded_block_is_right_within_its_limit(load):
    """The end is right to a thousandth of the length while the block bends by 1.8 % from its chord."""
    system = System("cantilever")
    system.add("wall", "planar.Fixed")
    system.add("beam", "planar.WeldedBeam3", UNIT)
    system.add("load", "planar.Wrench", {"Fy": -load})
    system.connect("wall.p1", "beam.P")
    system.connect("load.M", "beam.C1")
    run = system.simulate(1e-6, initial=system.equilibrium())
    assert run["beam.bent"][0] == pytest.approx(load / 16, rel=1e-9)
    assert np.hypot(run["beam.C1.x"][0] - elastica(load)[0], run["beam.C1.y"][0] - elastica(load)[1]) < 1e-3
    assert run["beam.moment[1]"][0] == pytest.approx(-load, rel=1e-9)


@pytest.mark.slow
def test_an_arm_of_two_links_moves_as_with_beams():
    """Blocks of a tree and welded beams of three shapes carry an arm to the same places."""
    system = System("arm", gravity=(0.0, -9.81, 0.0))
    system.add("ground", "planar.Fixed")
    system.add("shoulder", "planar.RevoluteBody", {"m": 0.1, "I": 0.01})
    system.add("elbow", "planar.RevoluteBody", {"m": 0.2, "I": 0.01, "q": 0.5})
    soft = {**UNIT, "gy": -9.81, "E": 1e5, "tau": 1e-3}
    system.add("upper", "planar.WeldedBeam3", soft)
    system.add("lower", "planar.WeldedBeam3", soft)
    for a, b in (("ground.p1", "shoulder.P"), ("shoulder.C1", "upper.P"), ("upper.C1", "elbow.P"), ("elbow.C1", "lower.P")):
        system.connect(a, b)
    run = system.simulate(1.0, solver="cvode", rtol=1e-9, atol=1e-11, output_times=[0.5, 1.0])
    rows = [int(np.argmin(np.abs(run.time - t))) for t in (0.5, 1.0)]
    found = np.column_stack([run["lower.C1.x"][rows], run["lower.C1.y"][rows]])
    assert found == pytest.approx(np.array([[1.436680, -1.178557], [-1.751893, -0.951531]]), abs=2e-6)


def test_a_block_that_bends_too_far_says_so():
    """The limit is a third of that of a beam in its mean frame."""
    system = System("bracket")
    system.add("wall", "planar.Fixed")
    system.add("arm", "planar.WeldedBeam2", {**UNIT, "bend[1]": 0.2})
    system.connect("wall.p1", "arm.P")
    (said,) = system.simulate(1e-3).outcome.warnings
    assert said == "'arm' bends by 5 % of its length: cut it into 3 pieces"


def test_classes_of_blocks():
    """The catalogue has two and three shapes; numbers are whole and at least 1."""
    assert [name for name in all_components() if "WeldedBeam" in name] == ["planar.WeldedBeam2", "planar.WeldedBeam3"]
    assert WeldedBeam(3) is all_components()["planar.WeldedBeam3"]
    with pytest.raises(DeclarationError, match=r"WeldedBeam\(True\) is refused: give whole numbers of at least 1"):
        WeldedBeam(True)
