"""Pictures of flexible beams: the centre line against the amplitudes, and the ends as parts of their body."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from shutil import which

import numpy as np
import pytest

from coupling.pictures.bent import bent_line
from coupling.pictures.pose import Posed
from coupling.pictures.scene import Scene, scene_of
from jourdain import Result, System

PLAYER = Path(__file__).parents[3] / "coupling" / "pictures" / "player" / "player.js"


@pytest.fixture(scope="module")
def run() -> Result:
    """Gives a beam of four shapes that hangs on a pin at an angle, and swings."""
    system = System("pendulum", gravity=(0.0, -9.81, 0.0))
    system.add("ground", "planar.Fixed")
    system.add("pin", "planar.Revolute")
    bends = {"bend[1]": 0.03, "bend[2]": 0.01, "bend[3]": -0.004, "bend[4]": 0.002}
    system.add("beam", "planar.Beam4", {"rho": 1000.0, "A": 1e-3, "I": 1e-3, "E": 1e3, "L": 2.0, "theta": 0.7, **bends})
    system.connect("ground.p1", "pin.M")
    system.connect("pin.N", "beam.p1")
    return system.simulate(0.2, initial=system.assemble(guess={"beam.x": 0.8, "beam.y": 0.6}))


@pytest.fixture(scope="module")
def scene(run) -> Scene:
    return scene_of(run._record)


@pytest.fixture(scope="module")
def clamped_run() -> Result:
    """Gives a block of two shapes at an angle on a wall, whose end is loaded."""
    system = System("bracket")
    system.add("wall", "planar.Fixed", {"p1.rx": 0.3, "p1.ry": 0.1, "p1.angle": 0.5})
    system.add("beam", "planar.WeldedBeam2", {"rho": 1000.0, "A": 1e-3, "I": 1e-3, "E": 1e3, "gy": 0.0, "P.angle": 0.2, "bend[1]": 0.1})
    system.connect("wall.p1", "beam.P")
    return system.simulate(0.1)


def test_a_clamped_line_follows_a_cubic(clamped_run):
    """Two shapes of a block are polynomials of third degree, which its ends determine."""
    scene = scene_of(clamped_run._record)
    (shape,) = [each for each in scene.shapes if each["kind"] == "bent"]
    for row in (0, -1):
        line = bent_line(Posed(scene, float(clamped_run.time[row])), shape) - [0.3, 0.1]
        xi = np.linspace(-1, 1, 17)
        v = (1 + xi) ** 2 / 4 * (clamped_run["beam.bend[1]"][row] + clamped_run["beam.bend[2]"][row] * (3 * xi - 2))
        assert line @ [-np.sin(0.3), np.cos(0.3)] == pytest.approx(v, abs=1e-12)
        assert (line @ [np.cos(0.3), np.sin(0.3)])[8] == pytest.approx(0.5, abs=0.01)


def expected(run: Result, row: int) -> np.ndarray:
    """Returns the centre line by the sum of the shapes."""
    xi = np.linspace(-1, 1, 17)
    v = np.polynomial.legendre.legval(xi, [0, 0, *(run[f"beam.bend[{k}]"][row] for k in (1, 2, 3, 4))])
    c, s = np.cos(run["beam.theta"][row]), np.sin(run["beam.theta"][row])
    return np.column_stack([run["beam.x"][row] + c * xi - s * v, run["beam.y"][row] + s * xi + c * v])


def test_the_centre_line_is_the_sum_of_the_shapes(run, scene):
    """Four shapes follow exactly from the ends; between them lies the second-order shortening, which the line spreads evenly."""
    (shape,) = [each for each in scene.shapes if each["kind"] == "bent"]
    for row in (0, -1):
        line = bent_line(Posed(scene, float(run.time[row])), shape)
        c, s = np.cos(run["beam.theta"][row]), np.sin(run["beam.theta"][row])
        off = line - expected(run, row)
        assert np.abs(off @ [-s, c]).max() < 1e-9
        assert np.abs(off @ [c, s]).max() < 0.04
        assert np.ptp(expected(run, row) @ [-s, c]) > 0.03


def test_deflections_are_magnified(run, scene):
    """The line at factor 50 is 50 times as far across the mean frame as that of the shapes; places along it stay."""
    (shape,) = [each for each in scene.shapes if each["kind"] == "bent"]
    large = scene_of(run._record, magnify=50.0)
    c, s = np.cos(run["beam.theta"][-1]), np.sin(run["beam.theta"][-1])
    centre = [run["beam.x"][-1], run["beam.y"][-1]]
    drawn = bent_line(Posed(large, float(run.time[-1])), shape) - centre
    once = expected(run, -1) - centre
    assert drawn @ [-s, c] == pytest.approx(50 * (once @ [-s, c]), abs=1e-7)
    assert drawn @ [c, s] == pytest.approx(
        bent_line(Posed(scene, float(run.time[-1])), shape) @ [c, s] - centre @ np.array([c, s]), abs=1e-12
    )


def test_the_ends_belong_to_the_beam(scene):
    """Bodies with colours of their own, traces and first plots are those of the beam alone."""
    assert [each["name"] for each in scene.traces] == ["beam"]
    assert len(set(scene.colours.values())) == 1
    assert [scene.signals[k].name for k in scene.plots[0]] == ["beam.theta"]


# Needed since the player is JavaScript, and pip installs no interpreter of it: Debian's package nodejs gives one.
@pytest.mark.skipif(which("node") is None, reason="node is not installed")
@pytest.mark.parametrize("space", [False, True])
@pytest.mark.parametrize(("clamped", "magnify"), [(False, 1.0), (True, 1.0), (False, 50.0), (True, 50.0)])
def test_the_player_draws_the_same_line(run, clamped_run, space, clamped, magnify):
    """The function of the page gives the points of the still picture, in the plane and in space."""
    run = clamped_run if clamped else run
    scene = scene_of(run._record, magnify=magnify)
    (shape,) = [each for each in scene.shapes if each["kind"] == "bent"]
    flat = shape
    posed = Posed(scene, float(run.time[-1]))
    source = PLAYER.read_text()
    function = source[source.index("function bentLine") : source.index("function deformed")]
    frames = [(*posed.value(each.position), *(0.0,) * space) for each in scene.geometry.frames]
    turns = [float(posed.value(each.rotation)[0]) for each in scene.geometry.frames]
    if space:
        shape = shape | {end: [shape[end][0], [*shape[end][1], 0.0]] for end in "ab"} | {"along": [[*axis, 0.0] for axis in shape["along"]]}
    program = f"""
        const magnify = {magnify}, inSpace = {json.dumps(space)}, frames = {json.dumps(frames)}, turns = {json.dumps(turns)};
        const point = ([f, p]) => {{
            const c = Math.cos(turns[f]), s = Math.sin(turns[f]), at = frames[f];
            return at.map((x, i) => x + (i === 0 ? c * p[0] - s * p[1] : i === 1 ? s * p[0] + c * p[1] : p[2]));
        }};
        {function}
        console.log(JSON.stringify(bentLine({json.dumps(shape)})));"""
    found = json.loads(subprocess.run(["node", "-e", program], capture_output=True, check=True, text=True).stdout)
    assert np.array(found)[:, :2] == pytest.approx(bent_line(posed, flat), abs=1e-12)
